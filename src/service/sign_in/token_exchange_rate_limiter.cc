#include "service/sign_in/token_exchange_rate_limiter.h"

#include <fmt/format.h>

#include <algorithm>

namespace koya::service {
namespace {

// The network that an address of IPv6 is in: its first four groups, or those before "::".
std::string_view NetworkOf(std::string_view address) {
  if (!address.contains(':') || address.contains('.')) return address;
  std::size_t end = 0;
  for (int group = 0; group < 4 && end != std::string_view::npos; ++group) {
    end = address.find(':', group == 0 ? 0 : end + 1);
    if (end != std::string_view::npos && address.substr(end).starts_with("::")) break;
  }
  return address.substr(0, std::min(end, address.size()));
}

}  // namespace

Status TokenExchangeRateLimiter::Enter(std::string_view address) {
  const UnixSeconds now = clock_.Now();
  std::lock_guard lock(mutex_);
  // A clock that was set back starts a new window, too.
  if (now < begun_at_ || now >= begun_at_ + kWindow) {
    begun_at_ = now;
    counts_.clear();
  }
  std::string network(NetworkOf(address));
  if (!counts_.contains(network) && counts_.size() >= kMostAddresses) network.clear();
  if (++counts_[network] <= kMost) return {};
  Error error{ErrorKind::kThrottled,
              fmt::format("{} tokens were sent for exchange from this address within a minute, the "
                          "limit: wait, and use one token for a whole job",
                          kMost),
              {}};
  error.retry_after = static_cast<unsigned>(begun_at_ + kWindow - now);
  return Failure(std::move(error));
}

}  // namespace koya::service
