#include "api/common/cookies.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "http/server/characters.h"

namespace koya::api {
namespace {

// cookie-octet of RFC 6265 §4.1.1.
bool IsCookieCharacter(char c) {
  return c > ' ' && c < 0x7F && c != '"' && c != ',' && c != ';' && c != '\\';
}

bool IsCookieName(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, http::IsToken);
}

}  // namespace

Cookies::Cookies(const http::Request& request) {
  std::size_t bytes = 0;
  for (const http::Field& field : request.fields) {
    if (!EqualsIgnoreCase(field.name, "Cookie")) continue;
    bytes += field.value.size();
    if (bytes > kMostBytes) break;
    Add(field.value);
  }
  if (bytes > kMostBytes || pairs_.size() > kMostCookies) pairs_.clear();
}

void Cookies::Add(std::string_view field) {
  while (!field.empty() && pairs_.size() <= kMostCookies) {
    std::size_t end = std::min(field.find(';'), field.size());
    std::string_view pair = http::TrimSpace(field.substr(0, end));
    field.remove_prefix(std::min(end + 1, field.size()));
    std::size_t equals = pair.find('=');
    if (equals == pair.npos) continue;
    std::string_view name = pair.substr(0, equals);
    std::string_view value = pair.substr(equals + 1);
    if (!IsCookieName(name) || !std::ranges::all_of(value, IsCookieCharacter)) continue;
    pairs_.emplace_back(name, value);
  }
}

std::string_view Cookies::Get(std::string_view name) const {
  auto is_it = [name](const auto& pair) { return pair.first == name; };
  auto found = std::ranges::find_if(pairs_, is_it);
  if (found == pairs_.end() || std::ranges::count_if(pairs_, is_it) > 1) return {};
  return found->second;
}

std::string SetCookie(std::string_view name, std::string_view value,
                      std::optional<std::chrono::seconds> life) {
  if (!IsCookieName(name) || !std::ranges::all_of(value, IsCookieCharacter)) {
    throw std::logic_error(fmt::format("the cookie {} has an invalid name or value", name));
  }
  std::string field = fmt::format("{}={}; Path=/; Secure; HttpOnly; SameSite=Lax", name, value);
  if (life) field += fmt::format("; Max-Age={}", life->count());
  return field;
}

}  // namespace koya::api
