// Layout of a file-system blob store:
//
//   <root>/                 0750
//     sha256/               committed blobs, never written to again
//       ab/                 the first two hex digits of the digest
//         cdef…             the other 62; 0640; mtime = when it was last committed;
//                           attribute user.koya.size = the size that was committed
//     tmp/                  blobs being written
//       <random>            locked (flock) by its writer; an unlocked one is a leftover
//       leaving-<64>-<random>  a blob that is being removed (blob_removal.h)
//
// docs/storage-layout.md shows the same tree to operators.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "domain/digest.h"

namespace koya {

class BlobLayout {
 public:
  static constexpr std::size_t kFolders = 256;
  static constexpr const char* kSizeAttribute = "user.koya.size";
  static constexpr std::string_view kLeaving = "leaving-";

  explicit BlobLayout(std::string root) : root_(std::move(root)) {}

  const std::string& root() const { return root_; }
  std::string TempFolder() const { return root_ + "/tmp"; }
  std::string BlobsFolder() const { return root_ + "/sha256"; }
  std::string FolderOf(const Digest& digest) const {
    return BlobsFolder() + "/" + digest.hex().substr(0, 2);
  }
  std::string PathOf(const Digest& digest) const {
    return FolderOf(digest) + "/" + digest.hex().substr(2);
  }
  // A new path on each call: two removers of one blob never mistake each other's file for their
  // own.
  std::string LeavingPathOf(const Digest& digest) const {
    return TempFolder() + "/" + std::string(kLeaving) + digest.hex() + "-" + RandomName();
  }
  // 32 hex digits.
  static std::string RandomName();
  // Index of the folder among the 256; locks are per folder.
  static std::size_t FolderIndex(const Digest& digest) {
    return static_cast<std::size_t>(digest.bytes()[0]);
  }

 private:
  std::string root_;
};

}  // namespace koya
