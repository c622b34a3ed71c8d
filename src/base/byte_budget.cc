#include "base/byte_budget.h"

#include <mutex>
#include <utility>

#include "base/file.h"

namespace koya {
namespace {

// Freed memory in smaller pieces is soon used again.
constexpr std::uint64_t kWorthGivingBack = 16U << 20U;
constexpr unsigned kAskAgain = 2;  // seconds

}  // namespace

bool ByteBudget::Account::HasRoom(std::uint64_t bound, const std::string& client,
                                  std::uint64_t mine, std::uint64_t bytes) const {
  const std::uint64_t others = held - mine;
  if (others == 0) return true;
  if (others + bytes > bound) return false;
  const auto of_client = by_client.find(client);
  const std::uint64_t besides = of_client == by_client.end() ? 0 : of_client->second - mine;
  return besides == 0 || besides + bytes <= bound / 4;
}

void ByteBudget::Account::Add(const std::string& client, std::uint64_t bytes) {
  if (bytes == 0) return;
  held += bytes;
  by_client[client] += bytes;
}

void ByteBudget::Account::Remove(const std::string& client, std::uint64_t bytes) {
  if (bytes == 0) return;
  held -= bytes;
  auto of_client = by_client.find(client);
  of_client->second -= bytes;
  if (of_client->second == 0) by_client.erase(of_client);
}

// With the lock held. What grows beyond a small piece moves to the other account.
bool ByteBudget::Admit(Claim& claim, std::uint64_t bytes) {
  const bool large = claim.large_ || IsLarge(bytes);
  Account& account = accounts_[large ? 1 : 0];
  const std::uint64_t mine = claim.large_ == large ? claim.bytes() : 0;
  if (!account.HasRoom(large ? bounds_.large : bounds_.small, claim.client_, mine, bytes)) {
    return false;
  }
  accounts_[claim.large_ ? 1 : 0].Remove(claim.client_, claim.bytes_);
  account.Add(claim.client_, bytes);
  claim.large_ = large;
  claim.bytes_ = bytes;
  return true;
}

bool ByteBudget::Claim::Grow(std::uint64_t bytes) {
  bool grown = false;
  {
    std::lock_guard lock(budget_.changed_.mutex());
    if (bytes <= bytes_) return true;
    grown = budget_.Admit(*this, bytes);
  }
  if (grown) budget_.changed_.NotifyAll();  // the other account may have room
  return grown;
}

void ByteBudget::Claim::Shrink(std::uint64_t bytes) {
  std::uint64_t freed = 0;
  {
    std::lock_guard lock(budget_.changed_.mutex());
    if (bytes >= bytes_) return;
    freed = bytes_ - bytes;
    bytes_ = bytes;
  }
  if (freed < kWorthGivingBack || !budget_.give_back_) {
    return budget_.Release(client_, large_, freed);
  }
  budget_.give_back_([budget = &budget_, client = client_, large = is_large(), freed] {
    budget->Release(client, large, freed);
  });
}

void ByteBudget::Release(std::string client, bool large, std::uint64_t bytes) {
  {
    std::lock_guard lock(changed_.mutex());
    accounts_[large ? 1 : 0].Remove(client, bytes);
  }
  changed_.NotifyAll();
}

Failure ByteBudget::Busy(bool large) const {
  if (large) {
    return Failure(
        Error{ErrorKind::kUnavailable,
              "this response is large, and so are other running requests: retry in a few seconds",
              "", kAskAgain, "limits.reading_bytes"});
  }
  return Failure(Error{ErrorKind::kUnavailable,
                       "too many large responses are being sent: retry in a few seconds", "",
                       kAskAgain, "fixed.small_readings"});
}

Task<std::shared_ptr<ByteBudget::Claim>> ByteBudget::ClaimBytes(std::string client,
                                                                std::uint64_t bytes) {
  const bool large = IsLarge(bytes);
  std::shared_ptr<Claim> claim(new Claim(*this, client));
  {
    std::lock_guard lock(changed_.mutex());
    if (Admit(*claim, bytes)) co_return claim;
    std::size_t& waiting = waiting_by_client_[client];
    if (waiting_ >= bounds_.most_waiting || waiting >= bounds_.most_waiting_each) {
      if (waiting == 0) waiting_by_client_.erase(client);
      co_return Busy(large);
    }
    ++waiting_;
    ++waiting;
  }
  ScopeGuard leave([this, &client] {
    std::lock_guard lock(changed_.mutex());
    --waiting_;
    auto of_client = waiting_by_client_.find(client);
    if (--of_client->second == 0) waiting_by_client_.erase(of_client);
  });
  std::function<bool()> admitted = [this, &claim, bytes] { return Admit(*claim, bytes); };
  const auto deadline = std::chrono::steady_clock::now() + bounds_.patience;
  const bool in_time = co_await changed_.WaitUntil(std::move(admitted), deadline);
  if (!in_time) co_return Busy(large);
  co_return claim;
}

std::uint64_t ByteBudget::held() {
  std::lock_guard lock(changed_.mutex());
  return accounts_[0].held + accounts_[1].held;
}

std::size_t ByteBudget::waiting() {
  std::lock_guard lock(changed_.mutex());
  return waiting_;
}

std::size_t ByteBudget::clients() {
  std::lock_guard lock(changed_.mutex());
  return accounts_[0].by_client.size() + accounts_[1].by_client.size() + waiting_by_client_.size();
}

}  // namespace koya
