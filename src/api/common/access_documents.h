// Conversions of accounts, groups, namespaces and grants between the wire and the service.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "domain/role.h"
#include "domain/semver_rule.h"
#include "domain/visibility.h"
#include "wire/accounts.h"
#include "wire/namespaces.h"

namespace koya {
struct AccountRecord;
struct GrantRecord;
struct GroupRecord;
struct MemberRecord;
struct NamespaceRecord;
}  // namespace koya

namespace koya::api {

wire::Account ToWire(const AccountRecord& record);
wire::Group ToWire(const GroupRecord& record);
wire::GroupMember ToWire(const MemberRecord& record);
wire::Namespace ToWire(const NamespaceRecord& record);
wire::Grant ToWire(const GrantRecord& record);

// Fail: kInvalid: an unknown name.
Result<Visibility> VisibilityFromWire(std::string_view text);
// nullopt for "default". Fails: kInvalid.
Result<std::optional<SemverRule>> SemverFromWire(std::string_view text);
Result<Role> RoleFromWire(std::string_view text);

}  // namespace koya::api
