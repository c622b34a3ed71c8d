// Accounts as lists for administrators show them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/account_record.h"

namespace koya {

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
