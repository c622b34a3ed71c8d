// Inspects provider packages: can every client unpack and run this zip, and which hashes does it
// have?
//
// Everything here blocks and is meant for a worker pool. Functions keep no state: any thread.
// Input is hostile; see module_package.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/archive_limits.h"
#include "base/result.h"
#include "base/sha256.h"

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

// The "h1:" hash of a set of files (golang.org/x/mod/sumdb/dirhash, Hash1; wire facts §5).
// Collects names with the digests of their contents; the order of additions does not matter.
class DirHash {
 public:
  // REQUIRES: no line feed in `name` (ParseEntryName refuses it).
  void Add(std::string_view name, const Sha256Bytes& content);
  // "h1:<base64>". Takes O(n log n).
  std::string Finish() const;

 private:
  using File = std::pair<std::string, Sha256Bytes>;
  std::vector<File> files_;
};

}  // namespace koya
