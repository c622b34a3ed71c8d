#include "domain/reserved_namespace.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace koya {

bool IsReservedNamespace(std::string_view ns) {
  constexpr std::array<std::string_view, 17> kWords{
      "-",      "api",       "builtin", "download", "feeds",      "hooks",
      "log",    "login",     "mirror",  "modules",  "namespaces", "oauth",
      "origin", "providers", "search",  "v1",       "v2"};
  return std::ranges::any_of(kWords,
                             [ns](std::string_view word) { return EqualsIgnoreCase(ns, word); });
}

}  // namespace koya
