#include "base/circuit_breaker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace koya {
namespace {

Failure LeftAlone(const std::string& host, unsigned failures, std::chrono::nanoseconds left) {
  auto seconds = std::chrono::ceil<std::chrono::seconds>(left).count();
  Error error{
      ErrorKind::kUnavailable,
      fmt::format("{} failed {} times in a row and is not contacted for a moment; try again later",
                  host, failures),
      {}};
  error.retry_after = static_cast<unsigned>(std::max<std::int64_t>(seconds, 1));
  return Failure(std::move(error));
}

}  // namespace

CircuitBreaker::Permit::Permit(Permit&& other) noexcept
    : breaker_(std::exchange(other.breaker_, nullptr)),
      host_(std::move(other.host_)),
      is_probe_(other.is_probe_) {}

CircuitBreaker::Permit::~Permit() {
  if (breaker_ != nullptr && is_probe_) breaker_->Unsaid(host_);
}

void CircuitBreaker::Permit::Succeeded() {
  if (CircuitBreaker* breaker = std::exchange(breaker_, nullptr)) breaker->Succeeded(host_);
}

void CircuitBreaker::Permit::Failed(SteadyTime now) {
  if (CircuitBreaker* breaker = std::exchange(breaker_, nullptr)) breaker->Failed(host_, now);
}

Result<CircuitBreaker::Permit> CircuitBreaker::Enter(const std::string& host, SteadyTime now) {
  std::lock_guard lock(mutex_);
  auto found = hosts_.find(host);
  if (found == hosts_.end() || found->second.failures < options_.failures) {
    return Permit(*this, host, false);
  }
  Host& known = found->second;
  if (now < known.open_until) return LeftAlone(host, known.failures, known.open_until - now);
  if (known.probing) return LeftAlone(host, known.failures, {});
  known.probing = true;
  return Permit(*this, host, true);
}

void CircuitBreaker::Succeeded(const std::string& host) {
  std::lock_guard lock(mutex_);
  hosts_.erase(host);
}

void CircuitBreaker::Failed(const std::string& host, SteadyTime now) {
  std::lock_guard lock(mutex_);
  if (!hosts_.contains(host)) MakeRoom();
  Host& known = hosts_[host];
  ++known.failures;
  known.probing = false;
  if (known.failures >= options_.failures) known.open_until = now + options_.open;
}

void CircuitBreaker::Unsaid(const std::string& host) {
  std::lock_guard lock(mutex_);
  auto found = hosts_.find(host);
  if (found != hosts_.end()) found->second.probing = false;
}

// Forgetting a host costs it a few more failures, nothing else.
void CircuitBreaker::MakeRoom() {
  if (hosts_.size() >= kMaxHosts) hosts_.erase(hosts_.begin());
}

}  // namespace koya
