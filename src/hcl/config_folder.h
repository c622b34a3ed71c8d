// Collects the dependencies of a configuration on registries: providers from required_providers and
// from the types of its resources, modules from its module blocks. Reads it from disk, and blocks
// on it: the folder of a root module, and recursively the folders of the local modules that it
// calls.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/host_name.h"
#include "domain/version_constraint.h"
#include "hcl/hcl.h"
#include "hcl/source_address.h"

namespace koya::hcl {

struct ProviderNeed {
  ProviderSource source;
  VersionConstraint constraint;
  std::string place;  // "main.tf:3", the first place that needs it
};

struct ModuleNeed {
  ModuleSource source;
  VersionConstraint constraint;
  std::string place;
};

struct Requirements {
  std::vector<ProviderNeed> providers;  // each once, with all its constraints
  std::vector<ModuleNeed> modules;      // each pair of module and constraint once
  // Unreadable parts, "main.tf:3: …": they need a person's attention.
  std::vector<std::string> problems;
  // Dependencies that do not come from a registry, "main.tf:3: …".
  std::vector<std::string> notes;

  void Add(ProviderNeed need);
  void Add(ModuleNeed need);
};

// Scans one module's files one after the other. Pure.
class ModuleScan {
 public:
  // `default_host`: for addresses without a host. Both must outlive the scan.
  ModuleScan(const HostName& default_host, Requirements& out)
      : default_host_(default_host), out_(out) {}

  // `file`: its name, for places.
  void AddFile(const Body& body, const std::string& file);
  // Call it after the last file: adds the module's dependencies to the requirements.
  void Finish();

  struct LocalCall {
    std::string source;  // "./vpc"
    std::string place;
  };
  const std::vector<LocalCall>& local_calls() const { return local_calls_; }

 private:
  struct Entry {
    std::optional<std::string> source;
    std::vector<std::string> constraints;
    std::string place;
    bool broken = false;  // a problem was reported: nothing is derived from it
  };
  void Problem(const std::string& place, std::string_view what);
  void AddTerraformBlock(const Block& block, const std::string& file);
  Entry ReadEntry(const Member& member, const std::string& place);
  void AddResource(const Block& block, const std::string& file);
  void AddProviderBlock(const Block& block, const std::string& file);
  void AddModuleCall(const Block& block, const std::string& file);
  void Need(const std::string& name, const Entry& entry);

  const HostName& default_host_;
  Requirements& out_;
  std::map<std::string, Entry> required_;                      // by local name
  std::map<std::string, std::string> used_;                    // local name: the first place
  std::multimap<std::string, std::string> provider_versions_;  // local name: constraint
  std::vector<LocalCall> local_calls_;
};

// A file's text, up to kMaxText bytes. Fails: kInvalid, naming the file.
Result<std::string> ReadTextFile(const std::filesystem::path& path);

// Reads *.tf and *.tofu as OpenTofu does (x.tofu replaces x.tf). Files in JSON and override files
// are not read, and are reported as problems; so are unreadable parts of the others. Fails:
// kInvalid when `folder` is not a folder.
Result<Requirements> ReadConfiguration(const std::filesystem::path& folder,
                                       const HostName& default_host);

}  // namespace koya::hcl
