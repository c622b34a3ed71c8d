#include "blobs/memory/memory_blob_store.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/file_io.h"
#include "base/sha256.h"

namespace koya {
namespace {

// Owns a sealed anonymous file: it can no longer be written.
class MemoryBlob final : public Blob {
 public:
  MemoryBlob(UniqueFd fd, std::uint64_t size) : fd_(std::move(fd)), size_(size) {}

  std::uint64_t size() const override { return size_; }
  std::optional<int> file_descriptor() const override { return fd_.get(); }

  Task<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> into) override {
    ssize_t count = ::pread(fd_.get(), into.data(), into.size(), static_cast<off_t>(offset));
    if (count < 0) co_return Failure(ErrnoError("read an anonymous file", errno));
    co_return static_cast<std::size_t>(count);
  }

 private:
  const UniqueFd fd_;
  const std::uint64_t size_;
};

class MemoryBlobWriter final : public BlobWriter {
 public:
  MemoryBlobWriter(MemoryBlobStore& store, UniqueFd fd) : store_(store), fd_(std::move(fd)) {}

  Status Write(std::span<const std::byte> bytes) override {
    hasher_.Update(bytes);
    size_ += bytes.size();
    int failed = WriteAll(fd_.get(), bytes);
    return failed == 0 ? Status() : Failure(ErrnoError("write an anonymous file", failed));
  }

  std::uint64_t size() const override { return size_; }

  int staged_file() const override { return fd_.get(); }

  Result<BlobInfo> Finish() override {
    // Not F_SEAL_WRITE: that waits for readers, and fails when one of them was preempted.
    constexpr int kSeals = F_SEAL_FUTURE_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
    if (::fcntl(fd_.get(), F_ADD_SEALS, kSeals) != 0) {
      return Failure(ErrnoError("seal an anonymous file", errno));
    }
    info_ = BlobInfo{Digest(hasher_.Finish()), size_};
    return *info_;
  }

  Task<void> Commit() override {
    // The writer goes on owning its descriptor, so the blob gets one of its own.
    UniqueFd copy(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
    if (!info_ || !copy.valid()) {
      co_return Failure(ErrnoError("commit an anonymous file", info_ ? errno : EINVAL));
    }
    store_.AddBlob(*info_, std::make_shared<MemoryBlob>(std::move(copy), size_));
    co_return Status();
  }

 private:
  MemoryBlobStore& store_;
  UniqueFd fd_;
  Sha256Hasher hasher_;
  std::uint64_t size_ = 0;
  std::optional<BlobInfo> info_;
};

}  // namespace

Result<std::unique_ptr<BlobWriter>> MemoryBlobStore::Create() {
  UniqueFd fd(::memfd_create("koya-blob", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return Failure(ErrnoError("create an anonymous file", errno));
  return std::make_unique<MemoryBlobWriter>(*this, std::move(fd));
}

Task<void> MemoryBlobStore::CommitAll(std::vector<BlobWriter*> writers) {
  for (BlobWriter* writer : writers) CO_RETURN_IF_ERROR(co_await writer->Commit());
  co_return Status();
}

void MemoryBlobStore::AddBlob(const BlobInfo& info, std::shared_ptr<Blob> blob) {
  std::lock_guard lock(mutex_);
  auto [entry, added] = entries_.try_emplace(info.digest);
  if (added) entry->second.blob = std::move(blob);
  entry->second.committed_at = std::chrono::steady_clock::now();
}

void MemoryBlobStore::SetAge(const Digest& digest, std::chrono::seconds age) {
  std::lock_guard lock(mutex_);
  auto entry = entries_.find(digest);
  if (entry != entries_.end()) entry->second.committed_at = std::chrono::steady_clock::now() - age;
}

Task<std::shared_ptr<Blob>> MemoryBlobStore::Open(Digest digest) {
  std::shared_ptr<Blob> blob;
  {
    std::lock_guard lock(mutex_);
    if (auto entry = entries_.find(digest); entry != entries_.end()) blob = entry->second.blob;
  }
  if (!blob) {
    co_return FailNotFound("no bytes are stored under {}", digest.ToString());
  }
  co_return blob;
}

Task<bool> MemoryBlobStore::RemoveIfOlder(Digest digest, std::chrono::seconds older_than) {
  std::lock_guard lock(mutex_);
  auto entry = entries_.find(digest);
  auto limit = std::chrono::steady_clock::now() - older_than;
  if (entry == entries_.end() || entry->second.committed_at > limit) co_return false;
  entries_.erase(entry);
  co_return true;
}

Task<std::vector<Digest>> MemoryBlobStore::FindOlder(std::vector<Digest> digests,
                                                     std::chrono::seconds older_than) {
  std::lock_guard lock(mutex_);
  const auto limit = std::chrono::steady_clock::now() - older_than;
  std::erase_if(digests, [&](const Digest& digest) {
    auto entry = entries_.find(digest);
    return entry == entries_.end() || entry->second.committed_at > limit;
  });
  co_return digests;
}

Task<std::vector<BlobInfo>> MemoryBlobStore::List(std::optional<Digest> after, std::size_t limit) {
  std::vector<BlobInfo> page;
  std::lock_guard lock(mutex_);
  auto entry = after ? entries_.upper_bound(*after) : entries_.begin();
  for (; entry != entries_.end() && page.size() < limit; ++entry) {
    page.push_back({entry->first, entry->second.blob->size()});
  }
  co_return page;
}

}  // namespace koya
