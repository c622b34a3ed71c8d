// Accounts as those who manage them see them in lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/account_record.h"

namespace koya {

// Which accounts are asked for.
struct AccountFilter {
  AccountKind kind = AccountKind::kUser;
  std::string query = {};  // words that the name contains, in any letter case; "": all
};

struct AccountSummary {
  static constexpr std::size_t kMostGroups = 4;

  AccountRecord account;
  bool has_password = false;  // may sign in with one that is kept here
  std::string provider;       // a sign-in provider that has said who they are; "": none has
  std::string email = {};     // as such a one said when they signed in last; "": none did
  // By a session or a token that is still there, to the minute; nullopt: by none.
  std::optional<UnixSeconds> last_used_at;
  std::vector<std::string> groups;  // the first by name, kMostGroups at most
  std::uint64_t group_count = 0;    // of all
};

// How many there are.
struct AccessCounts {
  std::uint64_t users = 0;           // disabled ones included
  std::uint64_t administrators = 0;  // that are not disabled
  std::uint64_t disabled = 0;        // users
  std::uint64_t services = 0;
  std::uint64_t groups = 0;
};

}  // namespace koya
