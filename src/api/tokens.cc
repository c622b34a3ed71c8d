#include "api/tokens.h"

#include <fmt/format.h>

#include "api/reply.h"
#include "api/request_body.h"
#include "base/text.h"
#include "wire/tokens.h"

namespace koya::api {
namespace {

wire::Token ToWire(const TokenRecord& record) {
  auto time = [](const std::optional<UnixSeconds>& at) {
    return at ? FormatRfc3339(*at) : std::string();
  };
  return {.name = record.name,
          .token = {},
          .scope = std::string(ScopeName(record.scope)),
          .namespaces = record.namespaces,
          .expires = time(record.expires_at),
          .created = FormatRfc3339(record.created_at),
          .last_used = time(record.last_used_at)};
}

Result<service::NewToken> FromWire(wire::TokenRequest request) {
  std::optional<Scope> scope = ParseScope(request.scope);
  if (!scope) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("the scope \"{}\" is unknown: use read, publish or admin",
                            Printable(request.scope, 40)));
  }
  service::NewToken token{.name = std::move(request.name),
                          .scope = *scope,
                          .namespaces = std::move(request.namespaces),
                          .expires = {}};
  if (!request.expires.empty()) {
    token.expires = ParseDuration(request.expires);
    if (!token.expires) {
      return Fail(ErrorKind::kInvalid,
                  fmt::format("\"{}\" is not a duration: write, for example, 12h or 90d",
                              Printable(request.expires, 40)));
    }
  }
  return token;
}

}  // namespace

Task<http::Response> CreateToken(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::TokenRequest request, wire::DecodeTokenRequest(body));
  ASSIGN_OR_CO_RETURN(service::NewToken token, FromWire(std::move(request)));
  ASSIGN_OR_CO_RETURN(service::CreatedToken created,
                      co_await call.services.tokens.Create(std::move(token)));
  wire::Token answer = ToWire(created.record);
  answer.token = std::move(created.text);
  co_return JsonReply(201, wire::EncodeToken(answer));
}

Task<http::Response> ListTokens(Call& call) {
  ASSIGN_OR_CO_RETURN(std::vector<TokenRecord> records, co_await call.services.tokens.List());
  std::vector<wire::Token> tokens;
  for (const TokenRecord& record : records) tokens.push_back(ToWire(record));
  co_return JsonReply(200, wire::EncodeTokenList(tokens));
}

Task<http::Response> RevokeToken(Call& call) {
  std::string name(call.parameter(0));
  CO_RETURN_IF_ERROR(co_await call.services.tokens.Revoke(std::move(name)));
  http::Response reply;
  reply.status = 204;
  co_return reply;
}

}  // namespace koya::api
