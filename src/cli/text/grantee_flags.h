// Flags that name a user, a group or a service account, of which a command takes one.
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

  // REQUIRES of these: one of them is not empty.
  GranteeKind kind() const;
  AccountKind account_kind() const;
  const std::string& name() const;
};

// --user, --group, --service. `flags` must outlive the parse. Two of them are an error of usage.
void AddGranteeFlags(CLI::App& command, GranteeFlags& flags);
// --user, --service.
void AddMemberFlags(CLI::App& command, GranteeFlags& flags);

// For a command's callback: an error of usage when none was given, which CLI11 takes as an
// exception. `said`: the flags that there are, as "--user or --service".
void RequireOne(const GranteeFlags& flags, const std::string& said);

}  // namespace koya::cli
