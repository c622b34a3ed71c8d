#include "blobs/s3/retries.h"

#include <algorithm>
#include <utility>

namespace koya::s3 {
namespace {

constexpr std::chrono::milliseconds kFirstWait{100};
constexpr std::chrono::milliseconds kLongestWait{5'000};
constexpr std::chrono::milliseconds kLeastTime{1'000};

}  // namespace

bool RetryBudget::TakeRetry() {
  std::lock_guard lock(mutex_);
  if (left_ < 1) return false;
  left_ -= 1;
  return true;
}

void RetryBudget::Succeeded() {
  std::lock_guard lock(mutex_);
  left_ = std::min(left_ + kGivenBack, kMost);
}

double RetryBudget::left() const {
  std::lock_guard lock(mutex_);
  return left_;
}

Retries::Retries(RetryBudget& budget, ExchangeClock& clock, std::chrono::milliseconds patience,
                 bool from_failure)
    : budget_(budget), clock_(clock), patience_(patience), from_failure_(from_failure) {
  Progressed();
  is_free_ = false;
}

void Retries::Progressed() {
  tries_ = 0;
  is_free_ = true;
  started_slowly_ = set_the_clock_ = renewed_ = false;
  began_ = from_failure_ ? std::nullopt : std::optional(clock_.Now());
}

std::chrono::milliseconds Retries::Left() const {
  if (!began_) return patience_;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(*began_ + patience_ - clock_.Now());
  return std::max(left, kLeastTime);
}

std::optional<std::chrono::milliseconds> Retries::Next(FailureClass trouble,
                                                       std::optional<std::chrono::seconds> asked) {
  ++tries_;
  if (!began_) began_ = clock_.Now();
  auto once = [](bool& done) {
    return std::exchange(done, true) ? std::nullopt : std::optional(std::chrono::milliseconds(0));
  };
  switch (trouble) {
    case FailureClass::kSkewed:
      return once(set_the_clock_);
    case FailureClass::kExpired:
      return once(renewed_);
    case FailureClass::kSlowStart:
      if (!started_slowly_ && budget_.TakeRetry()) return once(started_slowly_);
      return Later(asked);
    case FailureClass::kRetryable:
    case FailureClass::kCircuitOpen:
      return Later(asked);
    default:
      return std::nullopt;
  }
}

std::optional<std::chrono::milliseconds> Retries::Later(std::optional<std::chrono::seconds> asked) {
  if (tries_ >= kMostTries) return std::nullopt;
  auto wait = std::min(kFirstWait * (1U << (tries_ - 1)), kLongestWait);
  // Between half of it and all: those who failed together do not come back together.
  const double part = 0.5 + 0.5 * clock_.Random();
  wait = std::chrono::milliseconds(
      static_cast<std::int64_t>(static_cast<double>(wait.count()) * part));
  if (asked) wait = std::max<std::chrono::milliseconds>(wait, *asked);
  if (clock_.Now() + wait > *began_ + patience_) return std::nullopt;
  if (!std::exchange(is_free_, false) && !budget_.TakeRetry()) return std::nullopt;
  return wait;
}

}  // namespace koya::s3
