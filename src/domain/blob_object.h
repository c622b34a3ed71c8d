// An object of a remote store that holds, or will hold, the bytes of a blob.
#pragma once

#include <cstdint>
#include <string>

#include "domain/digest.h"

namespace koya {

struct BlobObject {
  // Below the store's prefix: "sha256/ab/<62 hex digits>/<random>". Never used twice.
  std::string name;
  Digest digest;
  std::uint64_t size = 0;
  bool lost = false;  // the store no longer had it, or it was altered (BlobLedger::FindStored)
  friend bool operator==(const BlobObject&, const BlobObject&) = default;
};

}  // namespace koya
