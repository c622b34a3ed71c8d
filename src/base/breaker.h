// Leaves hosts alone that keep failing: after so many failures in a row nothing is sent for a
// while, then one request tries whether the host is back.
//
// Thread-safe. Hosts are known while they fail, and at most kMaxHosts of them.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/exchange_clock.h"
#include "base/result.h"

namespace koya {

struct BreakerOptions {
  unsigned failures = 5;
  std::chrono::milliseconds open{15'000};
};

class Breaker {
 public:
  static constexpr std::size_t kMaxHosts = 1024;

  explicit Breaker(BreakerOptions options) : options_(options) {}

  // Leave to send one request. Say how it went; a permit that is destroyed unsaid, because the
  // caller gave up for reasons of its own, has learnt nothing about the host.
  class Permit {
   public:
    Permit(Permit&& other) noexcept;
    Permit& operator=(Permit&&) = delete;
    ~Permit();
    void Succeeded();
    void Failed(SteadyTime now);
    const std::string& host() const { return host_; }

   private:
    friend class Breaker;
    Permit(Breaker& breaker, std::string host, bool is_probe)
        : breaker_(&breaker), host_(std::move(host)), is_probe_(is_probe) {}
    Breaker* breaker_;  // null once it has been said
    std::string host_;
    bool is_probe_;
  };

  // Fails: kUnavailable with retry_after, at once, while the host is left alone.
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
