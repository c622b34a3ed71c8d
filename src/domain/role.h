// The role of an account in a namespace. Each role includes the ones before it.
#pragma once

#include <optional>
#include <string_view>

namespace koya {

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

}  // namespace koya
