// Reads the entries of a cache again, slowly, one after the other, and takes out those whose bytes
// have changed: the next reader gets them from the store they came from.
//
// Goes by digest, begins anew at the end, and goes on across restarts roughly where it was: the
// last digest stands in `scrubbed` in the cache's root. What nobody uses is read from the disk, not
// from memory, and does not stay in memory.
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

// What was read between two ends of the cache; the first one begins where the last process was.
struct ScrubRound {
  std::uint64_t entries = 0;  // read to their end
  std::uint64_t bytes = 0;
  std::uint64_t bad = 0;  // of the entries: taken out
  std::chrono::milliseconds took{0};
};

class CacheScrub {
 public:
  // `cache` outlives this. Blocks shortly.
  CacheScrub(FsCache& cache, std::uint64_t bytes_per_second);
  ~CacheScrub();
  CacheScrub(const CacheScrub&) = delete;
  CacheScrub& operator=(const CacheScrub&) = delete;

  // What to call at the end of each round, on the thread of the step. Before the first step.
  void OnRound(std::function<void(const ScrubRound&)> told) { on_round_ = std::move(told); }

  // Scrubs on `workers`, a second's bytes at a time and not everything more than once a minute,
  // until Stop(); at once over at a rate of 0. Once. Any executor; whoever spawns it waits for its
  // end before this goes.
  Awaitable<void> Run(WorkerPool& workers);
  // From any thread. Run ends after the piece that it reads, 256 KiB at most.
  void Stop();

  // Reads up to `budget` bytes, and each entry once at most, from where the last step ended.
  // Returns how many were read. Blocks. One thread at a time; not beside Run.
  std::uint64_t Step(std::uint64_t budget);

 private:
  struct Current {
    CacheIndex::Entry entry;  // before the file, which is closed first
    UniqueFd file;
    bool is_cold = false;  // nobody uses it
    std::uint64_t offset = 0;
    Sha256Hasher hasher;
  };
  // Opens the next entry. Returns false at the end of a whole round.
  bool Begin();
  // Reads a piece of what is open. Returns how much.
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
