#include "service/common/reading.h"

#include <chrono>
#include <string>

#include "base/address_group.h"
#include "base/byte_budget.h"
#include "base/offload.h"

namespace koya::service {
namespace {

constexpr std::chrono::seconds kPatience{10};  // of work that waits for a thread
constexpr unsigned kAskAgain = 2;              // seconds
constexpr LimitName kLargeLimit = "limits.reading_bytes";
constexpr LimitName kSmallLimit = "fixed.small_readings";

}  // namespace

bool IsTurnedAway(const Error& error) {
  return error.limit == kLargeLimit || error.limit == kSmallLimit;
}

struct Reading::State {
  ReadingBudget* room = nullptr;
  WorkerPool* own = nullptr;  // of the server's own work
  std::string client;
  std::function<bool()> has_left;
  std::shared_ptr<ByteBudget::Claim> claim;

  bool HasLeft() const { return has_left && has_left(); }
};

Reading::Reading(ReadingBudget& room, std::string_view client, std::function<bool()> has_left)
    : state_(std::make_shared<State>(
          State{.room = &room, .client = std::string(client), .has_left = std::move(has_left)})) {}

Reading::Reading(WorkerPool& pool) : state_(std::make_shared<State>(State{.own = &pool})) {}

Task<void> Reading::Claim(std::uint64_t bytes) const {
  State& state = *state_;
  if (is_own()) co_return Status();
  if (state.claim) {
    if (state.claim->Grow(bytes)) co_return Status();
    Error error{ErrorKind::kUnavailable,
                "this response is large, and so are other running requests: retry in a few seconds",
                "", kAskAgain, kLargeLimit};
    co_return Failure(std::move(error));
  }
  ASSIGN_OR_CO_RETURN(state.claim,
                      co_await state.room->budget.ClaimBytes(AddressGroup(state.client), bytes));
  if (state.HasLeft()) {
    state.claim.reset();
    co_return Failure(TooLate());
  }
  co_return Status();
}

void Reading::ShrinkClaim(std::uint64_t bytes) const {
  // What goes on for others, see Lasting(), holds it as well.
  if (state_->claim.use_count() == 1) state_->claim->Shrink(bytes);
}

bool Reading::is_own() const { return state_->own != nullptr; }

std::uint64_t Reading::claimed() const { return state_->claim ? state_->claim->bytes() : 0; }

std::shared_ptr<const void> Reading::claim() const { return state_->claim; }

Reading Reading::Lasting() const {
  if (is_own()) return *this;
  Reading lasting(*state_->room, state_->client, nullptr);
  lasting.state_->claim = state_->claim;
  return lasting;
}

Awaitable<bool> Reading::Run(std::function<void()> work) const {
  const State& state = *state_;
  if (is_own()) {
    co_await state.own->Run(std::move(work));
    co_return true;
  }
  const bool large = state.claim && state.claim->is_large();
  WorkerPool& pool = large ? state.room->large : state.room->quick;
  WorkerPool::Asker asker{.until = std::chrono::steady_clock::now() + kPatience,
                          .has_left = state.has_left};
  co_return co_await pool.RunFor(std::move(asker), std::move(work));
}

Error Reading::TooLate() {
  return {ErrorKind::kUnavailable,
          "too many large requests are running: try again in a few seconds", "", kAskAgain,
          kSmallLimit};
}

}  // namespace koya::service
