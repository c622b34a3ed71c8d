#include "http/server/conditional.h"

#include <algorithm>
#include <optional>

#include "http/server/characters.h"

namespace koya::http {
namespace {

std::string_view WithoutWeakness(std::string_view etag) {
  return etag.starts_with("W/") ? etag.substr(2) : etag;
}

// Takes one entity tag off the list; they are quoted, so commas may be inside. "" at the end or
// where the list is malformed.
std::string_view NextEtag(std::string_view& list) {
  std::size_t start = list.find_first_not_of(" \t,");
  if (start == std::string_view::npos) return {};
  list.remove_prefix(start);
  std::size_t open = list.starts_with("W/") ? 2 : 0;
  if (open >= list.size() || list[open] != '"') return {};
  std::size_t close = list.find('"', open + 1);
  if (close == std::string_view::npos) return {};
  std::string_view etag = list.substr(0, close + 1);
  list.remove_prefix(close + 1);
  return etag;
}

// Whether a ";q=0.5" part leaves the coding acceptable. "q=0", "q=0.000" do not.
bool HasWeight(std::string_view parameters) {
  std::size_t equals = parameters.find('=');
  if (equals == std::string_view::npos) return true;
  if (!IsIgnoringCase(TrimSpace(parameters.substr(0, equals)), "q")) return true;
  std::string_view weight = TrimSpace(parameters.substr(equals + 1));
  return weight.find_first_not_of("0.") != std::string_view::npos;
}

}  // namespace

bool MatchesEtag(std::string_view field, std::string_view etag) {
  if (etag.empty()) return false;
  std::string_view list = TrimSpace(field);
  if (list == "*") return true;
  for (;;) {
    std::string_view candidate = NextEtag(list);
    if (candidate.empty()) return false;
    if (WithoutWeakness(candidate) == WithoutWeakness(etag)) return true;
  }
}

bool RangeApplies(std::string_view if_range, std::string_view etag) {
  if (if_range.empty()) return true;
  return if_range == etag && !etag.starts_with("W/");
}

bool AcceptsGzip(std::string_view accept_encoding) {
  if (accept_encoding == "gzip") return true;  // as clients written in Go say it
  std::optional<bool> any;
  while (!accept_encoding.empty()) {
    std::string_view element = NextElement(accept_encoding);
    std::size_t semicolon = element.find(';');
    std::string_view coding = TrimSpace(element.substr(0, semicolon));
    bool weight = semicolon == std::string_view::npos || HasWeight(element.substr(semicolon + 1));
    if (IsIgnoringCase(coding, "gzip") || IsIgnoringCase(coding, "x-gzip")) return weight;
    if (coding == "*") any = weight;
  }
  return any.value_or(false);
}

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
