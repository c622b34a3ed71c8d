// The "h1:" hash of a set of files (golang.org/x/mod/sumdb/dirhash, Hash1; wire facts §5).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sha256.h"

namespace koya {

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
