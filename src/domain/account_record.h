// Accounts (people and programs) and groups of them, as they are kept.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "domain/namespace_record.h"

namespace koya {

enum class AccountKind { kUser, kService };

// What a user may have pages in, as web/language.h names it.
inline constexpr std::array<std::string_view, 3> kAccountLanguages{"en", "ja", "zh"};

constexpr std::string_view AccountKindName(AccountKind kind) {
  return kind == AccountKind::kUser ? "user" : "service";
}

struct AccountRecord {
  std::string id;  // auth::RandomId(): never used again, unlike the name
  AccountKind kind = AccountKind::kUser;
  std::string name;    // unique among its kind, whatever the letter case
  bool admin = false;  // an administrator: may do everything everywhere
  UnixSeconds created_at = 0;
  std::string created_by;
  std::optional<UnixSeconds> disabled_at;  // nullopt: may sign in, and its tokens are good
  std::string language = {};  // one of kAccountLanguages; "": pages are as the browser says
  friend bool operator==(const AccountRecord&, const AccountRecord&) = default;
};

// An account with all that it may do.
struct AccountRights {
  AccountRecord account;
  std::vector<HeldRole> roles;  // by namespace, one each: the highest
  friend bool operator==(const AccountRights&, const AccountRights&) = default;
};

struct GroupRecord {
  std::string name;  // unique, whatever the letter case
  UnixSeconds created_at = 0;
  std::string created_by;
  friend bool operator==(const GroupRecord&, const GroupRecord&) = default;
};

// Somebody's place in a group.
struct MemberRecord {
  AccountKind kind = AccountKind::kUser;
  std::string name;
  // Who put them there: "" an administrator, else the sign-in provider that says so.
  std::string source;
  friend bool operator==(const MemberRecord&, const MemberRecord&) = default;
};

}  // namespace koya
