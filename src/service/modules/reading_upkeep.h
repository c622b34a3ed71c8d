// Analyzes the module versions that were never analyzed, or only by an older reader: one step after
// the other at an administrator's request, or in the background.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/task.h"
#include "domain/module_record.h"
#include "service/common/job_runs.h"

namespace koya {
class Catalog;
class ContentsCatalog;
class Logger;
struct UnreadModule;
}  // namespace koya

namespace koya::service {

class Leases;
struct ModuleArchive;
class ModuleMetadata;

// A version whose archive cannot be read.
struct ReadingProblem {
  std::string address;  // with the host for another registry: "registry.opentofu.org/acme/vpc/aws"
  std::string version;
  std::string problem;
};

struct ReadingStep {
  std::string next;  // where the next step begins; "" at the end
  std::uint64_t read = 0;
  std::uint64_t left = 0;  // unread after this step, including those that cannot be read
  std::vector<ReadingProblem> problems;
};

// Totals since the process started; `unread` is the last count.
struct ReadingTotals {
  std::atomic<std::uint64_t> unread = 0;
  std::atomic<std::uint64_t> read = 0;
  std::atomic<std::uint64_t> failed = 0;
};

// Analyzes the module versions on this server that were never analyzed, or only by an older reader,
// and stores the results; for versions that were published here also in the search index.
//
// One version at a time. Versions that are analyzed concurrently elsewhere are skipped; analyzing
// one twice does no harm. Threads: any.
class AnalysisProgress {
 public:
  // A step ends after the version with which it reaches either limit.
  static constexpr std::chrono::seconds kStepTime{1};
  static constexpr std::uint64_t kMostOfStep = 100;

  // All arguments must outlive this.
  AnalysisProgress(Catalog& catalog, ModuleMetadata& insides)
      : catalog_(catalog), insides_(insides) {}

  // `after`: "" for the first step, else `next` of the step before. Fails: kInvalid if `after` is
  // not the `next` of a step; as ReadOne.
  Task<ReadingStep> Step(std::string after);

  // Analyzes one version of ListUnread. Returns a problem if its archive can never be read. Fails:
  // as the store or the catalog when they are down or full: this is no statement about the version.
  Task<std::optional<ReadingProblem>> ReadOne(UnreadModule module);

  // Counts the unread versions and updates the totals.
  Task<std::uint64_t> Count();
  const ReadingTotals& totals() const { return totals_; }

 private:
  Task<ModuleArchive> FindArchive(UnreadModule module);

  Catalog& catalog_;
  ModuleMetadata& insides_;
  ReadingTotals totals_;
};

// Analyzes in the background the module versions that were never analyzed, or only by an older
// reader: those that an older program published, and mirrored ones. One server at a time does it
// (service/common/leases.h); several would do no harm.
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
