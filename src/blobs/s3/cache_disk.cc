#include "blobs/s3/cache_disk.h"

#include <sys/stat.h>

#include <string>
#include <utility>
#include <vector>

namespace koya {
namespace {

// Whether one of these had to be made: parents first. Others may read none of them.
bool MakeAnew(const std::vector<std::string>& folders) {
  bool made = false;
  for (const std::string& folder : folders) made = ::mkdir(folder.c_str(), 0750) == 0 || made;
  return made;
}

}  // namespace

Result<std::unique_ptr<BlobWriter>> CacheDisk::Create() {
  Result<std::unique_ptr<BlobWriter>> writer = files_.Create();
  if (writer || !MakeAnew({layout_.root(), layout_.TempFolder()})) return writer;
  log_.Warn("the cache's folder was gone, and is made anew", {{"folder", layout_.root()}});
  return files_.Create();
}

Awaitable<std::shared_ptr<Blob>> CacheDisk::Find(Digest digest) {
  Result<std::shared_ptr<Blob>> found = co_await files_.Open(digest);
  if (found) co_return *std::move(found);
  if (found.error().kind != ErrorKind::kNotFound) {
    log_.Failure("a cached blob cannot be used, and is read from the store", found.error());
  }
  if (found.error().kind == ErrorKind::kCorrupt) co_await Drop(digest);
  co_return nullptr;
}

Awaitable<void> CacheDisk::Keep(BlobWriter& writer, BlobInfo info) {
  Status kept = co_await writer.Commit();
  if (!kept && MakeAnew({layout_.BlobsFolder(), layout_.FolderOf(info.digest)})) {
    kept = co_await writer.Commit();
  }
  if (kept) co_return;
  log_.Failure("a blob is not kept in the cache", kept.error(),
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
