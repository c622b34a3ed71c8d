#include "http/media_type.h"

#include <algorithm>

#include "base/text.h"

namespace koya::http {
namespace {

bool IsToken(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return c > ' ' && c < 0x7F &&
           std::string_view("()<>@,;:\\\"/[]?=").find(c) == std::string_view::npos;
  });
}

std::string_view WithoutSpaces(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// The value of a parameter: a token or a quoted string without quotes inside.
bool IsParameterValue(std::string_view text) {
  bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return IsToken(text) || (quoted && text.substr(1, text.size() - 2).find('"') == text.npos);
}

}  // namespace

bool IsJsonMediaType(std::string_view content_type) {
  std::size_t end = std::min(content_type.find(';'), content_type.size());
  if (!EqualsIgnoreCase(WithoutSpaces(content_type.substr(0, end)), "application/json"))
    return false;
  std::string_view rest = content_type.substr(end);
  while (!rest.empty()) {
    rest.remove_prefix(1);
    end = std::min(rest.find(';'), rest.size());
    std::string_view parameter = WithoutSpaces(rest.substr(0, end));
    rest.remove_prefix(end);
    if (parameter.empty() && rest.empty()) return true;  // "application/json;"
    std::size_t equals = parameter.find('=');
    if (equals == parameter.npos || !IsToken(parameter.substr(0, equals))) return false;
    if (!IsParameterValue(parameter.substr(equals + 1))) return false;
  }
  return true;
}

}  // namespace koya::http
