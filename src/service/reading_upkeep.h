// What nobody has read yet, or only a worse reader has, is read in the background: versions that an
// older program published, and modules that were mirrored. One server at a time does it
// (service/leases.h); several would do no harm.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "base/task.h"
#include "domain/contents_record.h"
#include "service/job_runs.h"

namespace koya {
class ContentsCatalog;
class Logger;
}  // namespace koya

namespace koya::service {

class Leases;
struct ReadingProblem;
class Readings;

class ReadingUpkeep {
 public:
  static constexpr const char* kLease = "readings";
  // What was mirrored is read so much later at most, unless others are read before it.
  static constexpr std::chrono::minutes kBetweenLooks{2};
  // While another server reads, or the store or the catalog is away.
  static constexpr std::chrono::seconds kPause{30};
  // What could not be read is tried again, and told again, so much later.
  static constexpr std::chrono::hours kBetweenTries{1};
  static constexpr std::size_t kMostPassedOver = 10'000;

  // Everything given must outlive this.
  // `runs`: where to note each look, as kLease, and how many are left; null: nowhere.
  ReadingUpkeep(ContentsCatalog& catalog, Readings& readings, Leases& leases, Logger& log,
                JobRuns* runs = nullptr)
      : catalog_(catalog), readings_(readings), leases_(leases), log_(log), runs_(runs) {}

  // Reads one version, if one is unread; returns how long to rest before the next call, so that a
  // tenth of the time is spent: kBetweenLooks once nothing is left. A failure is told in the log.
  // One coroutine at a time.
  Awaitable<std::chrono::milliseconds> Work();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Outcome { kRead, kElsewhere, kDone };

  Task<Outcome> ReadNext();
  // The next one that is not passed over; nothing when the look is at its end.
  Task<std::optional<UnreadModule>> FindNext();
  void PassOver(const UnreadModule::Place& place, const ReadingProblem& problem);
  Task<void> End();
  void NoteLeft();

  ContentsCatalog& catalog_;
  Readings& readings_;
  Leases& leases_;
  Logger& log_;
  JobRuns* const runs_;
  std::deque<UnreadModule> queue_;
  std::optional<UnreadModule::Place> last_;  // of this look
  std::uint64_t read_ = 0;                   // in this look
  std::uint64_t unreadable_ = 0;             // the same
  RunTimer timer_;                           // of this look
  std::set<std::pair<bool, std::int64_t>> passed_over_;
  Clock::time_point try_again_ = Clock::now() + kBetweenTries;
};

}  // namespace koya::service
