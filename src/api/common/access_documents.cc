#include "api/common/access_documents.h"

#include "api/common/query.h"
#include "base/clock.h"
#include "base/text.h"
#include "domain/access.h"
#include "domain/account_record.h"
#include "domain/credential_record.h"
#include "domain/namespace_record.h"
#include "service/access/tokens.h"

namespace koya::api {

wire::Account ToWire(const AccountRecord& record) {
  return {.kind = std::string(AccountKindName(record.kind)),
          .name = record.name,
          .admin = record.admin,
          .created = FormatRfc3339(record.created_at),
          .created_by = record.created_by,
          .disabled = record.disabled_at ? FormatRfc3339(*record.disabled_at) : std::string(),
          .email = {},
          .language = record.language,
          .tokens = {},
          .last_used = {}};
}

wire::Group ToWire(const GroupRecord& record) {
  return {.name = record.name,
          .created = FormatRfc3339(record.created_at),
          .created_by = record.created_by};
}

wire::GroupMember ToWire(const MemberRecord& record) {
  return {.kind = std::string(AccountKindName(record.kind)),
          .name = record.name,
          .source = record.source};
}

wire::Namespace ToWire(const NamespaceRecord& record) {
  return {.name = record.name,
          .visibility = std::string(VisibilityName(record.visibility)),
          .created = FormatRfc3339(record.created_at),
          .created_by = record.created_by,
          .semver = record.semver ? std::string(SemverRuleName(*record.semver)) : "",
          .title = record.words.title,
          .description = record.words.description,
          .publish = std::string(PublishRuleName(record.publish))};
}

wire::Grant ToWire(const GrantRecord& record) {
  return {.kind = std::string(GranteeKindName(record.kind)),
          .name = record.grantee,
          .role = std::string(RoleName(record.role)),
          .granted = FormatRfc3339(record.granted_at),
          .granted_by = record.granted_by};
}

Result<Visibility> VisibilityFromWire(std::string_view text) {
  if (std::optional<Visibility> visibility = ParseVisibility(text)) return *visibility;
  return FailInvalid("unknown visibility \"{}\": use public, internal or private",
                     Printable(text, 40));
}

Result<PublishRule> PublishRuleFromWire(std::string_view text) {
  if (std::optional<PublishRule> rule = ParsePublishRule(text)) return *rule;
  return FailInvalid("unknown publish rule \"{}\": use any or ci-only", Printable(text, 40));
}

Result<std::optional<SemverRule>> SemverFromWire(std::string_view text) {
  std::optional<SemverRule> rule = ParseSemverRule(text);
  if (rule || text == "default") return rule;
  return FailInvalid(
      "unknown semver rule \"{}\": use off, warn, refuse-breaking, refuse, or "
      "default for the server's setting",
      Printable(text, 40));
}

Result<Role> RoleFromWire(std::string_view text) {
  if (std::optional<Role> role = ParseRole(text)) return *role;
  return FailInvalid("unknown role \"{}\": use reader, publisher or owner", Printable(text, 40));
}

wire::Token ToWire(const TokenRecord& record) {
  auto time = [](const std::optional<UnixSeconds>& at) {
    return at ? FormatRfc3339(*at) : std::string();
  };
  return {.name = record.name,
          .token = {},
          .scope = std::string(ScopeName(record.scope)),
          .namespaces = record.namespaces,
          .account = record.account_name,
          .account_kind = std::string(record.account_kind ? AccountKindName(*record.account_kind)
                                                          : std::string_view()),
          .expires = time(record.expires_at),
          .created = FormatRfc3339(record.created_at),
          .created_by = record.created_by,
          .last_used = time(record.last_used_at),
          .last_used_from = record.last_used_from,
          .account_created_by = record.account_kind == AccountKind::kService
                                    ? record.account_created_by
                                    : std::string()};
}

Result<service::NewToken> FromWire(wire::TokenRequest request) {
  std::optional<Scope> scope = ParseScope(request.scope);
  if (!scope) {
    return FailInvalid("unknown scope \"{}\": use read, publish or admin",
                       Printable(request.scope, 40));
  }
  service::NewToken token{.name = std::move(request.name),
                          .scope = *scope,
                          .namespaces = std::move(request.namespaces),
                          .expires = {},
                          .service = std::move(request.service)};
  token.never_ends = request.expires == wire::kNeverExpires;
  if (token.never_ends) return token;
  ASSIGN_OR_RETURN(token.expires, LifeFromWire(request.expires));
  return token;
}

Result<TokenFilter> ReadTokenFilter(std::string_view query) {
  ASSIGN_OR_RETURN(std::optional<std::string> name, QueryParameter(query, "filter"));
  if (auto filter = ParseTokenFilter(name.value_or(""))) return *filter;
  return FailInvalid("unknown filter \"{}\": use never_expires, unused or ends_soon",
                     Printable(*name, 40));
}

Result<std::optional<std::chrono::seconds>> LifeFromWire(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::optional<std::chrono::seconds> life = ParseDuration(text);
  if (life) return life;
  return FailInvalid("\"{}\" is not a duration: write, for example, 12h or 90d",
                     Printable(text, 40));
}

}  // namespace koya::api
