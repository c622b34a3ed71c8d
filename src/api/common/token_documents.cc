#include "api/common/token_documents.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "domain/account_record.h"
#include "domain/scope.h"
#include "domain/token_record.h"
#include "service/access/tokens.h"

namespace koya::api {

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
          .last_used_from = record.last_used_from};
}

Result<service::NewToken> FromWire(wire::TokenRequest request) {
  std::optional<Scope> scope = ParseScope(request.scope);
  if (!scope) {
    return Fail(ErrorKind::kInvalid, fmt::format("unknown scope \"{}\": use read, publish or admin",
                                                 Printable(request.scope, 40)));
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

Result<std::optional<std::chrono::seconds>> LifeFromWire(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::optional<std::chrono::seconds> life = ParseDuration(text);
  if (life) return life;
  return Fail(
      ErrorKind::kInvalid,
      fmt::format("\"{}\" is not a duration: write, for example, 12h or 90d", Printable(text, 40)));
}

}  // namespace koya::api
