#include "inspect/module_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text.h"
#include "hcl/one_line.h"
#include "hcl/type.h"
#include "hcl/utf8.h"

namespace koya::inspect {
namespace {

using hcl::Type;

// Longer types are shown by their kind only.
constexpr std::size_t kLongestTypeComment = 48;
constexpr std::size_t kDeepestPlaceholder = 6;

// ---- lines, as the clients' formatter lays them out (hclwrite/format.go): the "=" of lines that
// follow one another stand in a column, and so do their comments. A line that opens a bracket ends
// the column.

struct CodeLine {
  std::string lead;     // with its indentation
  std::string assign;   // "= …"; "": the line is in no column
  std::string comment;  // "# …"
};

std::size_t WidestLead(std::span<const CodeLine> lines, std::size_t from) {
  std::size_t widest = 0;
  for (std::size_t i = from; i < lines.size() && !lines[i].assign.empty(); ++i) {
    widest = std::max(widest, CountCharacters(lines[i].lead));
  }
  return widest;
}

void AlignAssignments(std::vector<CodeLine>& lines) {
  std::size_t widest = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CodeLine& line = lines[i];
    if (line.assign.empty()) continue;
    if (i == 0 || lines[i - 1].assign.empty()) widest = WidestLead(lines, i);
    line.lead.append(widest - CountCharacters(line.lead) + 1, ' ');
  }
}

std::size_t WidthOf(const CodeLine& line) {
  return CountCharacters(line.lead) + CountCharacters(line.assign);
}

std::size_t WidestLine(std::span<const CodeLine> lines, std::size_t from) {
  std::size_t widest = 0;
  for (std::size_t i = from; i < lines.size() && !lines[i].comment.empty(); ++i) {
    widest = std::max(widest, WidthOf(lines[i]));
  }
  return widest;
}

std::string Laid(std::vector<CodeLine> lines) {
  AlignAssignments(lines);
  std::string text;
  std::size_t widest = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const CodeLine& line = lines[i];
    text += line.lead + line.assign;
    if (!line.comment.empty()) {
      if (i == 0 || lines[i - 1].comment.empty()) widest = WidestLine(lines, i);
      text.append(widest - WidthOf(line) + 1, ' ');
      text += line.comment;
    }
    text += '\n';
  }
  return text;
}

// The lines of a value that goes on over them, each in the column that it belongs to.
void AddLines(std::string_view name, std::string_view value, std::size_t indent,
              std::vector<CodeLine>& lines) {
  const std::string blanks(indent, ' ');
  std::string first(value.substr(0, value.find('\n')));
  const bool goes_on = first.size() < value.size();
  std::string lead = fmt::format("{}{}", blanks, name);
  if (!goes_on) {
    lines.push_back({std::move(lead), "= " + first, {}});
    return;
  }
  lines.push_back({fmt::format("{} = {}", lead, first), {}, {}});
  for (std::string_view rest = value.substr(first.size() + 1); !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::size_t equals = line.find(" = ");
    const bool opens = line.ends_with('{') || line.ends_with('[');
    if (equals == line.npos || opens) {
      lines.push_back({blanks + std::string(line), {}, {}});
    } else {
      lines.push_back(
          {blanks + std::string(line.substr(0, equals)), std::string(line.substr(equals + 1)), {}});
    }
  }
}

// ---- placeholders

std::string EmptyValue(const Type& type, std::size_t depth);

std::string EmptyObject(const Type& type, std::size_t depth) {
  std::string text;
  if (depth < kDeepestPlaceholder) {
    for (const hcl::TypeAttribute& attribute : type.attributes) {
      if (attribute.optional) continue;
      const std::string name =
          hcl::IsIdentifier(attribute.name) ? attribute.name : hcl::QuotedText(attribute.name);
      text += fmt::format("{}{} = {}\n", std::string(2 * (depth + 1), ' '), name,
                          EmptyValue(attribute.type, depth + 1));
    }
  }
  if (text.empty()) return "{}";
  return fmt::format("{{\n{}{}}}", text, std::string(2 * depth, ' '));
}

std::string EmptyValue(const Type& type, std::size_t depth) {
  switch (type.kind) {
    case Type::Kind::kString:
      return "\"\"";
    case Type::Kind::kNumber:
      return "0";
    case Type::Kind::kBool:
      return "false";
    case Type::Kind::kList:
    case Type::Kind::kSet:
    case Type::Kind::kTuple:
      return "[]";
    case Type::Kind::kMap:
      return "{}";
    case Type::Kind::kObject:
      return EmptyObject(type, depth);
    case Type::Kind::kAny:
      break;
  }
  return "null";
}

}  // namespace

Setting Placeholder(const Input& input) {
  const Type type = hcl::ParseType(input.type).value_or(Type());
  std::string comment = hcl::ToString(type);
  // A default within may go on over lines.
  const bool fits = comment.size() <= kLongestTypeComment && !comment.contains('\n');
  if (!fits) comment = hcl::TypeName(type.kind);
  if (input.sensitive || input.ephemeral) {
    return {input.name, "var." + input.name, comment + ", sensitive"};
  }
  return {input.name, EmptyValue(type, 0), std::move(comment)};
}

std::vector<Setting> RequiredSettings(const ModulePart& part) {
  std::vector<Setting> settings;
  for (const Input& input : part.inputs) {
    if (input.required) settings.push_back(Placeholder(input));
  }
  return settings;
}

std::string WriteModuleBlock(const ModuleBlock& block) {
  std::vector<CodeLine> lines;
  lines.push_back({fmt::format("module {} {{", hcl::QuotedText(block.name)), {}, {}});
  lines.push_back({"  source", "= " + hcl::QuotedText(block.source), {}});
  if (!block.version.empty()) {
    lines.push_back({"  version", "= " + hcl::QuotedText(block.version), {}});
  }
  if (!block.settings.empty()) lines.emplace_back();
  for (const Setting& setting : block.settings) {
    // No client lets a variable have another name, nor takes it here.
    if (!hcl::IsIdentifier(setting.name)) continue;
    AddLines(setting.name, setting.value, 2, lines);
    const bool one_line = !setting.value.contains('\n');
    if (one_line && !setting.comment.empty()) lines.back().comment = "# " + setting.comment;
  }
  lines.push_back({"}", {}, {}});
  return Laid(std::move(lines));
}

std::string ModuleBlockName(std::string_view name) {
  const bool begins_well = !name.empty() && (name[0] < '0' || name[0] > '9');
  return begins_well ? std::string(name) : fmt::format("m_{}", name);
}

std::vector<std::string> FoldersToUse(const ModuleContents& contents) {
  std::vector<std::string> folders;
  if (!contents.root.files.empty() || !contents.root.unread.empty()) return folders;
  for (const ModulePart& each : contents.submodules) folders.push_back(each.path);
  return folders;
}

std::string SuggestedConstraint(const Version& version, bool is_newest) {
  if (version.is_prerelease() || !version.build().empty() || !is_newest) {
    return version.ToString();
  }
  if (version.major() == 0) {
    return fmt::format("~> 0.{}.{}", version.minor(), version.patch());
  }
  return fmt::format("~> {}.{}", version.major(), version.minor());
}

}  // namespace koya::inspect
