#include "catalog/sql/engine/database_circuit_breaker.h"

#include <utility>

namespace koya::sql {
namespace {

constexpr std::chrono::seconds kBetweenProbes{1};

}  // namespace

DatabaseCircuitBreaker::Admission DatabaseCircuitBreaker::Admit(Time now, bool elsewhere) {
  std::lock_guard lock(mutex_);
  if (!open_ && !elsewhere) return {Decision::kAdmit, {}};
  if (probing_ || now < next_probe_) {
    return {Decision::kReject, open_ ? std::optional(why_) : std::nullopt};
  }
  probing_ = true;
  next_probe_ = now + kBetweenProbes;
  return {Decision::kProbe, {}};
}

void DatabaseCircuitBreaker::Close() {
  std::lock_guard lock(mutex_);
  open_ = probing_ = false;
}

void DatabaseCircuitBreaker::Open(Time now, Error why) {
  std::lock_guard lock(mutex_);
  open_ = true;
  probing_ = false;
  next_probe_ = now + kBetweenProbes;
  why_ = std::move(why);
}

bool DatabaseCircuitBreaker::is_open() const {
  std::lock_guard lock(mutex_);
  return open_;
}

Error DatabaseCircuitBreaker::why() const {
  std::lock_guard lock(mutex_);
  return why_;
}

}  // namespace koya::sql
