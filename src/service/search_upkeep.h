// What is published, or kept of another registry, and not in the search index gets into it, in the
// background: versions that a program of before published, and what was let go and is back. One
// server at a time does it (service/leases.h); several would do no harm.
#pragma once

#include <chrono>
#include <deque>
#include <optional>

#include "base/task.h"
#include "domain/search_record.h"
#include "service/job_runs.h"

namespace koya {
class Logger;
class SearchIndex;
}  // namespace koya

namespace koya::service {

class Leases;
class Reindexing;

class SearchUpkeep {
 public:
  static constexpr const char* kLease = "search";
  static constexpr std::chrono::minutes kBetweenLooks{15};

  // Everything given must outlive this.
  // `runs`: where to note each look, as kLease, and how many are known to be left; null: nowhere.
  SearchUpkeep(SearchIndex& catalog, Reindexing& reindexing, Leases& leases, Logger& log,
               JobRuns* runs = nullptr)
      : catalog_(catalog), reindexing_(reindexing), leases_(leases), log_(log), runs_(runs) {}

  // Indexes one version, if one is not; returns how long to rest before the next call, so that a
  // tenth of the time is spent. A failure is told in the log. One coroutine at a time.
  Awaitable<std::chrono::milliseconds> Work();

 private:
  // False: there is nothing to do.
  Task<bool> IndexNext();
  Task<void> FillQueue();
  Task<std::vector<SearchSubject>> ListMissing();
  Task<void> IndexOne(const SearchSubject& subject);
  Task<void> End();

  SearchIndex& catalog_;
  Reindexing& reindexing_;
  Leases& leases_;
  Logger& log_;
  JobRuns* const runs_;
  std::deque<SearchSubject> queue_;
  // Of this look: what it has come to. What fails is not met again before the next one.
  enum class Looking { kModules, kProviders, kMirrored };
  Looking looking_ = Looking::kModules;
  std::optional<SearchSubject> last_;
  std::uint64_t indexed_ = 0;      // in this look
  std::optional<RunTimer> timer_;  // of this look, if one is under way
};

}  // namespace koya::service
