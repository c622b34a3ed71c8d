#include "cli/text/named_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "cli/text/readable.h"
#include "domain/module_address.h"
#include "domain/name_rules.h"
#include "domain/provider_address.h"
#include "domain/version.h"

namespace koya::cli {
namespace {

CLI::Option* AddGranteeFlag(CLI::App& command, GranteeKind kind, std::string& value,
                            const std::string& about) {
  return command.add_option("--" + std::string(GranteeKindName(kind)), value, about)
      ->check(ReadableBy([kind](std::string_view name) { return CheckGranteeName(kind, name); }))
      ->type_name("NAME");
}

}  // namespace

std::string CheckModule(const std::string& text) { return ReadableBy(ModuleAddress::Parse)(text); }

std::string CheckProvider(const std::string& text) {
  return ReadableBy(ProviderAddress::Parse)(text);
}

bool NamesUpstream(std::string_view text) { return std::ranges::count(text, '/') == 2; }

Result<UpstreamProvider> ParseUpstreamProvider(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  ASSIGN_OR_RETURN(HostName host, HostName::Parse(text.substr(0, slash)));
  const std::string_view rest = slash == text.size() ? "" : text.substr(slash + 1);
  ASSIGN_OR_RETURN(ProviderAddress address, ProviderAddress::Parse(rest));
  return UpstreamProvider{std::move(host), std::move(address)};
}

std::string CheckAnyProvider(const std::string& text) {
  return NamesUpstream(text) ? ReadableBy(ParseUpstreamProvider)(text) : CheckProvider(text);
}

std::string CheckModuleOrProvider(const std::string& text) {
  switch (std::ranges::count(text, '/')) {
    case 1:
      return CheckProvider(text);
    case 2:
      return CheckModule(text);
    default:
      return fmt::format(
          "\"{}\" is not an address: use NAMESPACE/NAME/SYSTEM for a module (acme/vpc/aws) or "
          "NAMESPACE/TYPE for a provider (acme/demo)",
          Printable(text));
  }
}

std::string CheckOwnModule(const std::string& text) {
  Result<ModuleAddress> address = ModuleAddress::Parse(text);
  return address ? ReservedReason(*address) : address.error().message;
}

std::string CheckOwnProvider(const std::string& text) {
  Result<ProviderAddress> address = ProviderAddress::Parse(text);
  return address ? ReservedReason(*address) : address.error().message;
}

std::string CheckVersion(const std::string& text) { return ReadableBy(Version::Parse)(text); }

std::string CheckKnownVersion(const std::string& text) {
  return ReadableBy(Version::ParseLookup)(text);
}

std::string CheckSentence(const std::string& text) {
  bool said = text.find_first_not_of(" \t\r\n") != std::string::npos;
  return said ? "" : "it is empty: give the reason in a sentence";
}

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
