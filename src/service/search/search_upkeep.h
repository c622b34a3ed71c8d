// Indexes in the background published and mirrored versions that the search index lacks: those that
// an older program published, and mirrored ones that were evicted and are back. One server at a
// time does it (service/common/leases.h); several would do no harm.
#pragma once

#include <chrono>
#include <deque>
#include <optional>

#include "base/task.h"
#include "domain/search_record.h"
#include "service/common/job_runs.h"

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

  // All arguments must outlive this.
  // `runs`: where to record each pass, as kLease, and how many versions are known to be left; null:
  // nowhere.
  SearchUpkeep(SearchIndex& catalog, Reindexing& reindexing, Leases& leases, Logger& log,
               JobRuns* runs = nullptr)
      : catalog_(catalog), reindexing_(reindexing), leases_(leases), log_(log), runs_(runs) {}

  // Indexes one version, if one is missing; returns the delay until the next call, so that the work
  // takes a tenth of the time. Logs a failure. One coroutine at a time.
  Awaitable<std::chrono::milliseconds> Work();

 private:
  // False: nothing is left to do.
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
  // State of this pass. A version that fails is not retried before the next pass.
  enum class Looking { kModules, kProviders, kMirrored };
  Looking looking_ = Looking::kModules;
  std::optional<SearchSubject> last_;
  std::uint64_t indexed_ = 0;      // in this pass
  std::optional<RunTimer> timer_;  // of this pass, if one is running
};

}  // namespace koya::service
