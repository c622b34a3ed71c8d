#include "service/mirror/fetch_lease.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <utility>

#include "base/condition.h"
#include "obs/log.h"
#include "service/common/leases.h"

namespace koya::service {
namespace {

constexpr int kLeastPause = 200;  // milliseconds

std::chrono::milliseconds ChancePause(std::chrono::milliseconds most) {
  thread_local std::minstd_rand chance{std::random_device{}()};
  int longest = std::max(kLeastPause, static_cast<int>(most.count()));
  return std::chrono::milliseconds(
      std::uniform_int_distribution<int>(kLeastPause, longest)(chance));
}

}  // namespace

void FetchLease::LogAlone(const Error& error) {
  state_ = LeaseState::kAlone;
  log_.Failure("fetching without a lease, maybe at the same time as another server: " + name_,
               error);
}

// Returns whether any server has the lease.
Awaitable<bool> FetchLease::LookAtOther() {
  Result<std::optional<LeaseRecord>> found = co_await links_.leases.FindLease(name_);
  if (!found) LogAlone(found.error());
  bool known = found && found->has_value();
  if (known) other_ = **std::move(found);
  co_return known;
}

Awaitable<FetchLease::LeaseState> FetchLease::Acquire() {
  if (state_ != LeaseState::kOthers) co_return state_;
  if (looked_) {
    bool known = co_await LookAtOther();
    if (known || state_ == LeaseState::kAlone) co_return state_;
  }
  looked_ = true;
  other_ = {};
  Result<bool> taken = co_await links_.leases.TakeLease(name_, std::string(links_.address));
  if (!taken) LogAlone(taken.error());
  if (taken && *taken) state_ = LeaseState::kOurs;
  if (state_ == LeaseState::kOthers) co_await LookAtOther();
  co_return state_;
}

Awaitable<bool> FetchLease::TakeOver() {
  Result<bool> taken = co_await links_.leases.TakeOver(other_, std::string(links_.address));
  if (!taken) LogAlone(taken.error());
  bool ours = taken && *taken;
  if (ours) state_ = LeaseState::kOurs;
  co_return ours;
}

Awaitable<void> FetchLease::GiveBack() {
  if (state_ != LeaseState::kOurs) co_return;
  state_ = LeaseState::kAlone;
  // A lease that cannot be given back expires.
  Status given = co_await links_.leases.GiveBack(name_);
  if (!given)
    log_.Failure("a lease could not be released and expires by itself: " + name_, given.error());
}

Awaitable<void> PauseForOthers(std::stop_token stop, std::chrono::milliseconds most) {
  Condition changed;
  auto wake = [&changed] {
    // A waiter that saw no stop request before this lock is waiting by now.
    {
      std::lock_guard looked(changed.mutex());
    }
    changed.NotifyAll();
  };
  std::stop_callback on_stop(stop, wake);
  std::function<bool()> stopped = [&stop] { return stop.stop_requested(); };
  auto deadline = std::chrono::steady_clock::now() + ChancePause(most);
  co_await changed.WaitUntil(std::move(stopped), deadline);
}

}  // namespace koya::service
