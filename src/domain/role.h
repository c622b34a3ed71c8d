// The role of an account in a namespace, and the scope of a token.
#pragma once

#include <optional>
#include <string_view>

namespace koya {

// The role of an account in a namespace. Each role includes the ones before it.
enum class Role {
  kReader,
  kPublisher,  // publishes, deprecates, checks
  kOwner,      // withdraws; manages keys, visibility and grants
};

constexpr std::string_view RoleName(Role role) {
  switch (role) {
    case Role::kReader:
      return "reader";
    case Role::kPublisher:
      return "publisher";
    case Role::kOwner:
      return "owner";
  }
  return "reader";
}

constexpr std::optional<Role> ParseRole(std::string_view text) {
  for (Role role : {Role::kReader, Role::kPublisher, Role::kOwner}) {
    if (text == RoleName(role)) return role;
  }
  return std::nullopt;
}

constexpr bool Includes(Role held, Role needed) {
  return static_cast<int>(held) >= static_cast<int>(needed);
}

// The scope of a token. Each scope includes the ones before it.
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
