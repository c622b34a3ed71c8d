// What an examination of a registry found, step by step.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace koya::doctor {

enum class Severity {
  kOk,
  kWarning,  // works for some clients, or not for ever
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
  std::string message;  // what was seen
  std::string mend;     // what to do about it; empty when nothing is wrong

  friend bool operator==(const Finding&, const Finding&) = default;
};

using Findings = std::vector<Finding>;

inline Finding Ok(std::string step, std::string message) {
  return {Severity::kOk, std::move(step), std::move(message), {}};
}
inline Finding Warning(std::string step, std::string message, std::string mend) {
  return {Severity::kWarning, std::move(step), std::move(message), std::move(mend)};
}
inline Finding Failed(std::string step, std::string message, std::string mend) {
  return {Severity::kFailure, std::move(step), std::move(message), std::move(mend)};
}

bool AnyFailure(const Findings& findings);
void Append(Findings& to, Findings from);

}  // namespace koya::doctor
