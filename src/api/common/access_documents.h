// Conversions of accounts, groups, namespaces, grants and tokens between the wire and the service.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "domain/access.h"
#include "domain/version_step.h"
#include "wire/accounts.h"
#include "wire/namespaces.h"
#include "wire/tokens.h"

namespace koya {
struct AccountRecord;
struct GrantRecord;
struct GroupRecord;
struct MemberRecord;
struct NamespaceRecord;
enum class PublishRule;
enum class TokenFilter;
struct TokenRecord;
}  // namespace koya
namespace koya::service {
struct NewToken;
}

namespace koya::api {

wire::Account ToWire(const AccountRecord& record);
wire::Group ToWire(const GroupRecord& record);
wire::GroupMember ToWire(const MemberRecord& record);
wire::Namespace ToWire(const NamespaceRecord& record);
wire::Grant ToWire(const GrantRecord& record);

// Fail: kInvalid: an unknown name.
Result<Visibility> VisibilityFromWire(std::string_view text);
// nullopt for "default". Fails: kInvalid.
Result<PublishRule> PublishRuleFromWire(std::string_view text);
Result<std::optional<SemverRule>> SemverFromWire(std::string_view text);
Result<Role> RoleFromWire(std::string_view text);

// ---- tokens

// The result never contains the token's text.
wire::Token ToWire(const TokenRecord& record);

// Fails: kInvalid: an unknown scope or an invalid duration.
Result<service::NewToken> FromWire(wire::TokenRequest request);

// The parameter `filter` of a query; kAll: it is absent. Fails: kInvalid: an unknown one.
Result<TokenFilter> ReadTokenFilter(std::string_view query);

// Parses a lifetime in a request; "": none. Fails: kInvalid.
Result<std::optional<std::chrono::seconds>> LifeFromWire(std::string_view text);

}  // namespace koya::api
