#include "catalog/sql/gate.h"

#include <utility>

namespace koya::sql {
namespace {

constexpr std::chrono::seconds kBetweenProbes{1};

}  // namespace

Gate::Asked Gate::Ask(Time now, bool elsewhere) {
  std::lock_guard lock(mutex_);
  if (!closed_ && !elsewhere) return {Answer::kPass, {}};
  if (probing_ || now < next_probe_) {
    return {Answer::kRefused, closed_ ? std::optional(why_) : std::nullopt};
  }
  probing_ = true;
  next_probe_ = now + kBetweenProbes;
  return {Answer::kProbe, {}};
}

void Gate::Open() {
  std::lock_guard lock(mutex_);
  closed_ = probing_ = false;
}

void Gate::Close(Time now, Error why) {
  std::lock_guard lock(mutex_);
  closed_ = true;
  probing_ = false;
  next_probe_ = now + kBetweenProbes;
  why_ = std::move(why);
}

bool Gate::closed() const {
  std::lock_guard lock(mutex_);
  return closed_;
}

Error Gate::why() const {
  std::lock_guard lock(mutex_);
  return why_;
}

}  // namespace koya::sql
