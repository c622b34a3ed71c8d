// Part of the catalog (catalog.h): which blobs records refer to.
#pragma once

#include <vector>

#include "base/task.h"

namespace koya {

class Digest;

class BlobReferences {
 public:
  virtual ~BlobReferences() = default;
  // Those of `digests` (1,000 at most) that nothing needs: no version is served from them that is
  // there or can be brought back (Withdrawal::kept_until), no draft holds them, and they are not
  // held of another registry. For garbage collection.
  virtual Task<std::vector<Digest>> FindUnreferenced(std::vector<Digest> digests) = 0;
  // Those of `digests` (1,000 at most) that nothing published here needs, drafts included. Other
  // registries' bytes may be among them.
  virtual Task<std::vector<Digest>> FindUnpublished(std::vector<Digest> digests) = 0;
};

}  // namespace koya
