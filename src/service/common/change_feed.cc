#include "service/common/change_feed.h"

#include <cstddef>

#include "base/clock.h"

namespace koya::service {
namespace {

// Without a reader of the log (a command's own server) the announced changes must not pile up:
// announcing a change twice does no harm.
constexpr std::size_t kMostAhead = 10'000;

// Ten answers and more are missing then, whatever patience the question has.
constexpr std::chrono::seconds kSilence{5};

}  // namespace

ChangeFeed::ChangeFeed(ChangeLog& log) : log_(log) {
  log_.SetListener([this](const std::vector<Change>& changes) { HearOwn(changes); });
}

ChangeFeed::~ChangeFeed() { log_.SetListener({}); }

void ChangeFeed::Announce(std::string_view topic) {
  for (const Listener& listener : listeners_) listener(topic);
}

// Announces a change before recording it as announced: that record is a promise to its readers.
void ChangeFeed::HearOwn(const std::vector<Change>& changes) {
  for (const Change& change : changes) {
    {
      std::lock_guard lock(mutex_);
      if (change.sequence <= seen_.sequence) continue;  // the log was quicker
    }
    Announce(change.topic);
    std::lock_guard lock(mutex_);
    if (ahead_.size() >= kMostAhead) ahead_.clear();
    if (change.sequence > seen_.sequence) ahead_[change.sequence] = change.mark;
  }
}

Task<void> ChangeFeed::Start() {
  ASSIGN_OR_CO_RETURN(ChangePosition latest, co_await log_.LatestChange());
  {
    std::lock_guard lock(mutex_);
    seen_ = std::move(latest);
  }
  ASSIGN_OR_CO_RETURN(server_run_, co_await log_.ServerRun());
  confirmed_at_ = std::chrono::steady_clock::now();
  co_return Status();
}

Awaitable<bool> ChangeFeed::HasChangedServer() {
  Result<std::string> run = co_await log_.ServerRun();
  const bool same = run && *run == server_run_;
  server_run_ = run ? *std::move(run) : "";
  co_return !same;
}

Task<std::chrono::nanoseconds> ChangeFeed::CatchUp(Status waited) {
  CO_RETURN_IF_ERROR(waited);
  while (true) {
    ChangePosition seen;
    {
      std::lock_guard lock(mutex_);
      seen = seen_;
    }
    // The result may lack changes that are committed later than this.
    std::chrono::nanoseconds begins = TimeSinceBoot();
    ASSIGN_OR_CO_RETURN(std::vector<Change> changes, co_await log_.ChangesSince(std::move(seen)));
    if (changes.empty()) co_return begins;
    for (const Change& change : changes) Hear(change);
  }
}

// Of one that the log has.
void ChangeFeed::Hear(const Change& change) {
  bool announced = false;
  {
    std::lock_guard lock(mutex_);
    auto ahead = ahead_.find(change.sequence);
    announced = ahead != ahead_.end() && ahead->second == change.mark;
  }
  if (!announced) Announce(change.topic);
  std::lock_guard lock(mutex_);
  seen_ = ChangePosition::Of(change);
  ahead_.erase(ahead_.begin(), ahead_.upper_bound(seen_.sequence));
}

std::chrono::nanoseconds ChangeFeed::SilentFor() const {
  const auto silence = std::chrono::steady_clock::now() - ConfirmedAt();
  const bool away = following_ && (!reachable_ || silence > kSilence);
  return away ? silence : std::chrono::nanoseconds::zero();
}

Awaitable<void> ChangeFeed::Run(Outage outage) {
  following_ = true;
  bool hears = true;
  while (!stopping_) {
    Status waited = co_await log_.WaitForChange();
    if (stopping_) break;
    Result<std::chrono::nanoseconds> seen = co_await CatchUp(waited);
    if (seen) confirmed_at_ = std::chrono::steady_clock::now();
    if (!seen && reachable_) outage.begins(seen.error());
    if (seen && !reachable_) {
      const bool another = co_await HasChangedServer();
      if (another) Announce("");
      outage.is_over();
    }
    if (seen) seen_until_ = *seen;
    reachable_ = seen.has_value();
    if (hears != log_.NotificationsWork()) outage.hearing(hears = !hears);
  }
  following_ = false;
}

}  // namespace koya::service
