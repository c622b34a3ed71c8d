// Throttles sign-in attempts: failures cost time, more each time.
//
// Counts failures on this server, in bounded memory, per address (IPv6: per /64) and per account.
// Attempts of a browser that has signed in to the account before are counted only per account and
// browser, so that others' failures do not delay it. Names are counted alike whether the account
// exists or not.
//
// The first failures cost nothing: 5 of an account or browser, 20 of an address. Each further one
// costs a wait of 1 s, 2 s, 4 s … up to kLongestWait; during a wait nothing is tried, and nothing
// is counted. All is forgotten an hour after the last failure.
// Threads: any.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/expiring_map.h"
#include "base/result.h"
#include "domain/digest.h"

namespace koya::service {

class SignInThrottle {
 public:
  static constexpr std::chrono::seconds kLongestWait{15 * 60};
  static constexpr std::chrono::seconds kFade{60 * 60};
  // Limit of each kind (accounts, browsers, addresses): some 10 MiB. Beyond it the entries that
  // failed longest ago are dropped.
  static constexpr std::size_t kMost = 50'000;

  // `clock` must outlive this.
  explicit SignInThrottle(const Clock& clock) : clock_(clock) {}

  struct Attempt {
    std::string account;  // the name as typed, in any letter case; "": none
    std::string address;
    std::string device;  // mark of a browser that signed in to that account before; "": none
  };
  // Begins an attempt. It counts as a failure until Succeeded() or TakeBack(), so that concurrent
  // attempts cannot exceed the limit. Fails: kThrottled (retry_after).
  Status Begin(const Attempt& attempt);
  // Forgets the failures of the account or browser. Those of the address stay, but for this one.
  void Succeeded(const Attempt& attempt);
  // Cancels an attempt that was neither right nor wrong, as if it had not begun.
  void TakeBack(const Attempt& attempt);

  // Number of accounts, browsers and addresses in memory.
  std::size_t size() const;

 private:
  struct Failures {
    unsigned count = 0;
    UnixSeconds next_at = 0;  // when the next attempt may be made
  };
  using Known = ExpiringMap<Digest, Failures, UnixSeconds>;
  // A counter that an attempt increments.
  struct Counted {
    Known& known;
    Digest key;
    unsigned free;  // failures that cost nothing
  };
  std::vector<Counted> CountedFor(const Attempt& attempt);
  void TakeBack(const Counted& counted);

  const Clock& clock_;
  std::mutex mutex_;  // makes each read and update one step
  Known accounts_{kMost};
  Known devices_{kMost};
  Known addresses_{kMost};
};

}  // namespace koya::service
