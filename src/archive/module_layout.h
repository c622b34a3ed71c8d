// The names of a whole archive: do they fit together, and where does the module lie?
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_entry.h"
#include "base/result.h"

namespace koya {

// True for the names clients take as configuration: *.tf, *.tofu, *.tf.json, *.tofu.json in the
// root folder. Names that begin with "." are ignored by clients, and here.
bool IsModuleFile(std::string_view name);

// The same for a file in any folder: where "m/main.tf" lies, a module does.
bool IsConfiguration(std::string_view name);

// Whose rules an archive is judged by.
enum class ModuleRules {
  kPublished,
  kForeign,  // what RepackForeignModule takes along: see module_package.h
};

// Collects names, then judges them. Memory is bounded by the caller's entry limit. One thread.
class ModuleLayout {
 public:
  explicit ModuleLayout(ModuleRules rules = ModuleRules::kPublished) : rules_(rules) {}

  void Add(const ArchiveEntry& entry);

  // No name twice, none that is a file and a folder, and by the rules for publishing none that
  // differs from another only in letter case. Fails: kRefused. Takes O(n log n).
  Status CheckNames() const;

  // The folder that holds the module: "" for the root, else the single top folder: where a module
  // file lies, or, by the rules for publishing, one in a folder below its "modules". What only
  // macOS packers add beside it (IsMacNoise) does not count. Fails: kRefused when it is neither; by
  // the foreign rules it is "" then, as long as there is configuration anywhere.
  Result<std::string> FindModule() const;

 private:
  Result<std::string> FindPublished() const;

  const ModuleRules rules_;
  std::vector<ArchiveEntry> entries_;
};

}  // namespace koya
