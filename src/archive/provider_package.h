// Inspects provider packages: can every client unpack and run this zip, and which hashes does it
// have?
//
// Everything here blocks and is meant for a worker pool. Functions keep no state: any thread.
// Input is hostile; see module_package.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_limits.h"
#include "base/result.h"

namespace koya {

struct ProviderPackageInspection {
  std::string binary;  // "terraform-provider-demo_v1.0.0": the file at the root that clients run
  // "h1:…" as clients compute it (golang.org/x/mod/sumdb/dirhash): over the zip's entries
  // (HashZip); then, only when it differs, over the unpacked folder (HashDir). They differ when the
  // zip has entries for directories.
  std::vector<std::string> h1;
  std::uint64_t entries = 0;
  std::uint64_t unpacked_bytes = 0;
  // Faults that a publisher must fix, as whole sentences: directory entries (and how to build
  // without them), no binary at the root, several binaries, duplicate names or names that differ
  // only in letter case. Mirrors accept third-party packages that have them.
  std::vector<std::string> problems;
};

// Reads the zip in `descriptor` (from offset 0, `size` bytes; the file offset is not used) to its
// end, once. `type` is the provider's ("demo"). Fails: kRefused for packages that no client could
// unpack or that are dangerous to unpack (not a zip, damaged, encrypted, links, traversal, bombs),
// naming the entry, the rule and the remedy; kInternal when the file cannot be read.
Result<ProviderPackageInspection> InspectProviderPackage(int descriptor, std::uint64_t size,
                                                         std::string_view type,
                                                         const ArchiveLimits& limits);

}  // namespace koya
