#include "service/modules/reading_upkeep.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "catalog/catalog.h"
#include "catalog/contents_catalog.h"
#include "inspect/contents.h"
#include "obs/log.h"
#include "service/common/leases.h"
#include "service/modules/module_metadata.h"

namespace koya::service {
namespace {

constexpr std::string_view kPublished = "published/";
constexpr std::string_view kMirrored = "mirrored/";

// Says nothing of the version that was to be read.
bool IsAway(const Error& error) {
  return error.kind == ErrorKind::kUnavailable || error.kind == ErrorKind::kTimeout ||
         error.kind == ErrorKind::kThrottled || error.kind == ErrorKind::kStorageFull;
}

std::string WritePlace(const UnreadModule::Place& place) {
  return fmt::format("{}{}", place.mirrored ? kMirrored : kPublished, place.row);
}

Result<std::optional<UnreadModule::Place>> ReadPlace(std::string_view text) {
  if (text.empty()) return std::nullopt;
  UnreadModule::Place place{.mirrored = text.starts_with(kMirrored)};
  const bool known = place.mirrored || text.starts_with(kPublished);
  if (known) text.remove_prefix(place.mirrored ? kMirrored.size() : kPublished.size());
  const auto row = ParseDecimal<decltype(place.row)>(text);
  if (!known || !row || *row < 0) {
    return FailInvalid("\"after\" is the \"next\" of the previous step, for example published/17");
  }
  place.row = *row;
  return place;
}

ReadingProblem ProblemOf(const ModuleSubject& subject, std::string problem) {
  std::string address = subject.address.ToString();
  if (!subject.IsPublishedHere()) address = subject.host + "/" + address;
  return {.address = std::move(address),
          .version = subject.version.ToString(),
          .problem = std::move(problem)};
}

}  // namespace

Task<ModuleArchive> AnalysisProgress::FindArchive(UnreadModule module) {
  if (module.subject.IsPublishedHere()) {
    ASSIGN_OR_CO_RETURN(
        ModuleVersionRecord record,
        co_await catalog_.FindVersion(module.subject.address, module.subject.version));
    co_return ArchiveOf(record);
  }
  co_return ModuleArchive{.subject = std::move(module.subject),
                          .digest = module.digest,
                          .size = module.size,
                          .description = {}};
}

Task<std::optional<ReadingProblem>> AnalysisProgress::ReadOne(UnreadModule module) {
  const ModuleSubject subject = module.subject;
  Result<ModuleArchive> archive = co_await FindArchive(std::move(module));
  if (!archive && archive.error().kind == ErrorKind::kGone) {
    co_return std::nullopt;  // withdrawn meanwhile
  }
  if (!archive) co_return Failure(std::move(archive).error());
  Result<SharedContents> contents = co_await insides_.ReadAgain(*std::move(archive));
  if (contents) {
    ++totals_.read;
    co_return std::nullopt;
  }
  if (IsAway(contents.error())) co_return Failure(std::move(contents).error());
  ++totals_.failed;
  co_return ProblemOf(subject, std::move(contents).error().message);
}

Task<std::uint64_t> AnalysisProgress::Count() {
  ASSIGN_OR_CO_RETURN(std::uint64_t unread, co_await catalog_.CountUnread(inspect::kReaderVersion));
  totals_.unread = unread;
  co_return unread;
}

Task<ReadingStep> AnalysisProgress::Step(std::string after) {
  const auto until = std::chrono::steady_clock::now() + kStepTime;
  ASSIGN_OR_CO_RETURN(std::optional<UnreadModule::Place> place, ReadPlace(after));
  ASSIGN_OR_CO_RETURN(
      std::vector<UnreadModule> unread,
      co_await catalog_.ListUnread(inspect::kReaderVersion, std::move(place), kMostOfStep));
  ReadingStep step;
  // As many as were asked for: there may be more.
  if (unread.size() == kMostOfStep) step.next = WritePlace(unread.back().place);
  for (std::size_t at = 0; at < unread.size(); ++at) {
    const UnreadModule::Place here = unread[at].place;
    ASSIGN_OR_CO_RETURN(std::optional<ReadingProblem> problem,
                        co_await ReadOne(std::move(unread[at])));
    if (problem) {
      step.problems.push_back(*std::move(problem));
    } else {
      ++step.read;
    }
    if (at + 1 < unread.size() && std::chrono::steady_clock::now() >= until) {
      step.next = WritePlace(here);
      break;
    }
  }
  ASSIGN_OR_CO_RETURN(step.left, co_await Count());
  co_return step;
}

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
