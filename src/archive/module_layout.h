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

// Collects names, then judges them. Memory is bounded by the caller's entry limit. One thread.
class ModuleLayout {
 public:
  void Add(const ArchiveEntry& entry);

  // No name twice, none that differs from another only in letter case, none that is a file and a
  // folder. Fails: kRefused. Takes O(n log n).
  Status CheckNames() const;

  // The folder that holds the module: "" for the root, else the single top folder. What only macOS
  // packers add beside it (IsMacNoise) does not count. Fails: kRefused when neither holds a
  // module file.
  Result<std::string> FindModule() const;

 private:
  std::vector<ArchiveEntry> entries_;
};

}  // namespace koya
