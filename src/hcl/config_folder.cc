#include "hcl/config_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"

namespace koya::hcl {
namespace {

std::string PlaceOf(const std::string& file, std::size_t line) {
  return fmt::format("{}:{}", file, line);
}

// "aws" of the reference "aws.east".
std::string LocalName(std::string_view reference) {
  return std::string(reference.substr(0, reference.find_first_of(". \t")));
}

namespace fs = std::filesystem;

constexpr std::size_t kMaxFolders = 10'000;

// How a file of a module's folder is taken.
enum class FileKind { kRead, kJson, kOverride, kNone };

FileKind KindOf(const std::string& name) {
  // Other editors' copies ("x.tf~", "#x.tf#") have none of the endings; "#x.tf" is read by clients.
  if (name.starts_with('.')) return FileKind::kNone;
  if (name.ends_with(".tf.json") || name.ends_with(".tofu.json")) return FileKind::kJson;
  if (!name.ends_with(".tf") && !name.ends_with(".tofu")) return FileKind::kNone;
  std::string stem = name.substr(0, name.rfind('.'));
  return stem == "override" || stem.ends_with("_override") ? FileKind::kOverride : FileKind::kRead;
}

class Reader {
 public:
  Reader(fs::path root, const HostName& default_host)
      : root_(std::move(root)), default_host_(default_host) {}

  Requirements Run() {
    Enqueue(root_, {});
    while (!waiting_.empty()) {
      fs::path folder = std::move(waiting_.front());
      waiting_.pop_front();
      ReadModule(folder);
    }
    return std::move(out_);
  }

 private:
  // As people see it from where they stand: below the root, relative to it.
  std::string Shown(const fs::path& path) const {
    fs::path relative = path.lexically_relative(root_);
    return Printable(relative.empty() ? path.string() : relative.string(), 400);
  }
  void Problem(std::string_view place, std::string_view what) {
    out_.problems.push_back(fmt::format("{}: {}", place, what));
  }

  // Each folder once, by whatever way it was reached.
  void Enqueue(const fs::path& folder, std::string_view place) {
    std::error_code error;
    fs::path real = fs::canonical(folder, error);
    if (error || !fs::is_directory(real, error)) {
      Problem(place, fmt::format("there is no folder {}", Printable(folder.string(), 400)));
    } else if (seen_.size() >= kMaxFolders) {
      Problem(place, fmt::format("more than {} folders are not read", kMaxFolders));
    } else if (seen_.insert(real).second) {
      waiting_.push_back(folder.lexically_normal());
    }
  }

  std::vector<std::string> FilesOf(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      std::string name = at->path().filename().string();
      if (KindOf(name) != FileKind::kNone) names.push_back(std::move(name));
    }
    if (error) Problem(Shown(folder), error.message());
    std::ranges::sort(names);
    return names;
  }

  void ReadModule(const fs::path& folder) {
    ModuleScan scan(default_host_, out_);
    std::vector<std::string> names = FilesOf(folder);
    for (const std::string& name : names) {
      std::string shown = Shown(folder / name);
      FileKind kind = KindOf(name);
      bool hidden = name.ends_with(".tf") &&
                    std::ranges::count(names, name.substr(0, name.size() - 2) + "tofu") > 0;
      if (kind == FileKind::kJson) {
        Problem(shown, "configurations in JSON are not read: name their requirements by ADDRESS");
      } else if (kind == FileKind::kOverride) {
        Problem(shown, "override files are not read: name their requirements by ADDRESS");
      } else if (!hidden) {
        ReadFile(folder / name, shown, scan);
      }
    }
    scan.Finish();
    for (const ModuleScan::LocalCall& call : scan.local_calls()) {
      Enqueue(folder / call.source.substr(0, call.source.find("//")), call.place);
    }
  }

  void ReadFile(const fs::path& path, const std::string& shown, ModuleScan& scan) {
    Result<std::string> text = ReadTextFile(path);
    if (!text) {
      Problem(shown, text.error().message);
      return;
    }
    Result<Body> body = Parse(*text);
    if (body) {
      scan.AddFile(*body, shown);
    } else {
      Problem(shown, body.error().message);
    }
  }

  fs::path root_;
  const HostName& default_host_;
  Requirements out_;
  std::set<fs::path> seen_;
  std::deque<fs::path> waiting_;
};

}  // namespace

void Requirements::Add(ProviderNeed need) {
  auto known = std::ranges::find(providers, need.source.ToString(),
                                 [](const ProviderNeed& each) { return each.source.ToString(); });
  if (known == providers.end()) {
    providers.push_back(std::move(need));
  } else if (known->constraint.text() != need.constraint.text()) {
    known->constraint.And(need.constraint);
  }
}

void Requirements::Add(ModuleNeed need) {
  auto same = [&](const ModuleNeed& each) {
    return each.source.ToString() == need.source.ToString() &&
           each.constraint.text() == need.constraint.text();
  };
  if (std::ranges::none_of(modules, same)) modules.push_back(std::move(need));
}

void ModuleScan::Problem(const std::string& place, std::string_view what) {
  out_.problems.push_back(fmt::format("{}: {}", place, what));
}

void ModuleScan::AddFile(const Body& body, const std::string& file) {
  constexpr std::array<std::string_view, 4> kUsers{"resource", "data", "ephemeral", "action"};
  for (const Block& block : body.blocks) {
    if (block.type == "terraform") {
      AddTerraformBlock(block, file);
    } else if (block.type == "provider") {
      AddProviderBlock(block, file);
    } else if (block.type == "module") {
      AddModuleCall(block, file);
    } else if (std::ranges::count(kUsers, block.type) > 0) {
      AddResource(block, file);
    } else if (block.type == "check") {
      for (const Block& inner : block.body.blocks) {
        if (inner.type == "data") AddResource(inner, file);
      }
    }
  }
}

void ModuleScan::AddTerraformBlock(const Block& block, const std::string& file) {
  for (const Block& inner : block.body.blocks) {
    if (inner.type != "required_providers") continue;
    for (const Member& member : inner.body.attributes) {
      std::string place = PlaceOf(file, member.range.line);
      Entry entry = ReadEntry(member, place);
      auto [known, added] = required_.emplace(member.name, std::move(entry));
      if (!added) {
        Problem(place, fmt::format("the provider \"{}\" is required at {} already",
                                   Printable(member.name, 80), known->second.place));
      }
    }
  }
}

// { source = "…", version = "…" }, or only the version, as older configurations have it.
ModuleScan::Entry ModuleScan::ReadEntry(const Member& member, const std::string& place) {
  Entry entry{.source = {}, .constraints = {}, .place = place};
  if (member.value.kind == Value::Kind::kText) {
    entry.constraints.push_back(member.value.text);
    return entry;
  }
  entry.broken = member.value.kind != Value::Kind::kObject;
  for (const Member& each : member.value.members) {
    if (each.name != "source" && each.name != "version") continue;
    if (each.value.kind != Value::Kind::kText) {
      entry.broken = true;
    } else if (each.name == "source") {
      entry.source = each.value.text;
    } else {
      entry.constraints.push_back(each.value.text);
    }
  }
  if (entry.broken) {
    Problem(place, fmt::format("the required provider \"{}\" is not a literal: an expression",
                               Printable(member.name, 80)));
  }
  return entry;
}

// Its provider: what "provider" names, else the type's first word.
void ModuleScan::AddResource(const Block& block, const std::string& file) {
  if (block.labels.empty()) return;
  std::string name = block.labels.front().substr(0, block.labels.front().find('_'));
  if (const Value* provider = block.body.FindAttribute("provider"))
    name = LocalName(provider->text);
  used_.emplace(std::move(name), PlaceOf(file, block.range.line));
}

void ModuleScan::AddProviderBlock(const Block& block, const std::string& file) {
  if (block.labels.empty()) return;
  std::string place = PlaceOf(file, block.range.line);
  used_.emplace(block.labels.front(), place);
  const Value* version = block.body.FindAttribute("version");
  if (version == nullptr) return;
  if (version->kind == Value::Kind::kText) {
    provider_versions_.emplace(block.labels.front(), version->text);
  } else {
    Problem(place, "the provider's version is not written out: an expression");
  }
}

void ModuleScan::AddModuleCall(const Block& block, const std::string& file) {
  std::string place = PlaceOf(file, block.range.line);
  const Value* source = block.body.FindAttribute("source");
  if (source == nullptr || source->kind != Value::Kind::kText) {
    Problem(place, "the module's source is not written out");
    return;
  }
  if (IsLocalModule(source->text)) {
    local_calls_.push_back({source->text, std::move(place)});
    return;
  }
  std::optional<ModuleSource> address = ParseModuleSource(source->text, default_host_);
  if (!address) {
    out_.notes.push_back(
        fmt::format("{}: the module \"{}\" is in no registry: clients fetch it "
                    "from where it is",
                    place, Printable(source->text)));
    return;
  }
  const Value* version = block.body.FindAttribute("version");
  if (version != nullptr && version->kind != Value::Kind::kText) {
    Problem(place, "the module's version is not written out: an expression");
    return;
  }
  Result<VersionConstraint> constraint = VersionConstraint::Parse(
      version != nullptr ? std::string_view(version->text) : "", ConstraintStyle::kModule);
  if (!constraint) {
    Problem(place, constraint.error().message);
    return;
  }
  out_.Add(ModuleNeed{*std::move(address), *std::move(constraint), std::move(place)});
}

void ModuleScan::Need(const std::string& name, const Entry& entry) {
  Result<std::optional<ProviderSource>> source =
      ParseProviderSource(entry.source.value_or(name), default_host_);
  if (!source) {
    Problem(entry.place, source.error().message);
    return;
  }
  if (!*source) return;
  ProviderNeed need{.source = **std::move(source), .constraint = {}, .place = entry.place};
  for (const std::string& text : entry.constraints) {
    Result<VersionConstraint> constraint = VersionConstraint::Parse(text);
    if (!constraint) {
      Problem(entry.place, constraint.error().message);
      return;
    }
    need.constraint.And(*constraint);
  }
  out_.Add(std::move(need));
}

void ModuleScan::Finish() {
  for (const auto& [name, place] : used_) {
    // "terraform" is built into the clients unless the module requires another by that name.
    if (name != "terraform") required_.emplace(name, Entry{{}, {}, place});
  }
  for (const auto& [name, text] : provider_versions_) {
    if (auto found = required_.find(name); found != required_.end()) {
      found->second.constraints.push_back(text);
    }
  }
  for (const auto& [name, entry] : required_) {
    if (!entry.broken) Need(name, entry);
  }
}

Result<std::string> ReadTextFile(const fs::path& path) {
  std::error_code error;
  std::ifstream file(path, std::ios::binary);
  if (!file || fs::is_directory(path, error)) {
    return FailInvalid("cannot read {}", Printable(path.string(), 400));
  }
  std::string text(kMaxText + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxText) {
    return FailInvalid("{} has more than {} bytes", Printable(path.string(), 400), kMaxText);
  }
  return text;
}

Result<Requirements> ReadConfiguration(const fs::path& folder, const HostName& default_host) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return FailInvalid("{} is not a folder", Printable(folder.string(), 400));
  }
  return Reader(folder.lexically_normal(), default_host).Run();
}

}  // namespace koya::hcl
