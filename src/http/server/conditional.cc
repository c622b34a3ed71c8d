#include "http/server/conditional.h"

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

}  // namespace koya::http
