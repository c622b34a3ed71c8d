// Findings of an examination of a registry, step by step.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace koya::doctor {

enum class Severity {
  kOk,
  kWarning,  // works for some clients, or only for now
  kFailure,  // some client cannot use the registry
};

constexpr std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kOk:
      return "ok";
    case Severity::kWarning:
      return "warning";
    case Severity::kFailure:
      return "failure";
  }
  return "failure";
}

struct Finding {
  Severity severity = Severity::kOk;
  std::string step;     // "dns", "tls", "discovery", "modules.v1", …
  std::string message;  // the observation
  std::string fix;      // the remedy; empty when there is no fault

  friend bool operator==(const Finding&, const Finding&) = default;
};

using Findings = std::vector<Finding>;

inline Finding Ok(std::string step, std::string message) {
  return {Severity::kOk, std::move(step), std::move(message), {}};
}
inline Finding Warning(std::string step, std::string message, std::string fix) {
  return {Severity::kWarning, std::move(step), std::move(message), std::move(fix)};
}
inline Finding Failed(std::string step, std::string message, std::string fix) {
  return {Severity::kFailure, std::move(step), std::move(message), std::move(fix)};
}

inline bool AnyFailure(const Findings& findings) {
  return std::ranges::any_of(
      findings, [](const Finding& each) { return each.severity == Severity::kFailure; });
}

inline void Append(Findings& to, Findings from) { std::ranges::move(from, std::back_inserter(to)); }

}  // namespace koya::doctor
