// The rule for a version whose number does not reflect the changes since the version before.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace koya {

enum class SemverRule {
  kOff,             // nothing is compared
  kWarn,            // the publisher gets a warning
  kRefuseBreaking,  // not published when callers break and the number is no major step
  kRefuse,          // not published when the number is too small
};
inline constexpr std::array kSemverRules = {SemverRule::kOff, SemverRule::kWarn,
                                            SemverRule::kRefuseBreaking, SemverRule::kRefuse};

constexpr bool MayRefuse(SemverRule rule) { return rule >= SemverRule::kRefuseBreaking; }

constexpr std::string_view SemverRuleName(SemverRule rule) {
  switch (rule) {
    case SemverRule::kOff:
      return "off";
    case SemverRule::kWarn:
      return "warn";
    case SemverRule::kRefuseBreaking:
      return "refuse-breaking";
    case SemverRule::kRefuse:
      return "refuse";
  }
  return "off";
}
constexpr std::optional<SemverRule> ParseSemverRule(std::string_view name) {
  for (SemverRule rule : kSemverRules) {
    if (SemverRuleName(rule) == name) return rule;
  }
  return std::nullopt;
}

}  // namespace koya
