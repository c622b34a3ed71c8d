#include "service/index_queue.h"

#include <utility>

namespace koya::service {

void IndexQueue::Add(SearchSubject subject) {
  std::lock_guard lock(mutex_);
  if (waiting_.size() >= kMostWaiting) return;
  waiting_.push_back(std::move(subject));
  if (wake_) wake_();
}

void IndexQueue::WakeWith(std::function<void()> wake) {
  std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

std::optional<SearchSubject> IndexQueue::Take() {
  std::lock_guard lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  std::optional<SearchSubject> first = std::move(waiting_.front());
  waiting_.pop_front();
  return first;
}

Awaitable<void> IndexQueue::Work(Reindexing& reindexing, Logger& log,
                                 const std::atomic<bool>& stop) {
  while (!stop) {
    std::optional<SearchSubject> subject = Take();
    if (!subject) break;
    ReindexStep step;
    Result<void> indexed = co_await reindexing.IndexVersion(*subject, &step);
    if (!indexed) {
      log.Failure("a version that was published comes into the search index later", indexed.error(),
                  {{"address", subject->address}, {"version", subject->version.ToString()}});
    }
    for (const IndexProblem& each : step.problems) {
      log.Warn("a version is found by its name alone: its archive cannot be read",
               {{"address", each.address}, {"version", each.version}, {"problem", each.problem}});
    }
  }
}

}  // namespace koya::service
