// A circuit breaker per host: after a number of consecutive failures, requests fail at once for a
// while; then one probe request checks whether the host is back.
//
// Thread-safe. Keeps an entry for a host only while it fails, and for at most kMaxHosts hosts.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "base/result.h"

namespace koya {

struct BreakerOptions {
  unsigned failures = 5;
  std::chrono::milliseconds open{15'000};
};

class CircuitBreaker {
 public:
  static constexpr std::size_t kMaxHosts = 1024;

  explicit CircuitBreaker(BreakerOptions options) : options_(options) {}

  // Permission to send one request. Report the outcome with Succeeded() or Failed(); a permit that
  // is destroyed without either, because the caller gave up for reasons of its own, does not count
  // for or against the host.
  class Permit {
   public:
    Permit(Permit&& other) noexcept;
    Permit& operator=(Permit&&) = delete;
    ~Permit();
    void Succeeded();
    void Failed(SteadyTime now);
    const std::string& host() const { return host_; }

   private:
    friend class CircuitBreaker;
    Permit(CircuitBreaker& breaker, std::string host, bool is_probe)
        : breaker_(&breaker), host_(std::move(host)), is_probe_(is_probe) {}
    CircuitBreaker* breaker_;  // null once the outcome was reported
    std::string host_;
    bool is_probe_;
  };

  // Fails: kUnavailable with retry_after, at once, while the circuit is open.
  Result<Permit> Enter(const std::string& host, SteadyTime now);

 private:
  struct Host {
    unsigned failures = 0;
    SteadyTime open_until;
    bool probing = false;
  };
  void Succeeded(const std::string& host);
  void Failed(const std::string& host, SteadyTime now);
  void Unsaid(const std::string& host);
  void MakeRoom();

  const BreakerOptions options_;
  std::mutex mutex_;
  std::unordered_map<std::string, Host> hosts_;
};

}  // namespace koya
