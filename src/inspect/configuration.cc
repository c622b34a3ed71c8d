#include "inspect/configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "hcl/json_syntax.h"
#include "hcl/references.h"
#include "inspect/block_shapes.h"
#include "inspect/file_names.h"
#include "inspect/overrides.h"

namespace koya::inspect {
namespace {

constexpr std::size_t kMaxOverrides = 1'000;

struct ConfigFile {
  std::string path;
  ConfigName name;
  const FileContent* content = nullptr;
};

// The configuration files right in `folder`, sorted by name, without those that a .tofu file stands
// for.
std::vector<ConfigFile> FilesOf(const FileSet& files, std::string_view folder) {
  std::string prefix = folder.empty() ? std::string() : std::string(folder) + "/";
  std::vector<ConfigFile> found;
  std::set<std::pair<std::string, bool>> tofu;
  for (auto at = files.lower_bound(prefix); at != files.end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    if (FolderOf(at->first) != folder) continue;
    std::optional<ConfigName> name = ParseConfigName(NameOf(at->first));
    if (!name) continue;
    if (name->tofu) tofu.insert({name->stem, name->json});
    found.push_back({at->first, *std::move(name), &at->second});
  }
  std::erase_if(found, [&](const ConfigFile& each) {
    return !each.name.tofu && tofu.contains({each.name.stem, each.name.json});
  });
  return found;
}

void NoteFunctions(const std::string& text, bool json, std::set<std::string>& functions) {
  if (text.find("provider::") == std::string::npos) return;
  // In JSON the templates stand in strings, whose escapes change no name of a function.
  hcl::Mentions mentions = json ? hcl::FindTemplateMentions(text) : hcl::FindMentions(text);
  functions.insert(mentions.functions.begin(), mentions.functions.end());
}

class FolderReader {
 public:
  FolderReader(ReadBudget& budget, WarningList& warnings) : budget_(budget), warnings_(warnings) {}

  Configuration Run(const std::vector<ConfigFile>& files) {
    for (const ConfigFile& each : files) ReadOne(each);
    ApplyOverrides();
    out_.provider_functions.assign(functions_.begin(), functions_.end());
    return std::move(out_);
  }

 private:
  void ReadOne(const ConfigFile& file) {
    if (!file.content->whole() || file.content->size > hcl::kMaxText) {
      warnings_.push_back(
          {fmt::format("it has {} bytes and was not read", file.content->size), {file.path, 0}});
      Forgo(file);
      return;
    }
    const std::string& text = *file.content->text;
    hcl::Parsed parsed = ParseConfigFile(file.path, text, file.name.json, budget_, warnings_);
    out_.files.push_back(file.path);
    if (!parsed.problems.empty()) Forgo(file);
    NoteFunctions(text, file.name.json, functions_);
    if (file.name.stem == "main" && out_.header.empty()) out_.header = std::move(parsed.header);
    for (const hcl::Member& each : parsed.body.attributes) {
      warnings_.push_back({fmt::format("\"{}\" stands outside of any block", each.name),
                           {file.path, each.range.line}});
    }
    auto& blocks = file.name.override_file ? overrides_ : out_.blocks;
    for (hcl::Block& each : parsed.body.blocks) blocks.push_back({std::move(each), file.path});
  }

  void Forgo(const ConfigFile& file) {
    out_.unread.insert(file.path);
    if (file.content->text) out_.undecided.Add(*file.content->text, file.name.json);
  }

  // Each is looked for among all blocks: their number is bounded.
  void ApplyOverrides() {
    std::size_t left = kMaxOverrides;
    for (PlacedBlock& each : overrides_) {
      std::size_t parts = 1 + each.block.body.attributes.size() + each.block.body.blocks.size();
      if (parts > left) {
        warnings_.push_back(
            {"the rest of the override files was left out: there is too much", each.place()});
        out_.unread.insert(each.file);
        return;
      }
      left -= parts;
      ApplyOverride(std::move(each), out_.blocks, warnings_);
    }
  }

  ReadBudget& budget_;
  WarningList& warnings_;
  Configuration out_;
  std::vector<PlacedBlock> overrides_;
  std::set<std::string> functions_;
};

}  // namespace

hcl::Parsed ParseConfigFile(const std::string& path, const std::string& text, bool json,
                            ReadBudget& budget, WarningList& warnings) {
  hcl::Parsed parsed;
  if (text.size() > budget.bytes || budget.parts == 0) {
    const std::string what = "it was not read: there is too much configuration";
    warnings.push_back({what, {path, 0}});
    parsed.problems.push_back({.range = {}, .what = what});
    return parsed;
  }
  budget.bytes -= text.size();
  hcl::ParseLimits limits{.parts = budget.parts};
  bool test = ParseTestName(NameOf(path)).has_value();
  parsed = json ? hcl::ParseJsonPartly(text, test ? kTestShape : kConfigShape, limits)
                : hcl::ParsePartly(text, limits);
  budget.parts -= std::min(budget.parts, parsed.parts);
  for (hcl::Problem& each : parsed.problems) {
    warnings.push_back(
        {fmt::format("column {}: {}", each.range.column, each.what), {path, each.range.line}});
  }
  return parsed;
}

Configuration ReadFolder(const FileSet& files, std::string_view folder, ReadBudget& budget,
                         WarningList& warnings) {
  return FolderReader(budget, warnings).Run(FilesOf(files, folder));
}

}  // namespace koya::inspect
