#include "upstream/modules/module_versions.h"

#include <algorithm>
#include <unordered_set>

namespace koya::upstream {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// One number off the front of `text`, without leading zeros; "" when none is there.
std::string TakeNumber(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && IsDigit(text[end])) ++end;
  std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return std::string(digits);
}

}  // namespace

std::optional<Version> CanonicalVersion(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::string canonical;
  for (int numbers = 0; numbers < 3; ++numbers) {
    bool ended = numbers > 0 && !text.starts_with('.');
    if (numbers > 0 && !ended) text.remove_prefix(1);
    std::string number = ended ? "0" : TakeNumber(text);
    if (number.empty()) return std::nullopt;
    canonical += (numbers > 0 ? "." : "") + number;
  }
  bool bare_prerelease = !text.empty() && text.front() != '-' && text.front() != '+';
  // A fourth number begins with a dot, which no prerelease does.
  if (bare_prerelease) canonical += '-';
  auto version = Version::Parse(canonical.append(text));
  return version ? std::optional(*std::move(version)) : std::nullopt;
}

CanonicalVersions CanonicalVersionsOf(const std::vector<std::string>& list) {
  CanonicalVersions out;
  std::unordered_set<std::string> seen;
  for (const std::string& each : list) {
    auto version = CanonicalVersion(each);
    if (!version) {
      ++out.skipped;
    } else if (seen.insert(version->ToString()).second) {
      out.versions.push_back(*std::move(version));
    }
  }
  return out;
}

}  // namespace koya::upstream
