// Namespaces as they are kept. One is for modules and providers alike, whatever its letter case.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "domain/namespace_words.h"
#include "domain/role.h"
#include "domain/semver_rule.h"
#include "domain/visibility.h"

namespace koya {

// What look-ups and uniqueness use: as ProviderAddress normalises it, which for ASCII folds letter
// case; what is no provider's namespace ("my_team") is folded bytewise. Never fails: what can be no
// namespace is nobody's.
std::string NamespaceKey(std::string_view ns);

struct NamespaceRecord {
  std::string name;  // in the letter case of its first mention
  Visibility visibility = Visibility::kPrivate;
  UnixSeconds created_at = 0;
  std::string created_by;  // a principal's name; "" when the namespace is older than its record
  std::optional<SemverRule> semver = {};  // none: as settings say
  NamespaceWords words = {};
  friend bool operator==(const NamespaceRecord&, const NamespaceRecord&) = default;
};

// To whom a role may be given.
enum class GranteeKind { kUser, kGroup, kService };

constexpr std::string_view GranteeKindName(GranteeKind kind) {
  switch (kind) {
    case GranteeKind::kUser:
      return "user";
    case GranteeKind::kGroup:
      return "group";
    case GranteeKind::kService:
      return "service";
  }
  return "user";
}

// One role of one grantee in one namespace.
struct GrantRecord {
  std::string ns;  // the namespace's name
  GranteeKind kind = GranteeKind::kUser;
  std::string grantee;  // its name
  Role role = Role::kReader;
  UnixSeconds granted_at = 0;
  std::string granted_by;
  friend bool operator==(const GrantRecord&, const GrantRecord&) = default;
};

// What somebody may do in a namespace by all that was granted to them and to their groups.
struct HeldRole {
  std::string ns;  // NamespaceKey
  Role role = Role::kReader;
  friend bool operator==(const HeldRole&, const HeldRole&) = default;
};

}  // namespace koya
