// What today's rules say of an archive that is kept already: it may have been taken under older
// ones. It stays, byte for byte; whoever looks after the server should know.
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

  // Sentences; none for an archive that would be taken today. What is not a file on this machine is
  // not looked into. Fails: as the store.
  Task<std::vector<std::string>> Module(Digest digest);
  // Of a mirrored module: what its registry offers need not be fit for publishing here.
  Task<std::vector<std::string>> ForeignModule(Digest digest);
  // `type` is the provider's ("demo").
  Task<std::vector<std::string>> ForeignPackage(Digest digest, std::string type);
  // Of a package that was published here, which has stricter rules. `h1`: what is told of it.
  Task<std::vector<std::string>> OwnPackage(Digest digest, std::string type,
                                            std::vector<std::string> h1);
};

}  // namespace koya::service
