#include "api/form.h"
#include "api/route_tables.h"
#include "api/visit.h"
#include "obs/log.h"
#include "service/tokens.h"

namespace koya::api {
namespace {

// Whoever has a token may end it: that is all they need to show. One that is not known is what they
// wanted already (RFC 7009 §2.2).
Task<http::Response> RevokePresentedToken(Call& call) {
  ASSIGN_OR_CO_RETURN(Form form, co_await ReadForm(call));
  std::string text = form.Get("token");
  if (text.empty()) {
    co_return Fail(ErrorKind::kInvalid, "the field \"token\" must be given: the token to revoke");
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
                  "End a token that one has"),
  };
  return kRoutes;
}

}  // namespace koya::api
