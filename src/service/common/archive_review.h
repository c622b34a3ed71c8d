// Checks stored archives against today's rules: an archive may have been accepted under older ones.
// It stays, byte for byte; the result is a warning for administrators.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_limits.h"
#include "base/task.h"

namespace koya {
class BlobStore;
class Digest;
class WorkerPool;
}  // namespace koya

namespace koya::service {

struct ArchiveReview {
  BlobStore& blobs;
  WorkerPool& workers;
  ArchiveLimits module;
  ArchiveLimits zip;

  // Returns sentences; empty for an archive that would be accepted today. Skips blobs that are not
  // files on this machine. Fails: as the store.
  Task<std::vector<std::string>> Module(Digest digest);
  // Reviews a mirrored module, which need not be fit for publishing here.
  Task<std::vector<std::string>> ForeignModule(Digest digest);
  // `type` is the provider's ("demo").
  Task<std::vector<std::string>> ForeignPackage(Digest digest, std::string type);
  // Reviews a package that was published here, under stricter rules. `h1`: its recorded h1 hashes.
  Task<std::vector<std::string>> OwnPackage(Digest digest, std::string type,
                                            std::vector<std::string> h1);
};

}  // namespace koya::service
