// Stored records of accounts (people and programs) and of their groups, and accounts as lists for
// administrators show them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "domain/access.h"

namespace koya {

enum class AccountKind { kUser, kService };

// Languages that a user may choose for pages, named as in web/common/language.h.
inline constexpr std::array<std::string_view, 3> kAccountLanguages{"en", "ja", "zh"};

constexpr std::string_view AccountKindName(AccountKind kind) {
  return kind == AccountKind::kUser ? "user" : "service";
}

struct AccountRecord {
  std::string id;  // auth::RandomId(): never used again, unlike the name
  AccountKind kind = AccountKind::kUser;
  std::string name;    // unique among its kind, whatever the letter case
  bool admin = false;  // an administrator: has all permissions everywhere
  UnixSeconds created_at = 0;
  std::string created_by;
  std::optional<UnixSeconds> disabled_at;  // nullopt: may sign in, and its tokens are good
  std::string language = {};               // one of kAccountLanguages; "": the browser's language
  friend bool operator==(const AccountRecord&, const AccountRecord&) = default;
};

// Choices of the first administrator. Settings take precedence.
struct SetupChoices {
  std::optional<Visibility> new_namespaces = {};  // who can read them; nullopt: not chosen
  std::string site_name = {};                     // of the registry, on pages; "": not chosen
  friend bool operator==(const SetupChoices&, const SetupChoices&) = default;
};

// The role of an account in a namespace, by all grants to it and to its groups.
struct GrantedRole {
  std::string ns;  // NamespaceKey
  Role role = Role::kReader;
  friend bool operator==(const GrantedRole&, const GrantedRole&) = default;
};

// An account with its permissions.
struct AccountRights {
  AccountRecord account;
  std::vector<GrantedRole> roles;  // one for each namespace: the highest
  friend bool operator==(const AccountRights&, const AccountRights&) = default;
};

struct GroupRecord {
  std::string name;  // unique, whatever the letter case
  UnixSeconds created_at = 0;
  std::string created_by;
  friend bool operator==(const GroupRecord&, const GroupRecord&) = default;
};

// A membership of an account in a group.
struct MemberRecord {
  AccountKind kind = AccountKind::kUser;
  std::string name;
  // The source of the membership: "" an administrator, else the sign-in provider that reports it.
  std::string source;
  friend bool operator==(const MemberRecord&, const MemberRecord&) = default;
};

// Selects accounts.
struct AccountFilter {
  AccountKind kind = AccountKind::kUser;
  std::string query = {};  // words that the name contains, in any letter case; "": all
};

struct AccountSummary {
  static constexpr std::size_t kMostGroups = 4;

  AccountRecord account;
  bool has_password = false;  // can sign in with a password that is stored here
  std::string provider;       // a sign-in provider that identified them; "": none has
  std::string email = {};     // as that provider reported at the last sign-in; "": none
  // Last use of an existing session or token, to the minute; nullopt: none.
  std::optional<UnixSeconds> last_used_at;
  std::vector<std::string> groups;  // the first by name, kMostGroups at most
  std::uint64_t group_count = 0;    // of all groups
  std::uint64_t token_count = 0;
};

// Numbers of accounts.
struct AccessCounts {
  std::uint64_t users = 0;           // disabled ones included
  std::uint64_t administrators = 0;  // that are not disabled
  std::uint64_t disabled = 0;        // users
  std::uint64_t services = 0;
  std::uint64_t groups = 0;
};

}  // namespace koya
