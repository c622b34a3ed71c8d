#include "service/modules/reading_upkeep.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "catalog/contents_catalog.h"
#include "inspect/contents.h"
#include "obs/log.h"
#include "service/common/leases.h"
#include "service/modules/analysis_progress.h"

namespace koya::service {
namespace {

constexpr int kReadingRestsOfWork = 9;
constexpr std::uint64_t kReadingsListed = 100;

}  // namespace

Task<std::optional<UnreadModule>> ReadingUpkeep::FindNext() {
  while (true) {
    if (queue_.empty()) {
      ASSIGN_OR_CO_RETURN(
          std::vector<UnreadModule> unread,
          co_await catalog_.ListUnread(inspect::kReaderVersion, last_, kReadingsListed));
      if (unread.empty()) co_return std::nullopt;
      queue_.assign(unread.begin(), unread.end());
    }
    UnreadModule next = std::move(queue_.front());
    queue_.pop_front();
    last_ = next.place;
    if (!passed_over_.contains({next.place.mirrored, next.place.row})) co_return next;
  }
}

void ReadingUpkeep::PassOver(const UnreadModule::Place& place, const ReadingProblem& problem) {
  if (passed_over_.size() < kMostPassedOver) passed_over_.emplace(place.mirrored, place.row);
  log_.Warn(
      "a version cannot be analyzed: its archive cannot be read",
      {{"address", problem.address}, {"version", problem.version}, {"problem", problem.problem}});
}

Task<void> ReadingUpkeep::End() {
  if (read_ > 0) log_.Info("analyzed modules", {{"versions", read_}});
  NoteRun(runs_, kLease, {}, fmt::format("versions analyzed: {}; failed: {}", read_, unreadable_),
          {.took = timer_.Took(), .waiting = readings_.totals().unread});
  read_ = unreadable_ = 0;
  last_.reset();
  co_return co_await leases_.GiveBack(kLease);
}

void ReadingUpkeep::NoteLeft() {
  if (runs_ == nullptr) return;
  const std::uint64_t unread = readings_.totals().unread;
  runs_->NoteWaiting(kLease, unread - std::min(read_, unread));
}

Task<ReadingUpkeep::Outcome> ReadingUpkeep::ReadNext() {
  // Starts a pass. Every server counts the unread versions, whichever server analyzes them.
  if (!last_) {
    timer_ = {};
    read_ = unreadable_ = 0;
    CO_RETURN_IF_ERROR(co_await readings_.Count());
    NoteLeft();
  }
  ASSIGN_OR_CO_RETURN(bool ours, co_await leases_.TakeLease(kLease));
  if (!ours) {
    last_.reset();
    queue_.clear();
    co_return Outcome::kElsewhere;
  }
  if (Clock::now() >= try_again_) {
    passed_over_.clear();
    try_again_ = Clock::now() + kBetweenTries;
  }
  ASSIGN_OR_CO_RETURN(std::optional<UnreadModule> next, co_await FindNext());
  if (!next) {
    CO_RETURN_IF_ERROR(co_await readings_.Count());
    CO_RETURN_IF_ERROR(co_await End());
    co_return Outcome::kDone;
  }
  const UnreadModule::Place place = next->place;
  ASSIGN_OR_CO_RETURN(std::optional<ReadingProblem> problem,
                      co_await readings_.ReadOne(*std::move(next)));
  if (problem) {
    PassOver(place, *problem);
    ++unreadable_;
  } else {
    ++read_;
  }
  NoteLeft();
  co_return Outcome::kRead;
}

Awaitable<std::chrono::milliseconds> ReadingUpkeep::Work() {
  const auto begin = Clock::now();
  Result<Outcome> outcome = co_await ReadNext();
  if (!outcome) {
    // The one that failed is met again with the next look: it does not hold up the others.
    log_.Failure("modules cannot be analyzed now; retrying", outcome.error());
    NoteRun(runs_, kLease, Failure(outcome.error()), {}, {.took = timer_.Took()});
    co_return kPause;
  }
  if (*outcome == Outcome::kElsewhere) co_return kPause;
  if (*outcome == Outcome::kDone) co_return kBetweenLooks;
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  // At least what the clock does not show.
  co_return kReadingRestsOfWork*(took + std::chrono::milliseconds(1));
}

}  // namespace koya::service
