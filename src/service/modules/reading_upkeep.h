// Analyzes in the background the module versions that were never analyzed, or only by an older
// reader: those that an older program published, and mirrored ones. One server at a time does it
// (service/common/leases.h); several would do no harm.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "base/task.h"
#include "domain/module_record.h"
#include "service/common/job_runs.h"

namespace koya {
class ContentsCatalog;
class Logger;
}  // namespace koya

namespace koya::service {

class Leases;
struct ReadingProblem;
class AnalysisProgress;

class ReadingUpkeep {
 public:
  static constexpr const char* kLease = "readings";
  // Longest delay until a mirrored module is analyzed, unless others are queued before it.
  static constexpr std::chrono::minutes kBetweenLooks{2};
  // Delay while another server does the work, or while the store or the catalog is down.
  static constexpr std::chrono::seconds kPause{30};
  // Delay until a version that could not be read is retried, and reported again.
  static constexpr std::chrono::hours kBetweenTries{1};
  static constexpr std::size_t kMostPassedOver = 10'000;

  // All arguments must outlive this.
  // `runs`: where to record each pass, as kLease, and the number of versions left; null: nowhere.
  ReadingUpkeep(ContentsCatalog& catalog, AnalysisProgress& readings, Leases& leases, Logger& log,
                JobRuns* runs = nullptr)
      : catalog_(catalog), readings_(readings), leases_(leases), log_(log), runs_(runs) {}

  // Analyzes one version, if there is one left; returns the delay until the next call, so that the
  // work takes a tenth of the time: kBetweenLooks once nothing is left. Logs a failure. One
  // coroutine at a time.
  Awaitable<std::chrono::milliseconds> Work();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Outcome { kRead, kElsewhere, kDone };

  Task<Outcome> ReadNext();
  // The next version that is not skipped; nullopt at the end of the pass.
  Task<std::optional<UnreadModule>> FindNext();
  void PassOver(const UnreadModule::Place& place, const ReadingProblem& problem);
  Task<void> End();
  void NoteLeft();

  ContentsCatalog& catalog_;
  AnalysisProgress& readings_;
  Leases& leases_;
  Logger& log_;
  JobRuns* const runs_;
  std::deque<UnreadModule> queue_;
  std::optional<UnreadModule::Place> last_;  // of this pass
  std::uint64_t read_ = 0;                   // in this pass
  std::uint64_t unreadable_ = 0;             // in this pass
  RunTimer timer_;                           // of this pass
  std::set<std::pair<bool, std::int64_t>> passed_over_;
  Clock::time_point try_again_ = Clock::now() + kBetweenTries;
};

}  // namespace koya::service
