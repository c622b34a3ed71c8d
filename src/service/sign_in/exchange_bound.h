// How often somebody may try to exchange a CI's token: verifying signatures costs time.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace koya::service {

// Counted on this server, per address (IPv6: per /64), in memory of a bounded size. Machines of one
// CI share an address, so it is no small number. Threads: any.
class ExchangeBound {
 public:
  static constexpr unsigned kMost = 120;                 // of an address
  static constexpr UnixSeconds kWindow = 60;             // seconds
  static constexpr std::size_t kMostAddresses = 10'000;  // beyond them all share one count

  explicit ExchangeBound(const Clock& clock) : clock_(clock) {}

  // Counts one. Fails: kThrottled (retry_after).
  Status Enter(std::string_view address);

 private:
  const Clock& clock_;
  std::mutex mutex_;
  UnixSeconds begun_at_ = 0;  // of the window; all addresses have the same
  std::map<std::string, unsigned> counts_;
};

}  // namespace koya::service
