#include "archive/dirhash.h"

#include <algorithm>

#include "base/hex.h"

namespace koya {
namespace {

// Standard base64 with padding, which is how dirhash writes its one digest.
std::string Base64(const Sha256Bytes& digest) {
  std::string out = Base64UrlEncode(digest);
  std::ranges::replace(out, '-', '+');
  std::ranges::replace(out, '_', '/');
  out.append((4 - out.size() % 4) % 4, '=');
  return out;
}

}  // namespace

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
  return "h1:" + Base64(hasher.Finish());
}

}  // namespace koya
