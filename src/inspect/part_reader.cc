#include "inspect/part_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.h"
#include "hcl/hcl.h"
#include "hcl/references.h"
#include "hcl/type.h"
#include "hcl/utf8.h"

namespace koya::inspect {
namespace {

using ValueKind = hcl::Value::Kind;

// Replaces "\r\n" by "\n", strips trailing blanks of lines, and cuts a very long text.
std::string CleanLines(std::string_view text) {
  std::string out;
  const bool cut = text.size() > kMaxExpression;
  text = CutUtf8(text, kMaxExpression);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += text.substr(0, end);
    if (end == text.npos) break;
    out.erase(out.find_last_not_of(" \t\r") + 1);
    out += '\n';
    text.remove_prefix(end + 1);
  }
  out.erase(out.find_last_not_of(" \t\r\n") + 1);
  if (cut) out += "…";
  return out;
}

// "${x}" as a whole is x.
std::string_view Unwrapped(std::string_view text) {
  bool wrapped = text.size() > 3 && text.starts_with("${") && text.ends_with('}') &&
                 text.find('}') == text.size() - 1;
  return wrapped ? text.substr(2, text.size() - 3) : text;
}

// JSON keeps templates in lists and objects, too.
void AddReferences(const hcl::Value& value, std::set<std::string>& out) {
  auto add = [&](const hcl::Mentions& found) {
    out.insert(found.references.begin(), found.references.end());
  };
  if (value.kind == ValueKind::kOther) add(hcl::FindMentions(value.source));
  if (value.kind == ValueKind::kTemplate) add(hcl::FindTemplateMentions(value.text));
  for (const hcl::Value& each : value.items) AddReferences(each, out);
  for (const hcl::Member& each : value.members) {
    if (each.computed) add(hcl::FindMentions(each.name));
    AddReferences(each.value, out);
  }
}

}  // namespace

std::string TextOf(const hcl::Value& value) {
  return value.kind == ValueKind::kText || value.kind == ValueKind::kTemplate
             ? value.text
             : CleanLines(value.source);
}

std::string TextOf(const hcl::Body& body, std::string_view name) {
  const hcl::Value* value = body.FindAttribute(name);
  return value == nullptr || value->kind == ValueKind::kNull ? std::string() : TextOf(*value);
}

std::string SourceOf(const hcl::Value& value) { return CleanLines(value.source); }

std::string ExpressionOf(const hcl::Value& value) {
  if (value.kind == ValueKind::kTemplate) return std::string(Unwrapped(value.text));
  return TextOf(value);
}

std::string ExpressionOf(const hcl::Body& body, std::string_view name) {
  const hcl::Value* value = body.FindAttribute(name);
  return value == nullptr || value->kind == ValueKind::kNull ? std::string() : ExpressionOf(*value);
}

bool FlagOf(const hcl::Body& body, std::string_view name, bool otherwise) {
  const hcl::Value* value = body.FindAttribute(name);
  return value == nullptr ? otherwise : hcl::LiteralBool(*value).value_or(otherwise);
}

std::vector<std::string> ReferencesOf(const hcl::Value& value) {
  std::set<std::string> found;
  AddReferences(value, found);
  return {found.begin(), found.end()};
}

std::vector<Condition> ConditionsOf(const hcl::Body& body, std::string_view type) {
  std::vector<Condition> out;
  for (const hcl::Block& each : body.blocks) {
    if (each.type != type) continue;
    out.push_back({ExpressionOf(each.body, "condition"), TextOf(each.body, "error_message")});
  }
  return out;
}

Repetition RepetitionOf(const hcl::Body& body) {
  Repetition out{.count = ExpressionOf(body, "count"),
                 .for_each = ExpressionOf(body, "for_each"),
                 .enabled = {}};
  auto lifecycle = std::ranges::find(body.blocks, "lifecycle", &hcl::Block::type);
  if (lifecycle != body.blocks.end()) out.enabled = ExpressionOf(lifecycle->body, "enabled");
  return out;
}

std::vector<std::string> ItemsOf(const hcl::Body& body, std::string_view name) {
  const hcl::Value* value = body.FindAttribute(name);
  std::vector<std::string> out;
  if (value == nullptr) return out;
  if (value->kind != ValueKind::kList) return {ExpressionOf(*value)};
  for (const hcl::Value& each : value->items) out.push_back(ExpressionOf(each));
  return out;
}

namespace {

constexpr std::string_view kIgnored = "terraform-docs-ignore";

bool IsIgnored(const hcl::Block& block) {
  return block.comment.find(kIgnored) != block.comment.npos;
}

// What clients let a block be called. Of providers they ask for less, and for more.
bool IsName(std::string_view type, const std::string& label) {
  if (type != "provider") return hcl::IsIdentifier(label);
  return hcl::IsIdentifier("a" + label) && !label.contains('_') && !label.starts_with('-') &&
         !label.ends_with('-');
}

// The description attribute, else the comment above.
std::string DescriptionOf(const hcl::Block& block) {
  std::string text = TextOf(block.body, "description");
  return text.empty() && !IsIgnored(block) ? block.comment : text;
}

// "deprecated" is a message.
std::string DeprecationOf(const hcl::Body& body) { return TextOf(body, "deprecated"); }

}  // namespace

void PartReader::Warn(const Place& place, std::string what) {
  warnings_.push_back({std::move(what), place});
}

bool PartReader::HasLabels(const PlacedBlock& each, std::size_t count) {
  if (each.block.labels.size() == count) {
    for (const std::string& label : each.block.labels) {
      if (IsName(each.block.type, label)) continue;
      Warn(each.place(), fmt::format("\"{}\" is no name for a block \"{}\": clients take letters, "
                                     "digits, \"_\" and \"-\", and no digit or \"-\" first",
                                     Printable(label, 80), each.block.type));
    }
    return true;
  }
  Warn(each.place(), fmt::format("a block \"{}\" takes {} {}, not {}", each.block.type, count,
                                 count == 1 ? "name" : "names", each.block.labels.size()));
  return false;
}

bool PartReader::IsNew(const std::string& address, const Place& place) {
  auto [known, added] = seen_.emplace(address, place);
  if (added) return true;
  Warn(place, fmt::format("{} is declared at {} already", Printable(address, 120),
                          known->second.ToString()));
  return false;
}

void PartReader::Dispatch(const PlacedBlock& each) {
  constexpr std::array<std::pair<std::string_view, ReadBlock>, 15> kReaders{{
      {"variable", &PartReader::ReadVariable},
      {"output", &PartReader::ReadOutput},
      {"resource", &PartReader::ReadResource},
      {"data", &PartReader::ReadResource},
      {"ephemeral", &PartReader::ReadResource},
      {"action", &PartReader::ReadResource},
      {"module", &PartReader::ReadCall},
      {"provider", &PartReader::ReadProvider},
      {"moved", &PartReader::ReadRefactoring},
      {"removed", &PartReader::ReadRefactoring},
      {"import", &PartReader::ReadRefactoring},
      {"check", &PartReader::ReadCheck},
      {"locals", &PartReader::ReadLocals},
      {"terraform", &PartReader::ReadTerraform},
      {"language", &PartReader::ReadTerraform},
  }};
  const auto* reader = std::ranges::find(kReaders, std::string_view(each.block.type),
                                         &std::pair<std::string_view, ReadBlock>::first);
  if (reader != kReaders.end()) {
    (this->*reader->second)(each);
  } else {
    Warn(each.place(),
         fmt::format("blocks \"{}\" are not known, and not shown", Printable(each.block.type, 40)));
  }
}

ModulePart PartReader::Read(const Configuration& configuration) {
  for (const PlacedBlock& each : configuration.blocks) Dispatch(each);
  CompleteRequirements();
  std::ranges::sort(part_.locals);
  part_.files = configuration.files;
  part_.unread.assign(configuration.unread.begin(), configuration.unread.end());
  const std::set<std::string>& undecided = configuration.undecided.found();
  part_.undecided.assign(undecided.begin(), undecided.end());
  part_.undecided_beyond = configuration.undecided.beyond();
  part_.header = configuration.header;
  part_.provider_functions = configuration.provider_functions;
  return std::move(part_);
}

void PartReader::CheckType(const PlacedBlock& each, const std::string& text) {
  if (text.empty()) return;
  auto type = hcl::ParseType(text);
  if (type) return;
  // Where the type begins; its own lines count from there.
  const Place place{each.file, each.block.body.FindAttribute("type")->range.line};
  std::string_view why = type.error().message;
  if (why.starts_with("line 1: ")) why.remove_prefix(std::string_view("line 1: ").size());
  Warn(place, fmt::format("the type of \"{}\" cannot be read: {}",
                          Printable(each.block.labels.front(), 80), why));
}

void PartReader::ReadVariable(const PlacedBlock& each) {
  if (!HasLabels(each, 1)) return;
  const hcl::Body& body = each.block.body;
  Input input{.name = each.block.labels.front(),
              .description = DescriptionOf(each.block),
              .type = ExpressionOf(body, "type")};
  if (!IsNew("variable " + input.name, each.place())) return;
  if (const hcl::Value* value = body.FindAttribute("default")) {
    input.required = false;
    input.default_text = SourceOf(*value);
    if (value->source.size() <= kMaxExpression) {
      input.default_json = hcl::LiteralJson(*value).value_or("");
    }
  }
  input.sensitive = FlagOf(body, "sensitive", false);
  input.nullable = FlagOf(body, "nullable", true);
  input.ephemeral = FlagOf(body, "ephemeral", false);
  input.constant = FlagOf(body, "const", false);
  input.deprecated = DeprecationOf(body);
  input.validations = ConditionsOf(body, "validation");
  input.hidden = IsIgnored(each.block);
  input.place = each.place();
  CheckType(each, input.type);
  part_.inputs.push_back(std::move(input));
}

void PartReader::ReadOutput(const PlacedBlock& each) {
  if (!HasLabels(each, 1)) return;
  const hcl::Body& body = each.block.body;
  Output output{.name = each.block.labels.front(),
                .description = DescriptionOf(each.block),
                .type = ExpressionOf(body, "type")};
  if (!IsNew("output " + output.name, each.place())) return;
  if (const hcl::Value* value = body.FindAttribute("value")) {
    output.value =
        value->kind == hcl::Value::Kind::kTemplate ? ExpressionOf(*value) : SourceOf(*value);
    output.references = ReferencesOf(*value);
  }
  output.sensitive = FlagOf(body, "sensitive", false);
  output.ephemeral = FlagOf(body, "ephemeral", false);
  output.deprecated = DeprecationOf(body);
  output.preconditions = ConditionsOf(body, "precondition");
  output.hidden = IsIgnored(each.block);
  output.place = each.place();
  CheckType(each, output.type);
  part_.outputs.push_back(std::move(output));
}

void PartReader::ReadResource(const PlacedBlock& each) {
  if (!HasLabels(each, 2)) return;
  const hcl::Body& body = each.block.body;
  Resource resource{.mode = each.block.type == "resource" ? "managed" : each.block.type,
                    .type = each.block.labels[0],
                    .name = each.block.labels[1],
                    .provider = ExpressionOf(body, "provider"),
                    .repetition = RepetitionOf(body)};
  if (!IsNew(resource.Address(), each.place())) return;
  if (resource.provider.empty()) {
    resource.provider = resource.type.substr(0, resource.type.find('_'));
  }
  for (const hcl::Block& inner : body.blocks) {
    if (inner.type != "lifecycle") continue;
    resource.prevent_destroy = ExpressionOf(inner.body, "prevent_destroy");
    resource.create_before_destroy = ExpressionOf(inner.body, "create_before_destroy");
  }
  resource.hidden = IsIgnored(each.block);
  resource.place = each.place();
  used_.emplace(resource.provider.substr(0, resource.provider.find_first_of(".[")), resource.place);
  part_.resources.push_back(std::move(resource));
}

void PartReader::ReadRefactoring(const PlacedBlock& each) {
  const hcl::Body& body = each.block.body;
  Refactoring out{.kind = each.block.type,
                  .from = ExpressionOf(body, "from"),
                  .to = ExpressionOf(body, "to"),
                  .id = ExpressionOf(body, "id"),
                  .place = each.place()};
  for (const hcl::Block& inner : body.blocks) {
    if (inner.type == "lifecycle") out.destroys = FlagOf(inner.body, "destroy", true);
  }
  part_.refactorings.push_back(std::move(out));
}

void PartReader::ReadCheck(const PlacedBlock& each) {
  if (!HasLabels(each, 1)) return;
  if (!IsNew("check " + each.block.labels.front(), each.place())) return;
  part_.checks.push_back(
      {each.block.labels.front(), ConditionsOf(each.block.body, "assert"), each.place()});
  for (const hcl::Block& inner : each.block.body.blocks) {
    if (inner.type == "data") ReadResource({inner, each.file});
  }
}

void PartReader::ReadLocals(const PlacedBlock& each) {
  for (const hcl::Member& member : each.block.body.attributes) {
    Place place{each.file, member.range.line};
    if (IsNew("local " + member.name, place)) part_.locals.push_back(member.name);
  }
}

}  // namespace koya::inspect
