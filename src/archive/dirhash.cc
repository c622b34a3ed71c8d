#include "archive/dirhash.h"

#include <algorithm>

#include "base/base64.h"
#include "base/hex.h"

namespace koya {
void DirHash::Add(std::string_view name, const Sha256Bytes& content) {
  files_.emplace_back(name, content);
}

std::string DirHash::Finish() const {
  std::vector<const File*> sorted;
  sorted.reserve(files_.size());
  for (const File& file : files_) sorted.push_back(&file);
  // std::string compares as unsigned bytes, as Go's sort.Strings does.
  std::ranges::sort(sorted, [](const File* a, const File* b) { return *a < *b; });
  Sha256Hasher hasher;
  for (const File* file : sorted) {
    hasher.Update(HexEncode(file->second));
    hasher.Update("  ");
    hasher.Update(file->first);
    hasher.Update("\n");
  }
  return "h1:" + Base64Encode(hasher.Finish());
}

}  // namespace koya
