// Sums of stored bytes, by purpose.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace koya {

struct StoredSum {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const StoredSum&, const StoredSum&) = default;
};

// Sums from the records. The same bytes count once for each record; the store holds them once.
struct StorageSums {
  StoredSum modules;            // archives of versions that are not withdrawn
  StoredSum provider_packages;  // of releases that are not withdrawn
  StoredSum provider_docs;      // zips of their docs and schemas
  StoredSum mirrored;           // archives of other registries that are here, each once
  StoredSum drafts;             // files of releases that are not published yet

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
