#include "cli/text/grantee_flags.h"

#include <CLI/CLI.hpp>
#include <string_view>

#include "cli/text/readable.h"
#include "domain/account_name.h"

namespace koya::cli {
namespace {

CLI::Option* AddGranteeFlag(CLI::App& command, GranteeKind kind, std::string& value,
                            const std::string& about) {
  return command.add_option("--" + std::string(GranteeKindName(kind)), value, about)
      ->check(ReadableBy([kind](std::string_view name) { return CheckGranteeName(kind, name); }))
      ->type_name("NAME");
}

}  // namespace

GranteeKind GranteeFlags::kind() const {
  if (!user.empty()) return GranteeKind::kUser;
  return group.empty() ? GranteeKind::kService : GranteeKind::kGroup;
}

AccountKind GranteeFlags::account_kind() const {
  return user.empty() ? AccountKind::kService : AccountKind::kUser;
}

const std::string& GranteeFlags::name() const {
  if (!user.empty()) return user;
  return group.empty() ? service : group;
}

void AddGranteeFlags(CLI::App& command, GranteeFlags& flags) {
  AddMemberFlags(command, flags);
  AddGranteeFlag(command, GranteeKind::kGroup, flags.group, "All members of this group")
      ->excludes("--user")
      ->excludes("--service");
}

void AddMemberFlags(CLI::App& command, GranteeFlags& flags) {
  AddGranteeFlag(command, GranteeKind::kUser, flags.user, "This user");
  AddGranteeFlag(command, GranteeKind::kService, flags.service, "This service account")
      ->excludes("--user");
}

void RequireOne(const GranteeFlags& flags, const std::string& said) {
  if (flags.name().empty()) throw CLI::RequiredError(said);
}

}  // namespace koya::cli
