#include "service/search/index_queue.h"

#include <fmt/format.h>

#include <utility>

#include "obs/log.h"
#include "service/common/job_runs.h"
#include "service/search/reindex.h"

namespace koya::service {

void IndexQueue::Add(SearchSubject subject) {
  std::lock_guard lock(changed_.mutex());
  if (waiting_.size() >= kMostWaiting) return;
  waiting_.push_back(std::move(subject));
  ++added_;
  if (wake_) wake_();
}

void IndexQueue::WakeWith(std::function<void()> wake) {
  {
    std::lock_guard lock(changed_.mutex());
    wake_ = std::move(wake);
  }
  changed_.NotifyAll();
}

std::optional<SearchSubject> IndexQueue::TakeSubject() {
  std::lock_guard lock(changed_.mutex());
  if (waiting_.empty()) return std::nullopt;
  std::optional<SearchSubject> first = std::move(waiting_.front());
  waiting_.pop_front();
  return first;
}

void IndexQueue::NoteWorked() {
  {
    std::lock_guard lock(changed_.mutex());
    ++worked_;
  }
  changed_.NotifyAll();
}

std::size_t IndexQueue::waiting() const {
  std::lock_guard lock(changed_.mutex());
  return waiting_.size();
}

Awaitable<void> IndexQueue::WaitForThoseBefore(std::chrono::steady_clock::time_point deadline) {
  std::uint64_t before = 0;
  {
    std::lock_guard lock(changed_.mutex());
    if (!wake_ || worked_ == added_ || added_ - worked_ > kMostWaitedFor) co_return;
    before = added_;
  }
  std::function<bool()> done = [this, before] { return worked_ >= before || !wake_; };
  co_await changed_.WaitUntil(std::move(done), deadline);
}

Awaitable<void> IndexQueue::Work(Reindexing& reindexing, Logger& log, const std::atomic<bool>& stop,
                                 JobRuns* runs) {
  const RunTimer timer;
  bool took_some = false;
  std::uint64_t indexed_now = 0;
  Status failure;  // the last
  while (!stop) {
    std::optional<SearchSubject> subject = TakeSubject();
    if (!subject) break;
    took_some = true;
    if (runs != nullptr) runs->NoteWaiting(kJob, waiting());
    ReindexStep step;
    Result<void> indexed = co_await reindexing.IndexVersion(*subject, &step);
    NoteWorked();
    if (!indexed) {
      failure = Failure(indexed.error());
      log.Failure("a published version is added to the search index later", indexed.error(),
                  {{"address", subject->address}, {"version", subject->version.ToString()}});
    }
    indexed_now += step.indexed;
    for (const IndexProblem& each : step.problems) {
      log.Warn("a version is found by its name alone: its archive cannot be read",
               {{"address", each.address}, {"version", each.version}, {"problem", each.problem}});
    }
  }
  // Looks at an empty queue are no runs.
  if (!took_some) co_return;
  NoteRun(runs, kJob, failure, fmt::format("versions indexed: {}", indexed_now),
          {.took = timer.Took(), .waiting = waiting()});
}

}  // namespace koya::service
