#include "service/search/search_upkeep.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "catalog/search_index.h"
#include "obs/log.h"
#include "service/common/leases.h"
#include "service/search/reindex.h"

namespace koya::service {
namespace {

constexpr int kRestsOfWork = 9;
constexpr std::chrono::milliseconds kLongestRest = std::chrono::seconds(30);

}  // namespace

Task<std::vector<SearchSubject>> SearchUpkeep::ListMissing() {
  switch (looking_) {
    case Looking::kModules:
      return catalog_.ListUnindexed(SearchKind::kModule, last_);
    case Looking::kProviders:
      return catalog_.ListUnindexed(SearchKind::kProvider, last_);
    case Looking::kMirrored:
      break;
  }
  return catalog_.ListUnindexedMirrored(last_);
}

Task<void> SearchUpkeep::FillQueue() {
  while (queue_.empty()) {
    ASSIGN_OR_CO_RETURN(std::vector<SearchSubject> missing, co_await ListMissing());
    queue_.assign(missing.begin(), missing.end());
    if (!missing.empty() || looking_ == Looking::kMirrored) co_return Status();
    looking_ = looking_ == Looking::kModules ? Looking::kProviders : Looking::kMirrored;
    last_.reset();
  }
  co_return Status();
}

Task<void> SearchUpkeep::IndexOne(const SearchSubject& subject) {
  ReindexStep step;
  CO_RETURN_IF_ERROR(co_await reindexing_.IndexVersion(subject, &step));
  indexed_ += step.indexed;
  for (const IndexProblem& each : step.problems) {
    log_.Warn("a version is found by its name alone: its archive cannot be read",
              {{"address", each.address}, {"version", each.version}, {"problem", each.problem}});
  }
  co_return Status();
}

Task<void> SearchUpkeep::End() {
  if (indexed_ > 0) log_.Info("the search index is complete again", {{"versions", indexed_}});
  NoteRun(runs_, kLease, {}, fmt::format("missing versions indexed: {}", indexed_),
          {.took = timer_->Took(), .waiting = 0});
  timer_.reset();
  indexed_ = 0;
  looking_ = Looking::kModules;
  last_.reset();
  queue_.clear();
  co_return co_await leases_.GiveBack(kLease);
}

Task<bool> SearchUpkeep::IndexNext() {
  ASSIGN_OR_CO_RETURN(bool ours, co_await leases_.TakeLease(kLease));
  if (!ours) {  // another server is at it
    timer_.reset();
    co_return false;
  }
  if (!timer_) timer_.emplace();
  CO_RETURN_IF_ERROR(co_await FillQueue());
  if (queue_.empty()) {
    CO_RETURN_IF_ERROR(co_await End());
    co_return false;
  }
  if (runs_ != nullptr) runs_->NoteWaiting(kLease, queue_.size());
  last_ = std::move(queue_.front());
  queue_.pop_front();
  CO_RETURN_IF_ERROR(co_await IndexOne(*last_));
  co_return true;
}

Awaitable<std::chrono::milliseconds> SearchUpkeep::Work() {
  const auto begin = std::chrono::steady_clock::now();
  Result<bool> more = co_await IndexNext();
  if (!more) {
    log_.Failure("the search index may lack versions; retrying", more.error());
    NoteRun(runs_, kLease, Failure(more.error()), {},
            {.took = timer_ ? std::optional(timer_->Took()) : std::nullopt});
    timer_.reset();
    queue_.clear();
    co_return kBetweenLooks;
  }
  if (!*more) co_return kBetweenLooks;
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - begin);
  co_return std::min(kRestsOfWork * took, kLongestRest);
}

}  // namespace koya::service
