// How often somebody may try: guesses cost time, more each time.
//
// Counted on this server, in memory of a bounded size, per address (IPv6: per /64) and per account
// or, for a browser that has signed in to that account before, per account and browser alone: such
// a browser is not held up by what others do. Names are counted alike whether there is such an
// account or not.
//
// The first failures cost nothing: 5 of an account or browser, 20 of an address. Each beyond costs
// a wait, of 1 s, 2 s, 4 s … up to kLongestWait; during a wait nothing is tried, and nothing is
// counted. All is forgotten an hour after the last failure.
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
  // Of each kind (accounts, browsers, addresses): some 10 MiB. Beyond that what failed longest ago
  // is forgotten.
  static constexpr std::size_t kMost = 50'000;

  // `clock` must outlive this.
  explicit SignInThrottle(const Clock& clock) : clock_(clock) {}

  struct Attempt {
    std::string account;  // the name as typed, in any letter case; "": there is none
    std::string address;
    std::string device;  // of a browser that has signed in to that account before; "": it has not
  };
  // Counts as a failure until one of the next two is called, so that attempts that run at once do
  // not get around it. Fails: kThrottled (retry_after).
  Status Begin(const Attempt& attempt);
  // Forgets the failures of the account or browser. Those of the address stay, but for this one.
  void Succeeded(const Attempt& attempt);
  // It was neither right nor wrong: as if it had not been begun.
  void TakeBack(const Attempt& attempt);

  // How many accounts, browsers and addresses are remembered.
  std::size_t size() const;

 private:
  struct Failures {
    unsigned count = 0;
    UnixSeconds next_at = 0;  // when the next attempt may be made
  };
  using Known = ExpiringMap<Digest, Failures, UnixSeconds>;
  // What an attempt counts for.
  struct Counted {
    Known& known;
    Digest key;
    unsigned free;  // failures that cost nothing
  };
  std::vector<Counted> CountedFor(const Attempt& attempt);
  void TakeBack(const Counted& counted);

  const Clock& clock_;
  std::mutex mutex_;  // of what is read and written in one step
  Known accounts_{kMost};
  Known devices_{kMost};
  Known addresses_{kMost};
};

}  // namespace koya::service
