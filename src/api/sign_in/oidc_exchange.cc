#include <utility>

#include "api/common/call.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "base/clock.h"
#include "base/secrets.h"
#include "domain/access.h"
#include "domain/credential_record.h"
#include "obs/log.h"
#include "service/access/tokens.h"
#include "service/sign_in/token_exchange.h"
#include "wire/trust.h"

namespace koya::api {
namespace {

Task<http::Response> ExchangeOidcToken(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  Result<wire::TokenExchange> wanted = wire::Decode<wire::TokenExchange>(body);
  WipeSecret(body);
  if (!wanted) co_return Failure(std::move(wanted).error());
  const IdentityServices& identity = call.services.identity;
  service::TokenExchange::Request request{
      .token = std::move(wanted->token),
      .ns = std::move(wanted->ns),
      .audience = identity.audience.empty() ? call.services.url : identity.audience,
      .from = call.principal.actor};
  ASSIGN_OR_CO_RETURN(service::CreatedToken made,
                      co_await identity.exchange.Exchange(std::move(request)));
  const TokenRecord& record = made.record;
  call.services.log.Info("token created", {{"request_id", call.request().request_id},
                                           {"by", record.created_by},
                                           {"name", record.name},
                                           {"scope", ScopeName(record.scope)},
                                           {"namespace", record.namespaces.front()},
                                           {"remote", call.request().remote}});
  wire::ExchangedToken answer{.token = std::move(made.text),
                              .expires = FormatRfc3339(record.expires_at.value_or(0)),
                              .ns = record.namespaces.front()};
  co_return JsonReply(201, wire::Encode(answer));
}

}  // namespace

std::span<const Route> OidcExchangeRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kExchangeToken, Access::kOpen, BodyLimit::kSmall, ExchangeOidcToken,
                 "Exchange a CI job's token for a token to publish"),
  };
  return kRoutes;
}

}  // namespace koya::api
