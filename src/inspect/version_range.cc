#include "inspect/version_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace koya::inspect {
namespace {

struct Bound {
  std::string_view op;
  VersionNumbers numbers{};
  std::size_t written = 0;
  std::string_view prerelease;  // with its "-", or ""
};

std::string_view WithoutBlanks(std::string_view text) {
  std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

std::optional<Bound> ReadBound(std::string_view text) {
  Bound bound;
  text = WithoutBlanks(text);
  std::size_t end = std::min(text.find_first_not_of("=!<>~"), text.size());
  bound.op = text.substr(0, end);
  text = WithoutBlanks(text.substr(end));
  if (text.starts_with('v')) text.remove_prefix(1);
  text = text.substr(0, text.find('+'));
  const std::size_t dash = std::min(text.find('-'), text.size());
  bound.prerelease = text.substr(dash);
  text = text.substr(0, dash);
  while (!text.empty() && bound.written < 3) {
    std::string_view number = text.substr(0, text.find('.'));
    const char* stop = number.data() + number.size();
    auto [read, error] = std::from_chars(number.data(), stop, bound.numbers[bound.written]);
    // Beyond any sum below.
    bool huge = bound.numbers[bound.written] >= std::uint64_t{1} << 62;
    if (error != std::errc() || read != stop || huge) return std::nullopt;
    ++bound.written;
    text.remove_prefix(std::min(number.size() + 1, text.size()));
  }
  if (bound.written == 0) return std::nullopt;
  return bound;
}

// The one behind `numbers`, counted at the place `at`.
VersionNumbers Behind(VersionNumbers numbers, std::size_t at) {
  ++numbers[at];
  std::fill(numbers.begin() + static_cast<std::ptrdiff_t>(at) + 1, numbers.end(), 0);
  return numbers;
}

void Narrow(VersionRange& range, const Bound& bound, ConstraintStyle style) {
  auto raise = [&](const VersionNumbers& lower) { range.lower = std::max(range.lower, lower); };
  auto cut = [&](const VersionNumbers& upper) {
    range.upper = range.upper ? std::min(*range.upper, upper) : upper;
  };
  bool exact = bound.op.empty() || bound.op == "=";
  if (exact || bound.op == ">=" || bound.op == "~>") raise(bound.numbers);
  if (bound.op == ">") raise(Behind(bound.numbers, 2));
  if (exact || bound.op == "<=") cut(Behind(bound.numbers, 2));
  if (bound.op == "<") cut(bound.numbers);
  // Only what stands before the last number is held fast, but that clients hold a provider's major.
  const bool open = bound.written == 1 && style == ConstraintStyle::kModule;
  if (bound.op == "~>" && !open) cut(Behind(bound.numbers, bound.written == 3 ? 1 : 0));
  if (!bound.prerelease.empty()) {
    const std::string_view op = exact ? "=" : bound.op;
    range.prereleases.push_back(
        fmt::format("{}{}{}", op, ToString(bound.numbers), bound.prerelease));
  } else if (bound.op == "!=") {
    range.excluded.push_back(bound.numbers);
  }
}

// Of those that are left out only what would be taken otherwise, each once, in order.
void TidyUp(VersionRange& range) {
  std::erase_if(range.excluded, [&range](const VersionNumbers& each) {
    return each < range.lower || (range.upper && each >= *range.upper);
  });
  auto sort = [](auto& list) {
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
  };
  sort(range.excluded);
  sort(range.prereleases);
}

}  // namespace

std::optional<VersionRange> ReadRange(std::string_view constraint, ConstraintStyle style) {
  VersionRange range;
  constraint = WithoutBlanks(constraint);
  while (!constraint.empty()) {
    std::size_t comma = std::min(constraint.find(','), constraint.size());
    std::optional<Bound> bound = ReadBound(constraint.substr(0, comma));
    if (!bound) return std::nullopt;
    Narrow(range, *bound, style);
    constraint = WithoutBlanks(constraint.substr(std::min(comma + 1, constraint.size())));
  }
  TidyUp(range);
  return range;
}

std::string ToString(const VersionNumbers& numbers) {
  return fmt::format("{}.{}.{}", numbers[0], numbers[1], numbers[2]);
}

}  // namespace koya::inspect
