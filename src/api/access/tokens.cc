#include "api/common/route.h"

#include "api/common/access_documents.h"
#include "api/common/call.h"
#include "api/common/paging.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "domain/access.h"
#include "domain/credential_record.h"
#include "obs/log.h"
#include "service/access/tokens.h"

namespace koya::api {
namespace {

Task<http::Response> CreateToken(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::TokenRequest request, wire::Decode<wire::TokenRequest>(body));
  ASSIGN_OR_CO_RETURN(service::NewToken token, FromWire(std::move(request)));
  ASSIGN_OR_CO_RETURN(service::CreatedToken created, co_await call.services.rights.tokens.Create(
                                                         call.principal, std::move(token)));
  call.services.log.Info("token created", {{"request_id", call.request().request_id},
                                           {"by", call.principal.name},
                                           {"name", created.record.name},
                                           {"scope", ScopeName(created.record.scope)}});
  wire::Token answer = ToWire(created.record);
  answer.token = std::move(created.text);
  co_return JsonReply(201, wire::Encode(answer));
}

// Whether the query asks for a part of the tokens of all accounts.
bool AsksForPart(std::string_view query) {
  for (std::string_view name : {"filter", "limit", "offset"}) {
    const auto value = QueryParameter(query, name);
    if (!value || *value) return true;
  }
  return false;
}

Task<std::vector<TokenRecord>> AskedTokens(Call& call) {
  const std::string_view query = call.request().query;
  if (!AsksForPart(query)) co_return co_await call.services.rights.tokens.List(call.principal);
  ASSIGN_OR_CO_RETURN(TokenFilter filter, ReadTokenFilter(query));
  ASSIGN_OR_CO_RETURN(PageRequest page, ReadPage(call));
  ASSIGN_OR_CO_RETURN(Page<TokenRecord> found,
                      co_await call.services.rights.tokens.Browse(call.principal, filter, page));
  co_return std::move(found.items);
}

Task<http::Response> ListTokens(Call& call) {
  ASSIGN_OR_CO_RETURN(std::vector<TokenRecord> records, co_await AskedTokens(call));
  std::vector<wire::Token> tokens;
  tokens.reserve(records.size());
  for (const TokenRecord& record : records) tokens.push_back(ToWire(record));
  co_return JsonReply(200, wire::Encode(wire::TokenList{std::move(tokens)}));
}

Task<http::Response> RotateToken(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::TokenRotation wanted, wire::Decode<wire::TokenRotation>(body));
  ASSIGN_OR_CO_RETURN(std::optional<std::chrono::seconds> life, LifeFromWire(wanted.expires));
  std::string name(call.path("name"));
  ASSIGN_OR_CO_RETURN(service::CreatedToken rotated,
                      co_await call.services.rights.tokens.Rotate(call.principal, name, life));
  call.services.log.Info(
      "token rotated",
      {{"request_id", call.request().request_id}, {"by", call.principal.name}, {"name", name}});
  wire::Token answer = ToWire(rotated.record);
  answer.token = std::move(rotated.text);
  co_return JsonReply(200, wire::Encode(answer));
}

Task<http::Response> RevokeToken(Call& call) {
  std::string name(call.path("name"));
  CO_RETURN_IF_ERROR(co_await call.services.rights.tokens.Revoke(call.principal, name));
  call.services.log.Info(
      "token revoked",
      {{"request_id", call.request().request_id}, {"by", call.principal.name}, {"name", name}});
  http::Response reply;
  reply.status = 204;
  co_return reply;
}

}  // namespace

// Tokens.
std::span<const Route> TokenRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kCreateToken, Access::kGrant, BodyLimit::kSmall, CreateToken,
                 "Create a token"),
      Route::For(wire::kListTokens, Access::kGrant, ResourceScope::kNone, ListTokens,
                 "List tokens without their secrets"),
      Route::For(wire::kRotateToken, Access::kGrant, BodyLimit::kSmall, RotateToken,
                 "Rotate a token"),
      Route::For(wire::kRevokeToken, Access::kGrant, BodyLimit::kNone, RevokeToken,
                 "Revoke a token"),
  };
  return kRoutes;
}

}  // namespace koya::api
