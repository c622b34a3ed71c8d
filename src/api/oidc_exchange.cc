#include <utility>

#include "api/call.h"
#include "api/reply.h"
#include "api/request_body.h"
#include "api/route_tables.h"
#include "api/services.h"
#include "base/clock.h"
#include "base/secrets.h"
#include "domain/scope.h"
#include "domain/token_record.h"
#include "obs/log.h"
#include "service/sign_in/token_exchange.h"
#include "service/tokens.h"
#include "wire/trust.h"

namespace koya::api {
namespace {

Task<http::Response> ExchangeOidcToken(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  Result<wire::TokenExchange> wanted = wire::DecodeTokenExchange(body);
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
  call.services.log.Info("token made", {{"request_id", call.request().request_id},
                                        {"by", record.created_by},
                                        {"name", record.name},
                                        {"scope", ScopeName(record.scope)},
                                        {"namespace", record.namespaces.front()},
                                        {"remote", call.request().remote}});
  wire::ExchangedToken answer{.token = std::move(made.text),
                              .expires = FormatRfc3339(record.expires_at.value_or(0)),
                              .ns = record.namespaces.front()};
  co_return JsonReply(201, wire::EncodeExchangedToken(answer));
}

}  // namespace

std::span<const Route> OidcExchangeRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Post("/api/v1/oidc/exchange", Access::kOpen, BodyLimit::kSmall, ExchangeOidcToken,
                  "A token to publish with, for a CI's"),
  };
  return kRoutes;
}

}  // namespace koya::api
