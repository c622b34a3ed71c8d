#include "inspect/configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "hcl/json_syntax.h"
#include "hcl/references.h"
#include "inspect/file_names.h"

namespace koya::inspect {
namespace {

// More equal ones than these, in folders of their own, are one line.
constexpr std::size_t kMostEqual = 3;

// Sorted by place: the first stands for all that say the same in many folders.
void JoinEqual(std::vector<Warning>& warnings) {
  struct Said {
    std::set<std::string_view> folders;
    std::size_t count = 0;
  };
  std::map<std::string_view, Said> said;
  for (const Warning& each : warnings) {
    Said& all = said[each.what];
    all.folders.insert(FolderOf(each.place.file));
    ++all.count;
  }
  std::map<std::string, std::size_t> joined;  // how many more there are
  for (const auto& [what, all] : said) {
    if (all.folders.size() > kMostEqual) joined.emplace(what, all.count - 1);
  }
  std::set<std::string> seen;
  std::erase_if(warnings, [&](Warning& each) {
    const auto known = joined.find(each.what);
    if (known == joined.end()) return false;
    if (!seen.insert(each.what).second) return true;
    each.what += fmt::format(" (and at {} more places)", known->second);
    return false;
  });
}

}  // namespace

void WarningList::MoveTo(ModuleContents& out) {
  std::ranges::sort(kept_, [](const Warning& a, const Warning& b) {
    return std::tie(a.place.file, a.place.line, a.what) <
           std::tie(b.place.file, b.place.line, b.what);
  });
  JoinEqual(kept_);
  std::size_t shown = std::min(kept_.size(), kMaxWarnings);
  out.warnings_left_out = left_out_ + (kept_.size() - shown);
  kept_.resize(shown);
  for (Warning& each : kept_) each.what = Printable(each.what, 600);
  out.warnings = std::move(kept_);
}

namespace {

// The block types of configurations, for their JSON syntax. Source: the clients' documentation of
// the language.
using hcl::BlockShape;
using hcl::BodyShape;

template <std::size_t N>
constexpr BodyShape Of(const std::array<BlockShape, N>& blocks) {
  return {blocks.data(), N};
}

constexpr std::array<BlockShape, 1> kStateStore{{{"provider", 1}}};
constexpr std::array<BlockShape, 7> kTerraform{{{"required_providers", 0},
                                                {"state_store", 1, Of(kStateStore)},
                                                {"compatible_with", 0},
                                                {"backend", 1},
                                                {"cloud", 0},
                                                {"provider_meta", 1},
                                                {"encryption", 0}}};
constexpr std::array<BlockShape, 1> kVariable{{{"validation", 0, {}, true}}};
constexpr std::array<BlockShape, 1> kOutput{{{"precondition", 0, {}, true}}};
constexpr std::array<BlockShape, 3> kLifecycle{
    {{"precondition", 0, {}, true}, {"postcondition", 0, {}, true}, {"action_trigger", 0}}};
constexpr std::array<BlockShape, 3> kResource{
    {{"lifecycle", 0, Of(kLifecycle)}, {"connection", 0, {}, true}, {"provisioner", 1, {}, true}}};
constexpr std::array<BlockShape, 1> kRemoved{{{"lifecycle", 0}}};
constexpr std::array<BlockShape, 2> kCheck{
    {{"data", 2, Of(kResource), true}, {"assert", 0, {}, true}}};
constexpr std::array<BlockShape, 1> kRun0{{{"assert", 0, {}, true}}};
constexpr std::array<BlockShape, 4> kTest{
    {{"run", 1, Of(kRun0)}, {"provider", 1}, {"mock_provider", 1}, {"variables", 0}}};

constexpr std::array<BlockShape, 15> kConfig{{{"terraform", 0, Of(kTerraform)},
                                              {"language", 0, Of(kTerraform)},
                                              {"variable", 1, Of(kVariable)},
                                              {"output", 1, Of(kOutput), true},
                                              {"resource", 2, Of(kResource), true},
                                              {"data", 2, Of(kResource), true},
                                              {"ephemeral", 2, Of(kResource), true},
                                              {"action", 2},
                                              {"module", 1},
                                              {"provider", 1},
                                              {"locals", 0, {}, true},
                                              {"moved", 0},
                                              {"removed", 0, Of(kRemoved)},
                                              {"import", 0},
                                              {"check", 1, Of(kCheck)}}};

constexpr BodyShape kConfigShape = Of(kConfig);
constexpr BodyShape kTestShape = Of(kTest);

using hcl::Block;
using hcl::Body;
using hcl::Member;

void SetAttribute(Member member, Body& body) {
  auto known = std::ranges::find(body.attributes, member.name, &Member::name);
  if (known == body.attributes.end()) {
    body.attributes.push_back(std::move(member));
  } else {
    known->value = std::move(member.value);
  }
}

Block* FindInner(Body& body, std::string_view type) {
  auto known = std::ranges::find(body.blocks, type, &Block::type);
  return known == body.blocks.end() ? nullptr : &*known;
}

void MergeBody(Body change, Body& body) {
  for (Member& each : change.attributes) SetAttribute(std::move(each), body);
  // Where the state is kept is said once: each way to say it stands for the others.
  const std::set<std::string> kState{"backend", "cloud", "state_store"};
  std::set<std::string> replaced;
  for (const Block& each : change.blocks) {
    if (each.type == "required_providers") continue;
    replaced.insert(each.type);
    if (kState.contains(each.type)) replaced.insert(kState.begin(), kState.end());
  }
  std::erase_if(body.blocks, [&](const Block& each) { return replaced.contains(each.type); });
  for (Block& each : change.blocks) {
    Block* known = each.type == "required_providers" ? FindInner(body, each.type) : nullptr;
    if (known == nullptr) {
      body.blocks.push_back(std::move(each));
    } else {
      for (Member& member : each.body.attributes) SetAttribute(std::move(member), known->body);
    }
  }
}

// The alias identifies a provider block.
std::string AliasOf(const Block& block) {
  const hcl::Value* alias = block.type == "provider" ? block.body.FindAttribute("alias") : nullptr;
  return alias == nullptr ? std::string() : alias->text;
}

bool SameThing(const Block& a, const Block& b) {
  return a.type == b.type && a.labels == b.labels && AliasOf(a) == AliasOf(b);
}

// Each local is changed where it stands.
void OverrideLocals(PlacedBlock change, std::vector<PlacedBlock>& blocks) {
  for (Member& member : change.block.body.attributes) {
    auto has = [&](PlacedBlock& each) {
      return each.block.type == "locals" && each.block.body.FindAttribute(member.name) != nullptr;
    };
    auto known = std::ranges::find_if(blocks, has);
    if (known != blocks.end()) SetAttribute(std::move(member), known->block.body);
  }
}

// Attributes of `change` replace those of the same name, nested blocks replace all nested blocks of
// their type; required_providers are replaced one by one, as locals are. A block that matches no
// other becomes a warning. Source: the clients' documentation of override files.
void ApplyOverride(PlacedBlock change, std::vector<PlacedBlock>& blocks, WarningList& warnings) {
  if (change.block.type == "locals") return OverrideLocals(std::move(change), blocks);
  auto known = std::ranges::find_if(
      blocks, [&](const PlacedBlock& each) { return SameThing(each.block, change.block); });
  if (known != blocks.end()) {
    MergeBody(std::move(change.block.body), known->block.body);
    return;
  }
  // These need not be there already.
  bool free = change.block.type == "terraform" || change.block.type == "language" ||
              change.block.type == "provider";
  if (free) {
    blocks.push_back(std::move(change));
    return;
  }
  std::string name = change.block.type;
  for (const std::string& label : change.block.labels) name += fmt::format(" \"{}\"", label);
  warnings.push_back(
      {fmt::format("there is no {} that this file could override", Printable(name, 120)),
       change.place()});
}

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
