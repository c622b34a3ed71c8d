#include "blobs/s3/object_name.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "base/hex.h"

namespace koya {

std::string ObjectPrefixOf(const Digest& digest) {
  const std::string hex = digest.hex();
  return "sha256/" + hex.substr(0, 2) + "/" + hex.substr(2) + "/";
}

Result<std::string> FreshObjectName(const Digest& digest) {
  std::array<std::byte, 16> random{};
  if (::getentropy(random.data(), random.size()) != 0) {
    return Failure(ErrnoError("read random bytes for an object's name", errno));
  }
  return ObjectPrefixOf(digest) + HexEncode(random);
}

}  // namespace koya
