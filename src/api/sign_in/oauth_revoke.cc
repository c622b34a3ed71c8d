#include "api/common/form.h"
#include "api/common/page_context.h"
#include "api/route_tables.h"
#include "obs/log.h"
#include "service/access/tokens.h"

namespace koya::api {
namespace {

// Possession of the token is the only authorization required to revoke it. For an unknown token the
// caller's goal is already reached (RFC 7009 §2.2).
Task<http::Response> RevokePresentedToken(Call& call) {
  ASSIGN_OR_CO_RETURN(Form form, co_await ReadForm(call));
  std::string text = form.Get("token");
  if (text.empty()) {
    co_return Fail(ErrorKind::kInvalid, "the field \"token\" is missing: send the token to revoke");
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

}  // namespace

std::span<const Route> OauthRevokeRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Post("/oauth/revoke", Access::kOpen, BodyLimit::kForm, RevokePresentedToken,
                  "Revoke a token by its text"),
  };
  return kRoutes;
}

}  // namespace koya::api
