#include "inspect/reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "hcl/lock_file.h"
#include "inspect/configuration.h"
#include "inspect/contents.h"
#include "inspect/documents.h"
#include "inspect/file_names.h"
#include "inspect/part_reader.h"

namespace koya::inspect {
namespace {

// Walks along the calls, without recursion: a chain may be as long as there are folders.
class CallWalk {
 public:
  explicit CallWalk(const std::map<std::string, const ModulePart*>& parts) : parts_(parts) {}

  std::vector<Warning> Run() {
    for (const auto& [path, part] : parts_) {
      if (state_[path] == State::kNew) From(part);
    }
    return std::move(warnings_);
  }

 private:
  enum class State { kNew, kOpen, kDone };
  struct Step {
    const ModulePart* part;
    std::size_t next = 0;
  };

  void From(const ModulePart* first) {
    Enter(first);
    while (!way_.empty()) {
      Step& step = way_.back();
      if (step.next == step.part->calls.size()) {
        state_[step.part->path] = State::kDone;
        way_.pop_back();
      } else {
        Follow(*step.part, step.part->calls[step.next++]);
      }
    }
  }

  void Enter(const ModulePart* part) {
    state_[part->path] = State::kOpen;
    way_.push_back({part});
  }

  void Follow(const ModulePart& caller, const ModuleCall& call) {
    // Calls outside the archive were reported before; they have the address of the root, too.
    if (call.kind != "local" || !JoinFolders(caller.path, call.source)) return;
    auto found = parts_.find(call.address);
    if (found == parts_.end()) return TellMissing(call);
    State state = state_[call.address];
    if (state == State::kNew) Enter(found->second);
    if (state == State::kOpen) TellCircle(call);
  }

  void TellMissing(const ModuleCall& call) {
    warnings_.push_back({fmt::format("the module \"{}\" calls \"{}\", where no configuration lies",
                                     Printable(call.name, 80), Printable(call.source, 120)),
                         call.place});
  }

  void TellCircle(const ModuleCall& call) {
    auto begin = std::ranges::find_if(
        way_, [&](const Step& each) { return each.part->path == call.address; });
    std::vector<std::string> names;
    for (auto at = begin; at != way_.end() && names.size() < 10; ++at) {
      names.push_back(at->part->path.empty() ? "the root" : at->part->path);
    }
    names.push_back(call.address.empty() ? "the root" : call.address);
    warnings_.push_back(
        {fmt::format("modules call one another in a circle: {}", fmt::join(names, " → ")),
         call.place});
  }

  const std::map<std::string, const ModulePart*>& parts_;
  std::map<std::string, State> state_;
  std::vector<Step> way_;
  std::vector<Warning> warnings_;
};

// Checks calls of modules in the same archive: each must lead to a module, without cycles. `parts`:
// every folder with configuration that was read.
std::vector<Warning> CheckLocalCalls(const std::vector<const ModulePart*>& parts) {
  std::map<std::string, const ModulePart*> by_path;
  for (const ModulePart* each : parts) by_path.emplace(each->path, each);
  return CallWalk(by_path).Run();
}

constexpr std::string_view kLockFile = ".terraform.lock.hcl";
constexpr std::size_t kMaxDocument = 2 << 20;
constexpr std::size_t kMaxLicenceFile = 256 << 10;
// For a configuration that is too large to parse: how much is scanned for possible declarations.
constexpr std::size_t kMaxScanned = 32 << 20;

// "modules/a/b" is a submodule when "modules" holds it and no "examples" or "tests" lies in
// between, which belong to the submodule; "modules" may. An example's modules are its own.
bool LiesIn(std::string_view folder, std::string_view top) {
  if (!folder.starts_with(top) || folder.substr(top.size(), 1) != "/") return false;
  std::string_view rest = folder.substr(top.size() + 1);
  while (!rest.empty()) {
    std::size_t slash = std::min(rest.find('/'), rest.size());
    std::string_view part = rest.substr(0, slash);
    if (part == "examples" || part == "tests") return false;
    if (part == "modules" && top != "modules") return false;
    rest.remove_prefix(std::min(slash + 1, rest.size()));
  }
  return true;
}

class ModuleReader {
 public:
  ModuleReader(const FileSet& files, const ReadOptions& options)
      : files_(files), options_(options), budget_(options.budget) {}

  ModuleContents Run() {
    ListFiles();
    out_.root = ReadPart("", true);
    ReadParts(options_.submodules, out_.submodules);
    ReadParts(options_.examples, out_.examples);
    ReadCalled();
    ReadTests();
    ReadLockFile();
    ReadDocuments();
    AddWarnings(CheckLocalCalls(AllParts()));
    warnings_.MoveTo(out_);
    return std::move(out_);
  }

 private:
  void Warn(Place place, std::string what) {
    warnings_.push_back({std::move(what), std::move(place)});
  }
  void AddWarnings(std::vector<Warning> more) {
    for (Warning& each : more) warnings_.push_back(std::move(each));
  }

  void ListFiles() {
    for (const auto& [path, content] : files_) {
      ++out_.file_count;
      out_.bytes += content.size;
      if (out_.files.size() < kMaxListedFiles) out_.files.push_back({path, content.size});
      bool config = ParseConfigName(NameOf(path)) && !IsHidden(path);
      if (config) folders_.insert(std::string(FolderOf(path)));
      auto rank = ReadmeRank(NameOf(path));
      if (!rank) continue;
      auto [known, added] = readmes_.try_emplace(std::string(FolderOf(path)), *rank, path);
      if (!added) known->second = std::min(known->second, {*rank, path});
    }
  }

  // `is_called`: callers of the module use it.
  ModulePart ReadPart(const std::string& folder, bool is_called) {
    Configuration configuration = ReadFolder(files_, folder, budget_, warnings_);
    PartReader reader(folder, options_.default_host, warnings_);
    ModulePart part = reader.Read(configuration);
    if (is_called) WarnOfProviders(reader.configured());
    if (auto readme = readmes_.find(folder); readme != readmes_.end()) {
      const std::string& path = readme->second.second;
      const FileContent& content = files_.find(path)->second;
      if (content.text) part.readme = ReadReadme(path, *content.text);
      if (part.readme.cut || content.size > kMaxDocument) {
        part.readme.cut = true;
        Warn({path, 0}, fmt::format("it has {} bytes: only the beginning is shown", content.size));
      }
    }
    return part;
  }

  void ReadParts(const std::string& top, std::vector<ModulePart>& out) {
    for (auto at = folders_.lower_bound(top + "/"); at != folders_.end(); ++at) {
      if (!at->starts_with(top + "/")) break;
      if (!LiesIn(*at, top)) continue;
      if (out.size() == options_.parts) {
        Warn({*at, 0}, fmt::format("up to {} folders below \"{}\" are read", options_.parts, top));
        out_.folders_left_out = true;
        break;
      }
      out.push_back(ReadPart(*at, top == options_.submodules));
    }
  }

  // Folders elsewhere that are called: read for what they call in turn.
  void ReadCalled() {
    std::set<std::string> known;
    std::vector<const ModulePart*> to_do = AllParts();
    for (const ModulePart* each : to_do) known.insert(each->path);
    for (std::size_t i = 0; i < to_do.size() && called_.size() < options_.parts; ++i) {
      for (const ModuleCall& call : to_do[i]->calls) {
        bool more = call.kind == "local" && folders_.contains(call.address) &&
                    called_.size() < options_.parts && known.insert(call.address).second;
        if (!more) continue;
        auto part = std::make_unique<ModulePart>(ReadPart(call.address, false));
        to_do.push_back(part.get());
        called_.push_back(std::move(part));
      }
    }
  }

  std::vector<const ModulePart*> AllParts() const {
    std::vector<const ModulePart*> all{&out_.root};
    for (const ModulePart& each : out_.submodules) all.push_back(&each);
    for (const ModulePart& each : out_.examples) all.push_back(&each);
    for (const auto& each : called_) all.push_back(each.get());
    return all;
  }

  void ReadTests();
  void ReadTest(const std::string& path, const FileContent& content, bool json);
  void ReadLockFile();
  void ReadDocuments();
  void WarnOfProviders(const std::vector<ProviderConfig>& configured);

  const FileSet& files_;
  const ReadOptions& options_;
  ReadBudget budget_;
  ModuleContents out_;
  WarningList warnings_;
  std::set<std::string> folders_;                               // with configuration
  std::map<std::string, std::pair<int, std::string>> readmes_;  // by folder: the best one
  std::vector<std::unique_ptr<ModulePart>> called_;
};

// In the root and in "tests", as clients look for them.
void ModuleReader::ReadTests() {
  std::set<std::string> tofu;
  for (const auto& [path, content] : files_) {
    auto name = ParseTestName(NameOf(path));
    if (name && name->tofu) tofu.insert(std::string(FolderOf(path)) + "/" + name->stem);
  }
  for (const auto& [path, content] : files_) {
    auto name = ParseTestName(NameOf(path));
    std::string_view folder = FolderOf(path);
    if (!name || (!folder.empty() && folder != "tests")) continue;
    bool hidden = !name->tofu && tofu.contains(std::string(folder) + "/" + name->stem);
    if (!hidden) ReadTest(path, content, name->json);
  }
}

void ModuleReader::ReadTest(const std::string& path, const FileContent& content, bool json) {
  TestFile test{.path = path, .runs = {}, .mocks = {}};
  if (content.whole()) {
    hcl::Parsed parsed = ParseConfigFile(path, *content.text, json, budget_, warnings_);
    for (const hcl::Block& block : parsed.body.blocks) {
      if (block.labels.empty()) continue;
      if (block.type == "run") test.runs.push_back(block.labels.front());
      if (block.type == "mock_provider") test.mocks.push_back(block.labels.front());
    }
  }
  out_.tests.push_back(std::move(test));
}

void ModuleReader::ReadLockFile() {
  auto file = files_.find(kLockFile);
  if (file == files_.end() || !file->second.whole()) return;
  auto locked = hcl::ParseLockFile(*file->second.text);
  if (!locked) return Warn({std::string(kLockFile), 0}, locked.error().message);
  std::map<std::string, std::string> versions;
  for (const hcl::LockedProvider& each : *locked) {
    versions[each.source.ToString()] = each.version.ToString();
  }
  for (Requirement& each : out_.root.requirements) {
    auto version = versions.find(each.address);
    if (version != versions.end()) each.locked = version->second;
  }
}

// The best file at the root, by `rank`.
template <class Rank>
const FileSet::value_type* BestFile(const FileSet& files, Rank rank) {
  const FileSet::value_type* best = nullptr;
  int best_rank = 0;
  for (const FileSet::value_type& each : files) {
    if (!each.second.text || each.first.find('/') != std::string::npos) continue;
    std::optional<int> its = rank(each.first);
    if (!its || (best != nullptr && *its >= best_rank)) continue;
    best = &each;
    best_rank = *its;
  }
  return best;
}

void ModuleReader::ReadDocuments() {
  if (const auto* file = BestFile(files_, ChangelogRank)) {
    out_.changelog = {file->first, ChangelogSection(*file->second.text, options_.version)};
  }
  if (const auto* file = BestFile(files_, LicenceRank)) {
    out_.licence = GuessLicence(file->first, *file->second.text);
  }
}

void ModuleReader::WarnOfProviders(const std::vector<ProviderConfig>& configured) {
  for (const ProviderConfig& each : configured) {
    Warn(each.place, fmt::format("the provider \"{}\" is configured in a module: callers cannot "
                                 "use count, for_each or depends_on",
                                 Printable(each.name, 80)));
  }
}

}  // namespace

std::size_t WantedBytes(std::string_view path) {
  if (IsHidden(path)) return 0;
  std::string_view name = NameOf(path);
  if (ParseConfigName(name)) return kMaxScanned;
  if (ParseTestName(name) || path == kLockFile) return hcl::kMaxText;
  if (ReadmeRank(name)) return kMaxDocument;
  bool at_root = path.find('/') == path.npos;
  if (at_root && ChangelogRank(name)) return kMaxDocument;
  return at_root && LicenceRank(name) ? kMaxLicenceFile : 0;
}

ModuleContents ReadModule(const FileSet& files, const ReadOptions& options) {
  return ModuleReader(files, options).Run();
}

std::size_t FileCollector::Wanted(std::string_view path) const {
  return std::min(WantedBytes(path), room_);
}

void FileCollector::Add(std::string path, std::uint64_t size, std::string bytes) {
  if (files_.size() == kMaxFiles) return;
  FileContent content{.size = size};
  if (WantsFile(path)) {
    room_ -= std::min(room_, bytes.size());
    content.text = std::move(bytes);
  }
  files_.insert_or_assign(std::move(path), std::move(content));
}

}  // namespace koya::inspect
