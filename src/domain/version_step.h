// The difference between a version of a module and the version before it, and the rule for a
// version whose number does not reflect it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace koya {

// The difference between a version of a module and the version before it, in short, for lists of
// versions. Computed when the version is published (inspect/changes.h has the rules), and stored
// with it.
struct VersionStep {
  // Counts for one section of the changes.
  struct Counts {
    std::uint32_t added = 0;
    std::uint32_t changed = 0;
    std::uint32_t removed = 0;
    std::uint32_t moved = 0;
    friend bool operator==(const Counts&, const Counts&) = default;
  };

  std::string before;  // the version that it was compared with
  std::string needed;  // by the changes: "major", "minor", "patch"
  std::string given;   // between the two numbers
  bool agrees = true;  // also true when it cannot be determined
  std::string wanted;  // the least number that would agree; "" if the given one does
  Counts inputs;
  Counts outputs;
  Counts resources;  // including the module's requirements
  std::uint32_t breaking = 0;
  std::uint32_t to_read = 0;

  // One line, as it is stored.
  std::string ToString() const;
  // nullopt: the text was not written by ToString.
  static std::optional<VersionStep> Parse(std::string_view text);

  friend bool operator==(const VersionStep&, const VersionStep&) = default;
};

// The rule for a version whose number does not reflect the changes since the version before.
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
