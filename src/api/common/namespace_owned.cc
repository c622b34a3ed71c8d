#include "api/common/namespace_owned.h"

#include <utility>

#include "domain/name_rules.h"
#include "obs/log.h"
#include "service/access/namespace_admin.h"

namespace koya::api {

Task<OwnedNamespace> FindOwned(Call& call, const PageContext& visit) {
  constexpr const char* kNowhere = "no such namespace, or you don't own it";
  Result<std::string> name = ParseNamespaceName(call.path("namespace"));
  auth::Principal by = SignedInPrincipal(visit);
  if (!name || !by.RequireNamespace(*name)) co_return Fail(ErrorKind::kNotFound, kNowhere);
  ASSIGN_OR_CO_RETURN(NamespaceRecord record,
                      co_await call.services.rights.namespace_admin.Show(by, *name));
  co_return OwnedNamespace{.by = std::move(by), .record = std::move(record)};
}

Task<OwnersForm> TakeOwnersForm(Call& call, PageContext& visit, std::string_view end) {
  std::string shown_at = OwnedPath(call, end);
  ASSIGN_OR_CO_RETURN(SentForm sent, co_await TakeForm(call, visit, shown_at));
  OwnersForm taken{std::move(sent), {}, std::move(shown_at)};
  if (taken.instead) co_return taken;
  ASSIGN_OR_CO_RETURN(taken.owned, co_await FindOwned(call, visit));
  co_return taken;
}

std::string OwnedPath(const Call& call, std::string_view end) {
  return web::NamespaceTabPath(call.path("namespace"), end);
}

void LogOwned(const Call& call, const OwnedNamespace& owned, std::string_view what,
              std::string_view name) {
  call.services.log.Info(what, {{"request_id", call.request().request_id},
                                {"by", owned.by.name},
                                {"namespace", owned.record.name},
                                {"name", name},
                                {"remote", call.request().remote}});
}

}  // namespace koya::api
