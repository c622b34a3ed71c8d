// How many bytes there are, and of what.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace koya {

struct StoredSum {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const StoredSum&, const StoredSum&) = default;
};

// As records say. The same bytes count once for each record; in the store they are there once.
struct StorageSums {
  StoredSum modules;            // archives of versions that are not withdrawn
  StoredSum provider_packages;  // of releases that are not withdrawn
  StoredSum provider_docs;      // zips of docs and schemas of those
  StoredSum mirrored;           // archives of other registries that are here, each once
  StoredSum drafts;             // files of releases that nobody has published yet

  // Objects of a remote store, by what is known of them; none of a folder.
  struct Objects {
    StoredSum arriving;  // uploads that have not ended
    StoredSum stored;
    StoredSum lost;                     // the store did not have them, or not as they were
    StoredSum leaving;                  // nothing needs them: they are removed after a while
    UnixSeconds oldest_leaving_at = 0;  // since when the first of them is; 0: there is none
    friend bool operator==(const Objects&, const Objects&) = default;
  } objects;
  friend bool operator==(const StorageSums&, const StorageSums&) = default;
};

inline constexpr std::int64_t kSecondsOfStorageDay = 86'400;

// How many bytes there were on a day, of what StorageSums counts.
struct StorageDay {
  std::int64_t day = 0;  // of UTC, since 1970
  std::uint64_t modules = 0;
  std::uint64_t provider_packages = 0;
  std::uint64_t provider_docs = 0;
  std::uint64_t mirrored = 0;
  std::uint64_t drafts = 0;

  static StorageDay Of(std::int64_t day, const StorageSums& sums) {
    return {.day = day,
            .modules = sums.modules.bytes,
            .provider_packages = sums.provider_packages.bytes,
            .provider_docs = sums.provider_docs.bytes,
            .mirrored = sums.mirrored.bytes,
            .drafts = sums.drafts.bytes};
  }
  std::uint64_t All() const {
    return modules + provider_packages + provider_docs + mirrored + drafts;
  }
  friend bool operator==(const StorageDay&, const StorageDay&) = default;
};

}  // namespace koya
