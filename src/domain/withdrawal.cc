#include "domain/withdrawal.h"

#include <fmt/format.h>

#include "base/text.h"

namespace koya {
namespace {

std::string DayOf(UnixSeconds time) {
  constexpr std::size_t kDay = 10;  // of "2026-11-27T…"
  return FormatRfc3339(time).substr(0, kDay);
}

}  // namespace

Status CheckWithdrawalReason(std::string_view reason) {
  constexpr std::size_t kLongest = 1000;
  if (!reason.empty() && reason.size() <= kLongest && IsPlainText(reason)) return {};
  return FailInvalid(
      "a withdrawal, and its undoing, needs a reason of 1 to {} bytes of plain "
      "text: users ask for it",
      kLongest);
}

Failure WithdrawnFailure(std::string_view name, const Withdrawal& withdrawal) {
  std::string message =
      fmt::format("{} was withdrawn on {}: {}", name, DayOf(withdrawal.at), withdrawal.reason);
  if (!message.ends_with('.')) message += '.';
  message += withdrawal.successor.empty() ? std::string(" List its versions to find another one.")
                                          : fmt::format(" Use {}.", withdrawal.successor);
  return Fail(ErrorKind::kGone, std::move(message));
}

Failure NotWithdrawn(std::string_view name) {
  return FailConflict("{} is not withdrawn: there is nothing to restore", name);
}

Failure TooLateToRestore(std::string_view name, const Withdrawal& withdrawal) {
  return Fail(ErrorKind::kGone,
              fmt::format("{} was withdrawn on {} and cannot be restored: its files were kept only "
                          "for blobs.gc_grace; publish a higher version",
                          name, DayOf(withdrawal.at)));
}

}  // namespace koya
