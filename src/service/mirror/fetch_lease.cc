#include "service/mirror/fetch_lease.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <utility>

#include "base/condition.h"
#include "obs/log.h"
#include "peers/fill_offers.h"
#include "peers/peer_source.h"
#include "service/leases.h"

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

void FetchLease::TellAlone(const Error& error) {
  standing_ = Standing::kAlone;
  log_.Failure("something is fetched without asking whether another server does: " + name_, error);
}

// Whether somebody has it.
Awaitable<bool> FetchLease::LookAtOther() {
  Result<std::optional<LeaseRecord>> found = co_await links_.leases->Find(name_);
  if (!found) TellAlone(found.error());
  bool known = found && found->has_value();
  if (known) other_ = **std::move(found);
  co_return known;
}

Awaitable<FetchLease::Standing> FetchLease::Stand() {
  if (links_.leases == nullptr) standing_ = Standing::kAlone;
  if (standing_ != Standing::kOthers) co_return standing_;
  if (looked_) {
    bool known = co_await LookAtOther();
    if (known || standing_ == Standing::kAlone) co_return standing_;
  }
  looked_ = true;
  other_ = {};
  Result<bool> taken = co_await links_.leases->Take(name_, std::string(links_.address));
  if (!taken) TellAlone(taken.error());
  if (taken && *taken) standing_ = Standing::kOurs;
  if (standing_ == Standing::kOthers) co_await LookAtOther();
  co_return standing_;
}

Awaitable<bool> FetchLease::TakeOver() {
  Result<bool> taken = co_await links_.leases->TakeOver(other_, std::string(links_.address));
  if (!taken) TellAlone(taken.error());
  bool ours = taken && *taken;
  if (ours) standing_ = Standing::kOurs;
  co_return ours;
}

Awaitable<void> FetchLease::GiveBack() {
  if (standing_ != Standing::kOurs) co_return;
  standing_ = Standing::kAlone;
  // What cannot be given back ends by itself.
  Status given = co_await links_.leases->GiveBack(name_);
  if (!given) log_.Failure("a lease ends by itself: " + name_, given.error());
}

Awaitable<void> PauseForOthers(std::stop_token stop, std::chrono::milliseconds most) {
  Condition changed;
  auto wake = [&changed] {
    // Whoever has looked, and found that nobody stops, is waiting by now.
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
