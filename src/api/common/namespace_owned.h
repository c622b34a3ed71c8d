// Pages with which owners manage a namespace. To all other users these paths do not exist, whether
// the namespace does or not.
#pragma once

#include <string>
#include <string_view>

#include "api/common/page_form.h"
#include "domain/namespace_record.h"
#include "web/access/namespace_tabs.h"

namespace koya::api {

struct OwnedNamespace {
  auth::Principal by;
  NamespaceRecord record;

  web::NamespaceHead Head() const {
    return {.name = record.name,
            .visibility = record.visibility,
            .is_owner = true,
            .title = record.words.title};
  }
};

// The {namespace} of the path, if the signed-in user owns it. REQUIRES: visit.visitor(). Fails:
// kNotFound; as the catalog.
Task<OwnedNamespace> FindOwned(Call& call, const PageContext& visit);

using OwnersPage = Task<http::Response> (*)(Call& call, const PageContext& visit,
                                            const OwnedNamespace& owned);
// Handler of an owners' page, for the route table; sends users who are not signed in to the sign-in
// page first.
template <OwnersPage kShow>
Task<http::Response> ForOwners(Call& call) {
  PageContext visit(call.request(), call.services);
  CO_RETURN_IF_ERROR(co_await visit.Recognise());
  if (visit.visitor() == nullptr) co_return SignInFirst(visit);
  ASSIGN_OR_CO_RETURN(OwnedNamespace owned, co_await FindOwned(call, visit));
  co_return co_await kShow(call, visit, owned);
}

struct OwnersForm : SentForm {
  OwnedNamespace owned;  // empty while `instead` is set
  std::string shown_at;  // the path of the page that has the form
};
// Takes the form that the page at `end` sends. Fails: as TakeForm and FindOwned.
Task<OwnersForm> TakeOwnersForm(Call& call, PageContext& visit, std::string_view end);

// The path of the page `end` of {namespace}, such as "people". An invalid name is left unchanged.
std::string OwnedPath(const Call& call, std::string_view end);

// Logs a change in a namespace.
void LogOwned(const Call& call, const OwnedNamespace& owned, std::string_view what,
              std::string_view name);

}  // namespace koya::api
