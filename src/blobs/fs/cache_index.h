// Index of a cache's folder: its files, when each was last used, and how much disk they take.
//
// Bytes count from just before they are written until the disk has them back: staged files, cached
// files, and unlinked files that are still open. The index only counts and chooses files to evict;
// FsCache handles the files themselves. Takes about 250 bytes of memory a file. Threads: any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "blobs/fs/open_files.h"
#include "domain/digest.h"

namespace koya {

// Bytes of a cache by state.
struct CacheBytes {
  std::atomic<std::uint64_t> kept = 0;    // files with a name
  std::atomic<std::uint64_t> staged = 0;  // being written, or about to be
  std::atomic<std::uint64_t> gone = 0;    // unlinked files that are still open

  std::uint64_t total() const { return kept + staged + gone; }
};

// A file of the cache. Every holder of the open file holds this, and releases it after closing the
// file: the last release returns the bytes.
class CacheEntry final : public FileUse {
 public:
  CacheEntry(const Digest& digest, std::uint64_t size, std::shared_ptr<CacheBytes> bytes)
      : digest_(digest), size_(size), bytes_(std::move(bytes)) {}
  ~CacheEntry() {
    if (gone) bytes_->gone -= size_;
  }
  CacheEntry(const CacheEntry&) = delete;
  CacheEntry& operator=(const CacheEntry&) = delete;

  const Digest& digest() const { return digest_; }
  std::uint64_t size() const { return size_; }

 private:
  friend class CacheIndex;
  const Digest digest_;
  const std::uint64_t size_;
  const std::shared_ptr<CacheBytes> bytes_;
  FsBlob::Clock::time_point noted_;  // last use noted in the file; under the index's lock
  bool chosen_ = false;              // to be evicted; under the index's lock
};

// Disk space reserved by a writer. One thread at a time.
class CacheReservation {
 public:
  explicit CacheReservation(std::shared_ptr<CacheBytes> bytes) : bytes_(std::move(bytes)) {}
  ~CacheReservation() { Release(); }
  CacheReservation(const CacheReservation&) = delete;
  CacheReservation& operator=(const CacheReservation&) = delete;

  // Called before the bytes are written.
  void Grow(std::uint64_t bytes) {
    taken_ += bytes;
    bytes_->staged += bytes;
  }
  // The disk has the bytes back, or an entry owns them.
  void Release() { bytes_->staged -= std::exchange(taken_, 0); }

 private:
  const std::shared_ptr<CacheBytes> bytes_;
  std::uint64_t taken_ = 0;
};

class CacheIndex {
 public:
  using Time = FsBlob::Clock::time_point;
  using Entry = std::shared_ptr<CacheEntry>;

  explicit CacheIndex(std::uint64_t bound) : bound_(bound) {}

  std::unique_ptr<CacheReservation> Reserve() const;

  // Adds a file that has its name. It replaces an entry of the same digest. The entry takes over
  // the bytes of `staged`.
  Entry Add(const Digest& digest, std::uint64_t size, Time used,
            CacheReservation* staged = nullptr);
  // Removes an entry whose file was unlinked. Returns whether it was in the index.
  bool Remove(const Entry& entry);
  // Null when there is none.
  Entry FindEntry(const Digest& digest) const;
  bool Has(const Entry& entry) const { return FindEntry(entry->digest()) == entry; }
  // The first entry after `after` (nullopt: the first of all) by digest; null at the end.
  Entry Next(const std::optional<Digest>& after) const;
  // Entries whose digests begin with this byte.
  std::vector<Entry> InFolder(std::size_t folder) const;

  // Chooses entries to evict: down to 90 % of the bound when the total exceeds it, and `spare`
  // bytes in any case. Least recently used first, each returned once: the caller removes them all.
  // Files that are still open free nothing yet: call again afterwards.
  std::vector<Entry> Choose(std::uint64_t spare = 0);

  // The entries that were used `interval` or more after the use noted in their files; the returned
  // uses count as noted from now on.
  std::vector<std::pair<Entry, Time>> TakeUnnoted(std::chrono::seconds interval);

  std::uint64_t bound() const { return bound_; }
  const CacheBytes& bytes() const { return *bytes_; }
  std::size_t count() const;

 private:
  Entry Retire(Entry entry);  // REQUIRES: the lock is held

  const std::uint64_t bound_;
  const std::shared_ptr<CacheBytes> bytes_ = std::make_shared<CacheBytes>();
  mutable std::mutex mutex_;
  std::map<Digest, Entry> entries_;
  std::uint64_t chosen_ = 0;  // bytes of entries to be evicted
};

}  // namespace koya
