// What lies in a cache's folder, when each file was last used, and how much of the disk it all
// takes.
//
// Bytes count from the moment at which somebody is about to write them until the disk has them
// back: staged files, kept ones, and files without a name that are still open somewhere. This
// only counts, and chooses what goes; the files themselves are FsCache's matter. In memory, about
// 250 bytes a file. Threads: any.
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

#include "blobs/fs/fs_blob.h"
#include "domain/digest.h"

namespace koya {

// Where the bytes of a cache are.
struct CacheBytes {
  std::atomic<std::uint64_t> kept = 0;    // files with a name
  std::atomic<std::uint64_t> staged = 0;  // what is being written, or soon will be
  std::atomic<std::uint64_t> gone = 0;    // files without a name that somebody has open

  std::uint64_t total() const { return kept + staged + gone; }
};

// A file of the cache. Whoever has it open holds this, and lets go of it after closing the file:
// the last one of all gives the bytes back.
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
  FsBlob::Clock::time_point noted_;  // the last use that the file carries; the index's lock
  bool chosen_ = false;              // is about to go; the index's lock
};

// What a writer has taken of the disk. One thread at a time.
class CacheReservation {
 public:
  explicit CacheReservation(std::shared_ptr<CacheBytes> bytes) : bytes_(std::move(bytes)) {}
  ~CacheReservation() { Release(); }
  CacheReservation(const CacheReservation&) = delete;
  CacheReservation& operator=(const CacheReservation&) = delete;

  // Before the bytes are written.
  void Grow(std::uint64_t bytes) {
    taken_ += bytes;
    bytes_->staged += bytes;
  }
  // The disk has them back, or they are an entry's.
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

  // The file has its name. One of the same digest that was there is gone by that. What was staged
  // for it is its own from now on.
  Entry Add(const Digest& digest, std::uint64_t size, Time used,
            CacheReservation* staged = nullptr);
  // Its file has lost its name. Returns whether it was here.
  bool Remove(const Entry& entry);
  // Null: there is none.
  Entry Find(const Digest& digest) const;
  bool Has(const Entry& entry) const { return Find(entry->digest()) == entry; }
  // The first after `after` (nothing: of all) by digest; null at the end.
  Entry Next(const std::optional<Digest>& after) const;
  // Those whose digests begin with this byte.
  std::vector<Entry> InFolder(std::size_t folder) const;

  // What has to go for all to take 90 % of the bound at most, if it takes more than the bound; and
  // for `spare` bytes to be had in any case. The least recently used first, each handed out once:
  // the caller removes them all. What is still open gives nothing back yet: ask again afterwards.
  std::vector<Entry> Choose(std::uint64_t spare = 0);

  // The entries that were used `interval` or more after the use that is noted in their files; this
  // takes what it returns for noted.
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
  std::uint64_t chosen_ = 0;  // bytes of entries that are about to go
};

}  // namespace koya
