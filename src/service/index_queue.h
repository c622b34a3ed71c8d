// Versions that were just published, on their way into the search index: published first, found a
// moment later. So nobody who publishes waits for an index that takes longer than all the rest; and
// whoever searches waits that moment (WaitForThoseBefore), so that what this server said it
// published is found.
//
// What is lost on the way (a server that ends, a catalog that is away) is in the catalog and not in
// the index, and SearchUpkeep finds it there.
// Bounds: kMostWaiting versions wait; those beyond are left to SearchUpkeep. Threads: any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

#include "base/condition.h"
#include "base/task.h"
#include "domain/search_record.h"

namespace koya {
class Logger;
}

namespace koya::service {

class JobRuns;
class Reindexing;

class IndexQueue {
 public:
  static constexpr const char* kJob = "search-published";
  static constexpr std::size_t kMostWaiting = 10'000;
  // With more before it a search does not wait: somebody fills the registry, and is not at its end.
  static constexpr std::size_t kMostWaitedFor = 20;

  // To be called when the version is in the catalog.
  void Add(SearchSubject subject);
  // What to call after each Add, on its thread; until `wake` is taken back with an empty one. It
  // must not call this queue.
  void WakeWith(std::function<void()> wake);

  // Indexes what waits, one by one, until nothing does, or `stop` is set. A failure is told in the
  // log, and the version left to SearchUpkeep. One coroutine at a time. `runs`: where to note, as
  // kJob, that something was indexed; null: nowhere.
  Awaitable<void> Work(Reindexing& reindexing, Logger& log, const std::atomic<bool>& stop,
                       JobRuns* runs = nullptr);

  // Returns when all that was added before has been indexed, or has failed to; else at `deadline`.
  // At once when more than kMostWaitedFor are before it, or when nobody works (WakeWith).
  Awaitable<void> WaitForThoseBefore(std::chrono::steady_clock::time_point deadline);

  // How many versions wait now, but for the one that is being indexed.
  std::size_t waiting() const;

 private:
  std::optional<SearchSubject> Take();
  void NoteWorked();

  mutable Condition changed_;  // its mutex is for all that follows
  std::deque<SearchSubject> waiting_;
  std::uint64_t added_ = 0;
  std::uint64_t worked_ = 0;  // of these, in their order
  std::function<void()> wake_;
};

}  // namespace koya::service
