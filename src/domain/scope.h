// The scope of a token. Each scope includes the ones before it.
#pragma once

#include <optional>
#include <string_view>

namespace koya {

enum class Scope { kRead, kPublish, kAdmin };

constexpr std::string_view ScopeName(Scope scope) {
  switch (scope) {
    case Scope::kRead:
      return "read";
    case Scope::kPublish:
      return "publish";
    case Scope::kAdmin:
      return "admin";
  }
  return "read";
}

constexpr std::optional<Scope> ParseScope(std::string_view text) {
  for (Scope scope : {Scope::kRead, Scope::kPublish, Scope::kAdmin}) {
    if (text == ScopeName(scope)) return scope;
  }
  return std::nullopt;
}

constexpr bool Includes(Scope held, Scope needed) {
  return static_cast<int>(held) >= static_cast<int>(needed);
}

}  // namespace koya
