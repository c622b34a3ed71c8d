#include "domain/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text.h"

namespace koya {
namespace {

constexpr std::string_view kVersionExample =
    "write MAJOR.MINOR.PATCH, for example 1.4.0 or 1.4.0-rc.1";

bool IsVersionDigit(char c) { return c >= '0' && c <= '9'; }
bool IsIdentifierChar(char c) {
  return IsVersionDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}
bool IsNumeric(std::string_view text) { return std::ranges::all_of(text, IsVersionDigit); }

Failure BadVersion(std::string_view text, std::string_view why) {
  return FailInvalid("version \"{}\" is not allowed: {}", Printable(text, 140), why);
}

// One of the three numbers, as far as the "." or the end.
Result<std::uint64_t> ParseNumber(std::string_view whole, std::string_view part) {
  if (part.empty() || !IsNumeric(part)) {
    return BadVersion(whole, kVersionExample);
  }
  if (part.size() > 1 && part.front() == '0') {
    return BadVersion(whole,
                      fmt::format("the number {} has a leading zero: clients disagree about it",
                                  Printable(part, 40)));
  }
  std::uint64_t value = 0;
  auto [end, ec] = std::from_chars(part.data(), part.data() + part.size(), value);
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (ec != std::errc() || value > kMax) {
    return BadVersion(whole, fmt::format("the number {} is too large: use numbers below 2^63",
                                         Printable(part, 40)));
  }
  return value;
}

Status CheckIdentifiers(std::string_view whole, std::string_view what, std::string_view text,
                        bool refuse_leading_zero) {
  while (true) {
    std::size_t dot = text.find('.');
    std::string_view part = text.substr(0, dot);
    if (part.empty()) {
      return BadVersion(whole, fmt::format("its {} has an empty part: {}", what, kVersionExample));
    }
    if (!std::ranges::all_of(part, IsIdentifierChar)) {
      return BadVersion(whole,
                        fmt::format("its {} may hold letters, digits, \"-\" and \".\" only", what));
    }
    if (refuse_leading_zero && part.size() > 1 && part.front() == '0' && IsNumeric(part)) {
      return BadVersion(whole, fmt::format("the number {} in its {} has a leading zero",
                                           Printable(part, 40), what));
    }
    if (dot == std::string_view::npos) return {};
    text.remove_prefix(dot + 1);
  }
}

std::strong_ordering CompareIdentifier(std::string_view a, std::string_view b) {
  bool a_numeric = IsNumeric(a);
  bool b_numeric = IsNumeric(b);
  if (a_numeric != b_numeric) {
    return a_numeric ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  // Without leading zeros, the longer number is the larger: no overflow whatever its length.
  if (a_numeric && a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

std::strong_ordering ComparePrerelease(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return b.size() <=> a.size();  // a release is newer
  while (true) {
    std::size_t a_dot = a.find('.');
    std::size_t b_dot = b.find('.');
    auto order = CompareIdentifier(a.substr(0, a_dot), b.substr(0, b_dot));
    if (order != std::strong_ordering::equal) return order;
    bool a_ends = a_dot == std::string_view::npos;
    bool b_ends = b_dot == std::string_view::npos;
    if (a_ends || b_ends) return static_cast<int>(b_ends) <=> static_cast<int>(a_ends);
    a.remove_prefix(a_dot + 1);
    b.remove_prefix(b_dot + 1);
  }
}

// "v1.0.0", as tags are written.
Failure BadPrefix(std::string_view text) {
  auto without = Version::Parse(text.substr(1));
  if (!without) return BadVersion(text, kVersionExample);
  return BadVersion(
      text, fmt::format("leave out the \"{}\": write {}", text.substr(0, 1), without->ToString()));
}

}  // namespace

Result<Version> Version::Parse(std::string_view text) {
  if (text.empty()) return FailInvalid("the version is empty: {}", kVersionExample);
  if (text.size() > kMaxLength) {
    return BadVersion(text,
                      fmt::format("it has {} characters; use at most {}", text.size(), kMaxLength));
  }
  if (text.starts_with('v') || text.starts_with('V')) return BadPrefix(text);
  Version version;
  std::string_view rest = text;
  if (std::size_t plus = rest.find('+'); plus != std::string_view::npos) {
    version.build_ = rest.substr(plus + 1);
    rest = rest.substr(0, plus);
    RETURN_IF_ERROR(CheckIdentifiers(text, "build metadata", version.build_, false));
  }
  if (std::size_t dash = rest.find('-'); dash != std::string_view::npos) {
    version.prerelease_ = rest.substr(dash + 1);
    rest = rest.substr(0, dash);
    RETURN_IF_ERROR(CheckIdentifiers(text, "prerelease", version.prerelease_, true));
  }
  if (std::ranges::count(rest, '.') != 2) {
    return BadVersion(text, kVersionExample);
  }
  std::size_t first = rest.find('.');
  std::size_t second = rest.find('.', first + 1);
  ASSIGN_OR_RETURN(version.major_, ParseNumber(text, rest.substr(0, first)));
  ASSIGN_OR_RETURN(version.minor_, ParseNumber(text, rest.substr(first + 1, second - first - 1)));
  ASSIGN_OR_RETURN(version.patch_, ParseNumber(text, rest.substr(second + 1)));
  if (version.major_ == 0 && version.minor_ == 0 && version.patch_ == 0) {
    return BadVersion(text,
                      "clients read 0.0.0 as \"no version given\"; begin with 0.0.1 or 0.1.0");
  }
  return version;
}

Result<Version> Version::ParseLookup(std::string_view text) {
  return Parse(text.starts_with('v') ? text.substr(1) : text);
}

std::string Version::ToString() const {
  std::string out = PrecedenceKey();
  if (!build_.empty()) out += "+" + build_;
  return out;
}

std::string Version::PrecedenceKey() const {
  std::string out = fmt::format("{}.{}.{}", major_, minor_, patch_);
  if (!prerelease_.empty()) out += "-" + prerelease_;
  return out;
}

std::strong_ordering operator<=>(const Version& a, const Version& b) {
  if (auto order = a.major_ <=> b.major_; order != std::strong_ordering::equal) return order;
  if (auto order = a.minor_ <=> b.minor_; order != std::strong_ordering::equal) return order;
  if (auto order = a.patch_ <=> b.patch_; order != std::strong_ordering::equal) return order;
  auto order = ComparePrerelease(a.prerelease_, b.prerelease_);
  return order != std::strong_ordering::equal ? order : a.build_ <=> b.build_;
}

}  // namespace koya
