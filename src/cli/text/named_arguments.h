// Arguments that name something: checks for modules, providers and versions, during the parse of
// the command line (see readable.h), each of which returns the problem, or ""; and flags for a
// user, a group or a service account.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/account_record.h"
#include "domain/namespace_record.h"
#include "domain/upstream_record.h"

namespace CLI {
class App;
}

namespace koya::cli {

// Parses the address of a provider of another registry, as configurations have it. Fails: kInvalid.
Result<UpstreamProvider> ParseUpstreamProvider(std::string_view text);
// True if `text` is meant as such an address: it has three parts.
bool NamesUpstream(std::string_view text);

std::string CheckModule(const std::string& text);    // "acme/vpc/aws"
std::string CheckProvider(const std::string& text);  // "acme/demo"
// The same, or a provider of another registry: "registry.opentofu.org/hashicorp/aws".
std::string CheckAnyProvider(const std::string& text);
// A module or a provider.
std::string CheckModuleOrProvider(const std::string& text);
// The same for names that may be published.
std::string CheckOwnModule(const std::string& text);
std::string CheckOwnProvider(const std::string& text);
std::string CheckVersion(const std::string& text);
// A version to look up, which may be written "v1.2.0", too.
std::string CheckKnownVersion(const std::string& text);
// Text that is not blank.
std::string CheckSentence(const std::string& text);

// Flags that name a user, a group or a service account; a command takes one of them.
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
