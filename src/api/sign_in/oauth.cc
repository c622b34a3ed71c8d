// Tokens by OAuth: the exchange of a code or of a CI job's token, and revocation.
#include <utility>

#include "api/common/call.h"
#include "api/common/denials.h"
#include "api/common/page_context.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "base/clock.h"
#include "base/secrets.h"
#include "domain/access.h"
#include "domain/credential_record.h"
#include "obs/log.h"
#include "service/access/tokens.h"
#include "service/sign_in/client_login.h"
#include "service/sign_in/token_exchange.h"
#include "wire/identity.h"
#include "wire/sign_in.h"

namespace koya::api {
namespace {

// Guesses and repeated attempts: the response is the 400 that OAuth requires, which the audit log
// alone would take for a mistake.
bool IsDenial(const Error& error) {
  return error.kind == ErrorKind::kUnauthenticated || error.kind == ErrorKind::kForbidden;
}

http::Response OAuthFailure(const Error& error) {
  http::Response reply = ErrorReply(error);
  std::string name(service::OAuthErrorName(error.kind));
  // A public client has no credentials that a 401 could ask for.
  if (!name.empty()) reply.status = 400;
  if (name.empty()) name = reply.status == 503 ? "temporarily_unavailable" : "server_error";
  std::erase_if(reply.fields, [](const auto& field) { return field.first == "WWW-Authenticate"; });
  reply.body = wire::Encode<wire::OAuthError>({.error = name, .error_description = error.message});
  return reply;
}

service::CodeExchange ExchangeOf(const Form& form) {
  return {.grant_type = form.Get("grant_type"),
          .client_id = form.Get("client_id"),
          .code = form.Get("code"),
          .code_verifier = form.Get("code_verifier"),
          .redirect_uri = form.Get("redirect_uri")};
}

// No page: a program asks. Its errors are those of RFC 6749 §5.2.
Task<http::Response> ExchangeCode(Call& call) {
  Result<Form> form = co_await ReadForm(call);
  if (!form) co_return OAuthFailure(form.error());
  service::CodeExchange sent = ExchangeOf(*form);
  Result<service::CreatedToken> made =
      co_await call.services.sign_in.client_login.Exchange(call.principal.actor, std::move(sent));
  if (!made) {
    http::Response refused = OAuthFailure(made.error());
    if (IsDenial(made.error())) NoteDenied(call, refused.status);
    co_return refused;
  }
  call.services.log.Info("token created", {{"request_id", call.request().request_id},
                                           {"by", made->record.created_by},
                                           {"name", made->record.name},
                                           {"scope", ScopeName(made->record.scope)},
                                           {"client", service::kLoginClient},
                                           {"remote", call.request().remote}});
  wire::AccessToken answer{.access_token = std::move(made->text),
                           .token_type = "bearer",
                           .scope = std::string(ScopeName(made->record.scope))};
  if (made->record.expires_at) {
    answer.expires_in = static_cast<std::uint64_t>(
        std::max<UnixSeconds>(*made->record.expires_at - call.services.clock.Now(), 1));
  }
  co_return JsonReply(200, wire::Encode(answer));
}

// Possession of the token is the only authorization required to revoke it. For an unknown token the
// caller's goal is already reached (RFC 7009 §2.2).
Task<http::Response> RevokePresentedToken(Call& call) {
  ASSIGN_OR_CO_RETURN(Form form, co_await ReadForm(call));
  std::string text = form.Get("token");
  if (text.empty()) {
    co_return FailInvalid("the field \"token\" is missing: send the token to revoke");
  }
  ASSIGN_OR_CO_RETURN(
      std::optional<std::string> name,
      co_await call.services.rights.tokens.RevokePresented(call.principal.actor, std::move(text)));
  if (name) {
    call.services.log.Info("token revoked", {{"request_id", call.request().request_id},
                                             {"by", *name},
                                             {"name", *name},
                                             {"remote", call.request().remote}});
  }
  http::Response reply;
  reply.status = 200;
  co_return reply;
}

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

std::span<const Route> OauthRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Post("/oauth/token", Access::kOpen, BodyLimit::kForm, ExchangeCode,
                  "Exchange an authorization code for a token"),
      Route::Post("/oauth/revoke", Access::kOpen, BodyLimit::kForm, RevokePresentedToken,
                  "Revoke a token by its text"),
      Route::For(wire::kExchangeToken, Access::kOpen, BodyLimit::kSmall, ExchangeOidcToken,
                 "Exchange a CI job's token for a token to publish"),
  };
  return kRoutes;
}

}  // namespace koya::api
