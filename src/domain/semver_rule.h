// What is done when a version's number does not say what changed since the version before.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace koya {

enum class SemverRule {
  kOff,     // nothing is compared
  kWarn,    // the publisher is told
  kRefuse,  // the version is not published
};
inline constexpr std::array kSemverRules = {SemverRule::kOff, SemverRule::kWarn,
                                            SemverRule::kRefuse};

constexpr std::string_view SemverRuleName(SemverRule rule) {
  switch (rule) {
    case SemverRule::kOff:
      return "off";
    case SemverRule::kWarn:
      return "warn";
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
