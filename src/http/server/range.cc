#include "http/server/range.h"

#include <algorithm>
#include <optional>

#include "http/server/characters.h"

namespace koya::http {
namespace {

// Numbers of more than 18 digits are beyond any file; the largest value stands for them.
std::optional<std::uint64_t> ParseNumber(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::uint64_t number = 0;
  bool huge = text.size() > 18;
  for (char c : text) {
    if (!IsDigit(c)) return std::nullopt;
    if (!huge) number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return huge ? ~std::uint64_t{0} : number;
}

ByteRange Suffix(std::uint64_t count, std::uint64_t size) {
  if (count == 0 || size == 0) return {ByteRange::Kind::kUnsatisfiable, 0, 0};
  count = std::min(count, size);
  return {ByteRange::Kind::kPart, size - count, count};
}

}  // namespace

ByteRange ParseRange(std::string_view field, std::uint64_t size) {
  const ByteRange whole{ByteRange::Kind::kWhole, 0, size};
  constexpr std::string_view kUnit = "bytes=";
  if (field.size() < kUnit.size() || !IsIgnoringCase(field.substr(0, kUnit.size()), kUnit)) {
    return whole;
  }
  std::string_view range = TrimSpace(field.substr(kUnit.size()));
  std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return whole;
  std::string_view first_text = range.substr(0, dash);
  std::string_view last_text = range.substr(dash + 1);
  auto last = ParseNumber(last_text);
  if (first_text.empty()) return last ? Suffix(*last, size) : whole;
  auto first = ParseNumber(first_text);
  if (!first || (!last && !last_text.empty()) || (last && *last < *first)) return whole;
  if (*first >= size) return {ByteRange::Kind::kUnsatisfiable, 0, 0};
  std::uint64_t end = last ? std::min(*last, size - 1) : size - 1;
  return {ByteRange::Kind::kPart, *first, end - *first + 1};
}

}  // namespace koya::http
