#include "service/common/last_used_tracker.h"

#include <algorithm>
#include <utility>

#include "catalog/catalog.h"
#include "obs/log.h"

namespace koya::service {
namespace {

// In one transaction: others who write wait for it.
constexpr std::size_t kMostTogether = 500;
constexpr UnixSeconds kQuiet = 60;

Task<void> TouchTokensOf(Catalog& catalog, std::vector<Use> uses) {
  return catalog.TouchTokens(std::move(uses));
}
Task<void> TouchSessionsOf(Catalog& catalog, std::vector<Use> uses) {
  return catalog.TouchSessions(std::move(uses));
}
Task<void> TouchHeldOf(Catalog& catalog, std::vector<Use> uses) {
  return catalog.TouchHeld(std::move(uses));
}

}  // namespace

void LastUsedTracker::Remember(Pending& pending, Use use) {
  std::lock_guard lock(mutex_);
  auto known = pending.find(use.digest);
  if (known != pending.end()) {
    known->second = std::move(use);
  } else if (pending.size() < kMostPending) {
    const Digest digest = use.digest;
    pending.emplace(digest, std::move(use));
  }
}

LastUsedTracker::Pending LastUsedTracker::TakePending(Pending& pending) {
  std::lock_guard lock(mutex_);
  return std::exchange(pending, {});
}

Awaitable<void> LastUsedTracker::Write() {
  co_await WriteAll(TakePending(tokens_), &TouchTokensOf);
  co_await WriteAll(TakePending(sessions_), &TouchSessionsOf);
  co_await WriteAll(TakePending(held_), &TouchHeldOf);
}

Awaitable<void> LastUsedTracker::WriteAll(Pending pending, Touch touch) {
  while (!pending.empty()) {
    std::vector<Use> uses;
    UnixSeconds now = 0;
    while (!pending.empty() && uses.size() < kMostTogether) {
      auto first = pending.begin();
      now = std::max(now, first->second.at);
      uses.push_back(std::move(first->second));
      pending.erase(first);
    }
    Status noted = co_await touch(catalog_, std::move(uses));
    Settle(noted, now);
  }
}

void LastUsedTracker::Settle(const Status& noted, UnixSeconds now) {
  if (noted) return;
  UnixSeconds quiet_until = quiet_until_.load();
  if (now < quiet_until && now + kQuiet >= quiet_until) return;
  if (!quiet_until_.compare_exchange_strong(quiet_until, now + kQuiet)) return;
  log_.Failure("a last use cannot be recorded; requests are served nevertheless", noted.error());
}

}  // namespace koya::service
