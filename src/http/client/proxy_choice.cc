#include "http/client/proxy_choice.h"

#include <array>
#include <span>
#include <string_view>

#include "base/text.h"
#include "http/address_range.h"

namespace koya::http {
namespace {

// The first that is set to something, as libcurl looks for them.
std::string FirstSet(const EnvironmentVariable& variable, std::span<const char* const> names) {
  for (const char* name : names) {
    const char* value = variable(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

std::string_view WithoutBrackets(std::string_view host) {
  return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

bool Covers(std::string_view entry, std::string_view host) {
  if (entry == "*") return true;
  if (auto address = Address::Parse(host)) {
    auto range = AddressRange::Parse(WithoutBrackets(entry));
    return range && range->Contains(*address);
  }
  while (entry.starts_with('.')) entry.remove_prefix(1);
  while (entry.ends_with('.')) entry.remove_suffix(1);
  while (host.ends_with('.')) host.remove_suffix(1);
  if (entry.empty() || host.size() < entry.size()) return false;
  std::string_view tail = host.substr(host.size() - entry.size());
  if (!EqualsIgnoreCase(tail, entry)) return false;
  return tail.size() == host.size() || host[host.size() - tail.size() - 1] == '.';
}

bool AnyCovers(std::string_view list, std::string_view host) {
  while (!list.empty()) {
    std::size_t begin = list.find_first_not_of(", \t");
    if (begin == list.npos) return false;
    list.remove_prefix(begin);
    std::string_view entry = list.substr(0, list.find_first_of(", \t"));
    if (Covers(entry, host)) return true;
    list.remove_prefix(entry.size());
  }
  return false;
}

}  // namespace

std::string ProxyFor(const Url& url, const EnvironmentVariable& variable) {
  constexpr std::array kSecure{"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
  constexpr std::array kPlain{"http_proxy", "all_proxy", "ALL_PROXY"};
  constexpr std::array kDirect{"no_proxy", "NO_PROXY"};
  if (IsLoopbackHost(url.host)) return {};
  if (AnyCovers(FirstSet(variable, kDirect), WithoutBrackets(url.host))) return {};
  return url.scheme == "https" ? FirstSet(variable, kSecure) : FirstSet(variable, kPlain);
}

}  // namespace koya::http
