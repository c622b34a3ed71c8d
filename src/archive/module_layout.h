// Checks all names of an archive together: do they conflict, and where is the module?
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "archive/entry_name.h"
#include "base/result.h"

namespace koya {

// True for names that clients take as configuration: *.tf, *.tofu, *.tf.json, *.tofu.json in the
// root folder. Clients ignore names that begin with ".", and so does this.
bool IsModuleFile(std::string_view name);

// The same for a file in any folder: a folder with "main.tf" is a module.
bool IsConfiguration(std::string_view name);

// The rules by which an archive is checked.
enum class ModuleRules {
  kPublished,
  kForeign,  // those of RepackForeignModule: see module_package.h
};

// Collects names, then checks them. Memory is bounded by the caller's entry limit. One thread.
class ModuleLayout {
 public:
  explicit ModuleLayout(ModuleRules rules = ModuleRules::kPublished) : rules_(rules) {}

  void Add(const ArchiveEntry& entry);

  // No duplicate name, no name that is both a file and a folder, and by the rules for publishing
  // none that differs from another only in letter case. Fails: kRefused. Takes O(n log n).
  Status CheckNames() const;

  // The folder that holds the module: "" for the root, else the single top folder: the one with a
  // module file in it, or, by the rules for publishing, with one in a folder below its "modules".
  // Entries that only macOS packers add (IsMacNoise) do not count. Fails: kRefused when it is
  // neither; the foreign rules return "" then, as long as there is configuration anywhere.
  Result<std::string> FindModule() const;

 private:
  Result<std::string> FindPublished() const;

  const ModuleRules rules_;
  std::vector<ArchiveEntry> entries_;
};

}  // namespace koya
