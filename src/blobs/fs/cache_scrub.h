// Scrubs a cache: slowly rereads its entries one by one, and drops those whose bytes have changed.
// The next reader fetches them from the store again.
//
// Proceeds by digest, starts over at the end, and resumes after restarts roughly where it stopped:
// the file `scrubbed` in the cache's root has the last digest. Entries that are not in use are read
// from the disk, not from the page cache, and do not stay in it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/condition.h"
#include "base/file.h"
#include "base/offload.h"
#include "base/sha256.h"
#include "base/task.h"
#include "blobs/fs/fs_cache.h"

namespace koya {

// Result of one pass over the cache; the first pass starts where the last process stopped.
struct ScrubRound {
  std::uint64_t entries = 0;  // read to their end
  std::uint64_t bytes = 0;
  std::uint64_t bad = 0;  // damaged entries that were dropped
  std::chrono::milliseconds took{0};
};

class CacheScrub {
 public:
  // `cache` outlives this. Blocks shortly.
  CacheScrub(FsCache& cache, std::uint64_t bytes_per_second);
  ~CacheScrub();
  CacheScrub(const CacheScrub&) = delete;
  CacheScrub& operator=(const CacheScrub&) = delete;

  // Sets the callback for the end of each round, called on the thread of the step. REQUIRES: no
  // step has run.
  void OnRound(std::function<void(const ScrubRound&)> told) { on_round_ = std::move(told); }

  // Scrubs on `workers` until Stop(): one second's bytes at a time, and the whole cache at most
  // once a minute. Returns at once when the rate is 0. Call once. Any executor; the caller must
  // wait for its end before this is destroyed.
  Awaitable<void> Run(WorkerPool& workers);
  // Any thread. Run ends after the current chunk, 256 KiB at most.
  void Stop();

  // Reads up to `budget` bytes, each entry at most once, from where the last step ended. Returns
  // the number of bytes read. Blocks. One thread at a time; not while Run is active.
  std::uint64_t Step(std::uint64_t budget);

 private:
  struct Current {
    CacheIndex::Entry entry;  // before the file, which is closed first
    UniqueFd file;
    bool is_cold = false;  // not used recently
    std::uint64_t offset = 0;
    Sha256Hasher hasher;
  };
  // Opens the next entry. Returns false at the end of a round.
  bool Begin();
  // Reads a chunk of the open entry. Returns its size.
  std::uint64_t Read(std::uint64_t most);
  void End(bool is_whole);
  void SavePosition();
  void EndRound();

  FsCache& cache_;
  const std::uint64_t bytes_per_second_;
  const std::string position_file_;
  std::vector<std::byte> piece_;
  std::optional<Current> current_;
  std::optional<Digest> position_;  // the last one that was read
  ScrubRound round_;                // the one that runs
  std::chrono::steady_clock::time_point round_began_;
  std::function<void(const ScrubRound&)> on_round_;
  std::chrono::steady_clock::time_point saved_;
  std::stop_source stop_;
  Condition stopped_;
};

}  // namespace koya
