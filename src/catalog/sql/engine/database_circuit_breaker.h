// Circuit breaker that spares a database that does not respond, and the callers that would wait for
// it: while open, it admits one transaction a second as a probe; all others fail at once.
//
// Threads: any; nothing here waits.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>

#include "base/error.h"

namespace koya::sql {

class DatabaseCircuitBreaker {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class Decision {
    kAdmit,
    kProbe,  // this call finds out: it ends in Close() or Open()
    kReject,
  };
  struct Admission {
    Decision decision = Decision::kAdmit;
    // With kReject: the failure that opened this breaker; none when only another one is open.
    std::optional<Error> why;
  };

  // `elsewhere`: another breaker is open, so that only a probe may pass. The result carries its
  // reason, since the state may differ by the next call.
  Admission Admit(Time now, bool elsewhere = false);
  void Close();
  void Open(Time now, Error why);
  bool is_open() const;
  // The failure that opened it last.
  Error why() const;

 private:
  mutable std::mutex mutex_;
  bool open_ = false;
  bool probing_ = false;
  Time next_probe_ = Time::min();
  Error why_;
};

}  // namespace koya::sql
