#include "blobs/s3/cache_disk.h"

#include <utility>

namespace koya {

Awaitable<std::shared_ptr<Blob>> CacheDisk::OpenCached(Digest digest) {
  Result<std::shared_ptr<Blob>> found = co_await files_.Open(digest);
  if (found) co_return *std::move(found);
  if (found.error().kind != ErrorKind::kNotFound) {
    log_.Failure("a cached blob cannot be used; reading it from the store", found.error());
  }
  if (found.error().kind == ErrorKind::kCorrupt) co_await Drop(digest);
  co_return nullptr;
}

Awaitable<void> CacheDisk::StoreBlob(BlobWriter& writer, BlobInfo info) {
  Status kept = co_await writer.Commit();
  if (kept) co_return;
  log_.Failure("a blob is not cached", kept.error(),
               {{"digest", info.digest.ToString()}, {"bytes", info.size}});
}

Awaitable<void> CacheDisk::Drop(Digest digest) {
  Result<bool> dropped = co_await files_.RemoveIfOlder(digest, std::chrono::seconds(0));
  if (!dropped) {
    log_.Failure("a blob cannot be removed from the cache", dropped.error(),
                 {{"digest", digest.ToString()}});
  }
}

}  // namespace koya
