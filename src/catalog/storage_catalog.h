// Which blobs the catalog refers to, and how many bytes they have.
#pragma once

#include <vector>

#include "base/task.h"

namespace koya::sql {
class Executor;
}  // namespace koya::sql

namespace koya {

class Digest;
struct StorageSums;

// BlobReferences finds blobs without references.
class BlobReferences {
 public:
  virtual ~BlobReferences() = default;
  // Those of `digests` (at most 1,000) that nothing needs: no version that exists or can be
  // restored (Withdrawal::kept_until) is served from them, no draft holds them, and they are not
  // held of another registry. For garbage collection.
  virtual Task<std::vector<Digest>> FindUnreferenced(std::vector<Digest> digests) = 0;
  // Those of `digests` (at most 1,000) that nothing published here needs, drafts included. Other
  // registries' bytes may be among them.
  virtual Task<std::vector<Digest>> FindUnpublished(std::vector<Digest> digests) = 0;
};

// StorageCatalog reports how many bytes the catalog refers to, and of what.
class StorageCatalog {
 public:
  explicit StorageCatalog(sql::Executor& transactions) : transactions_(transactions) {}

  // Computed at each call, which takes a moment on a large registry.
  Task<StorageSums> SumStorage();

 private:
  sql::Executor& transactions_;
};

}  // namespace koya
