#include "service/sign_in/throttle.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace koya::service {
namespace {

constexpr unsigned kFreeOfAccount = 5;
constexpr unsigned kFreeOfAddress = 20;
constexpr UnixSeconds kLongest = SignInThrottle::kLongestWait.count();

// The network that counts as one address: an IPv6 user has all 2⁶⁴ addresses of a /64.
std::string NetworkOf(const std::string& address) {
  const std::string plain = address.substr(0, address.find('%'));
  in6_addr six{};
  in_addr four{};
  const auto* bytes = reinterpret_cast<const char*>(&six);
  if (::inet_pton(AF_INET, plain.c_str(), &four) == 1) {
    return {reinterpret_cast<const char*>(&four), sizeof(four)};
  }
  if (::inet_pton(AF_INET6, plain.c_str(), &six) != 1) return address;
  if (IN6_IS_ADDR_V4MAPPED(&six)) return {bytes + 12, sizeof(four)};
  return {bytes, 8};
}

// What failure number `count` costs.
UnixSeconds WaitAfter(unsigned count, unsigned free) {
  if (count <= free) return 0;
  constexpr unsigned kDoublings = 10;  // 1,024 s are beyond the longest
  return std::min(UnixSeconds{1} << std::min(count - free - 1, kDoublings), kLongest);
}

Failure TooManyFailures(UnixSeconds wait) {
  return Failure(Error{.kind = ErrorKind::kThrottled,
                       .message = fmt::format("too many attempts have failed: try again in {}",
                                              FormatDuration(std::chrono::seconds(wait))),
                       .detail = {},
                       .retry_after = static_cast<unsigned>(wait)});
}

}  // namespace

std::vector<SignInThrottle::Counted> SignInThrottle::CountedFor(const Attempt& attempt) {
  const std::string account = AsciiLower(attempt.account);
  std::vector<Counted> counted;
  if (!attempt.device.empty()) {
    // Names that can sign in have no such character in them.
    counted.push_back({devices_, Digest::Of(attempt.device + '\n' + account), kFreeOfAccount});
    return counted;
  }
  counted.push_back({addresses_, Digest::Of(NetworkOf(attempt.address)), kFreeOfAddress});
  if (!account.empty()) counted.push_back({accounts_, Digest::Of(account), kFreeOfAccount});
  return counted;
}

Status SignInThrottle::Begin(const Attempt& attempt) {
  const std::vector<Counted> counted = CountedFor(attempt);
  const UnixSeconds now = clock_.Now();
  std::lock_guard lock(mutex_);
  UnixSeconds wait = 0;
  for (const Counted& one : counted) {
    const UnixSeconds left = one.known.Find(one.key, now).value_or(Failures{}).next_at - now;
    // A clock that was set back must not prolong the wait.
    if (left <= kLongest) wait = std::max(wait, left);
  }
  if (wait > 0) return TooManyFailures(wait);
  for (const Counted& one : counted) {
    Failures failures = one.known.Find(one.key, now).value_or(Failures{});
    ++failures.count;
    failures.next_at = now + WaitAfter(failures.count, one.free);
    one.known.Put(one.key, failures, now + kFade.count());
  }
  return {};
}

void SignInThrottle::TakeBack(const Counted& counted) {
  const auto entry = counted.known.Peek(counted.key);
  if (!entry) return;
  Failures failures = entry->value;
  if (failures.count <= 1) {
    counted.known.Erase(counted.key);
    return;
  }
  --failures.count;
  // It could begin, so the wait before it was over.
  failures.next_at = std::min(failures.next_at, clock_.Now());
  counted.known.Put(counted.key, failures, entry->until);
}

void SignInThrottle::TakeBack(const Attempt& attempt) {
  const std::vector<Counted> counted = CountedFor(attempt);
  std::lock_guard lock(mutex_);
  for (const Counted& one : counted) TakeBack(one);
}

void SignInThrottle::Succeeded(const Attempt& attempt) {
  const std::vector<Counted> counted = CountedFor(attempt);
  std::lock_guard lock(mutex_);
  for (const Counted& one : counted) {
    if (&one.known == &addresses_) {
      TakeBack(one);
    } else {
      one.known.Erase(one.key);
    }
  }
}

std::size_t SignInThrottle::size() const {
  return accounts_.size() + devices_.size() + addresses_.size();
}

}  // namespace koya::service
