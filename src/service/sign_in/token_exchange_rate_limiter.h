// Limits how often an address may try to exchange a CI's token: verifying signatures costs time.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace koya::service {

// Counts attempts on this server, per address (IPv6: per /64), in bounded memory. Machines of one
// CI share an address, so the limit is generous. Threads: any.
class TokenExchangeRateLimiter {
 public:
  static constexpr unsigned kMost = 120;                 // per address and window
  static constexpr UnixSeconds kWindow = 60;             // seconds
  static constexpr std::size_t kMostAddresses = 10'000;  // further addresses share one count

  explicit TokenExchangeRateLimiter(const Clock& clock) : clock_(clock) {}

  // Counts one attempt. Fails: kThrottled (retry_after).
  Status Enter(std::string_view address);

 private:
  const Clock& clock_;
  std::mutex mutex_;
  UnixSeconds begun_at_ = 0;  // start of the window that all addresses share
  std::map<std::string, unsigned> counts_;
};

}  // namespace koya::service
