// Declares flags that name a user, a group or a service account; a command takes one of them.
#pragma once

#include <string>

#include "domain/account_record.h"
#include "domain/namespace_record.h"

namespace CLI {
class App;
}

namespace koya::cli {

struct GranteeFlags {
  std::string user;
  std::string group;
  std::string service;

  // REQUIRES for the functions below: one name is not empty.
  GranteeKind kind() const;
  AccountKind account_kind() const;
  const std::string& name() const;
};

// Declares --user, --group, --service. `flags` must outlive the parse. Two of them are a usage
// error.
void AddGranteeFlags(CLI::App& command, GranteeFlags& flags);
// Declares --user, --service.
void AddMemberFlags(CLI::App& command, GranteeFlags& flags);

// For a command's callback: throws a usage error, as CLI11 expects, when no flag was given. `said`:
// the command's flags, as "--user or --service".
void RequireOne(const GranteeFlags& flags, const std::string& said);

}  // namespace koya::cli
