// Queue of newly published versions for the search index: a version is published first, and found a
// moment later. So a publish does not wait for the index, which takes longer than all the rest; a
// search waits for it (WaitForThoseBefore), so that it finds every version that this server has
// reported as published.
//
// Versions that get lost on the way (the server stops, the catalog is down) are in the catalog but
// not in the index; SearchUpkeep finds them there.
// Limits: kMostWaiting versions wait; those beyond are left to SearchUpkeep. Threads: any.
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
  // With more versions queued a search does not wait: this is a bulk import that is not finished.
  static constexpr std::size_t kMostWaitedFor = 20;

  // Call when the version is in the catalog.
  void Add(SearchSubject subject);
  // Sets the function to call after each Add, on its thread; an empty one removes it. It must not
  // call this queue.
  void WakeWith(std::function<void()> wake);

  // Indexes the queued versions one by one until the queue is empty or `stop` is set. Logs a
  // failure, and leaves the version to SearchUpkeep. One coroutine at a time. `runs`: where to
  // record, as kJob, that a version was indexed; null: nowhere.
  Awaitable<void> Work(Reindexing& reindexing, Logger& log, const std::atomic<bool>& stop,
                       JobRuns* runs = nullptr);

  // Returns when every version added before this call has been indexed, or has failed; at
  // `deadline` at the latest. Returns at once if more than kMostWaitedFor are queued, or if there
  // is no worker (WakeWith).
  Awaitable<void> WaitForThoseBefore(std::chrono::steady_clock::time_point deadline);

  // Number of versions in the queue, without the one being indexed.
  std::size_t waiting() const;

 private:
  std::optional<SearchSubject> TakeSubject();
  void NoteWorked();

  mutable Condition changed_;  // its mutex guards the fields below
  std::deque<SearchSubject> waiting_;
  std::uint64_t added_ = 0;
  std::uint64_t worked_ = 0;  // number of added versions that were handled, in order
  std::function<void()> wake_;
};

}  // namespace koya::service
