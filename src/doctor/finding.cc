#include "doctor/finding.h"

#include <algorithm>
#include <iterator>

namespace koya::doctor {

bool AnyFailure(const Findings& findings) {
  return std::ranges::any_of(
      findings, [](const Finding& each) { return each.severity == Severity::kFailure; });
}

void Append(Findings& to, Findings from) { std::ranges::move(from, std::back_inserter(to)); }

}  // namespace koya::doctor
