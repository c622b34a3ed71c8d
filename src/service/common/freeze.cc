#include "service/common/freeze.h"

#include <fmt/format.h>

#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "domain/actor.h"
#include "domain/topic.h"

namespace koya::service {
namespace {

// A freeze lasts for minutes.
constexpr unsigned kFrozenRetryAfter = 30;

Error FrozenError(const FreezeState& state) {
  Error error{
      ErrorKind::kUnavailable,
      fmt::format("this registry is frozen since {}{}{}: nothing can be changed until an "
                  "administrator ends that; everything can be read and installed",
                  FormatRfc3339(state.since), state.reason.empty() ? "" : ", ", state.reason),
      {}};
  error.retry_after = kFrozenRetryAfter;
  return error;
}

}  // namespace

// A state that was read before the last change is not remembered.
Task<FreezeState> Freeze::FindState() {
  std::uint64_t ticket = 0;
  {
    std::lock_guard lock(mutex_);
    if (is_current_) co_return last_;
    ticket = invalidations_;
  }
  ASSIGN_OR_CO_RETURN(FreezeState state, co_await catalog_.FindFreeze());
  std::lock_guard lock(mutex_);
  if (ticket == invalidations_) {
    last_ = state;
    is_current_ = true;
  }
  co_return state;
}

Task<FreezeState> Freeze::SetFrozen(Actor by, bool frozen, std::string reason) {
  if (reason.size() > kLongestReason || !IsPlainText(reason)) {
    co_return FailInvalid("the reason must be plain text of at most {} bytes", kLongestReason);
  }
  co_return co_await catalog_.SetFreeze(std::move(by), frozen, std::move(reason));
}

Task<void> Freeze::CheckMayChange() {
  ASSIGN_OR_CO_RETURN(const FreezeState state, co_await FindState());
  if (state.is_frozen()) co_return Failure(FrozenError(state));
  co_return Status();
}

Awaitable<bool> Freeze::IsFrozen() {
  const Result<FreezeState> state = co_await FindState();
  if (state) co_return state->is_frozen();
  std::lock_guard lock(mutex_);
  co_return last_.is_frozen();
}

void Freeze::Invalidate(std::string_view topic) {
  if (topic != kFreezeTopic && topic != kEverything) return;
  std::lock_guard lock(mutex_);
  is_current_ = false;
  ++invalidations_;
}

Awaitable<bool> IsFrozen(Freeze* freeze) {
  if (freeze == nullptr) co_return false;
  co_return co_await freeze->IsFrozen();
}

}  // namespace koya::service
