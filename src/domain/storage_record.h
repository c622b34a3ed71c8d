// Objects of a remote store, and sums of stored bytes.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "domain/digest.h"

namespace koya {

// An object of a remote store that holds, or will hold, the bytes of a blob.
struct BlobObject {
  // Below the store's prefix: "sha256/ab/<62 hex digits>/<random>". Never used twice.
  std::string name;
  Digest digest;
  std::uint64_t size = 0;
  bool lost = false;  // the store no longer had it, or it was altered (BlobLedger::FindStored)
  friend bool operator==(const BlobObject&, const BlobObject&) = default;
};

// A number of stored things, and the sum of their bytes.
struct StoredSum {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const StoredSum&, const StoredSum&) = default;
};

// Sums from the records. The same bytes count once for each record; the store holds them once.
struct StorageSums {
  StoredSum modules;               // archives of versions that are not withdrawn
  StoredSum provider_packages;     // of releases that are not withdrawn
  StoredSum provider_docs;         // zips of their docs and schemas
  StoredSum attachments;           // of versions that are not withdrawn
  StoredSum mirrored;              // archives of other registries that are here, each once
  StoredSum mirrored_attachments;  // of their releases, each once
  StoredSum drafts;                // files of releases that are not published yet

  // Objects of a remote store, by state; none for a folder.
  struct Objects {
    StoredSum arriving;  // unfinished uploads
    StoredSum stored;
    StoredSum lost;                     // the store no longer had them, or they were altered
    StoredSum leaving;                  // unused: removed after a while
    UnixSeconds oldest_leaving_at = 0;  // when the first of them became unused; 0: there is none
    friend bool operator==(const Objects&, const Objects&) = default;
  } objects;
  friend bool operator==(const StorageSums&, const StorageSums&) = default;
};

}  // namespace koya
