// The pages of a namespace that its owners look after it with: whose they are. To everybody else
// they are nowhere, whether there is such a namespace or not.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/page_form.h"
#include "domain/namespace_record.h"
#include "web/namespace_head.h"

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

// {namespace} of the path, if whoever is signed in owns it. REQUIRES: visit.visitor(). Fails:
// kNotFound; as the catalog.
Task<OwnedNamespace> FindOwned(Call& call, const Visit& visit);

using OwnersPage = Task<http::Response> (*)(Call& call, const Visit& visit,
                                            const OwnedNamespace& owned);
// For the table: such a page; who is not signed in does that first.
template <OwnersPage kShow>
Task<http::Response> ForOwners(Call& call) {
  Visit visit(call.request(), call.services);
  CO_RETURN_IF_ERROR(co_await visit.Recognise());
  if (visit.visitor() == nullptr) co_return SignInFirst(visit);
  ASSIGN_OR_CO_RETURN(OwnedNamespace owned, co_await FindOwned(call, visit));
  co_return co_await kShow(call, visit, owned);
}

struct OwnersForm : SentForm {
  OwnedNamespace owned;  // nobody's while there is `instead`
  std::string shown_at;  // the path of the page that has the form
};
// The form that the page with this end sends. Fails: as TakeForm and FindOwned.
Task<OwnersForm> TakeOwnersForm(Call& call, Visit& visit, std::string_view end,
                                std::span<const std::string_view> kept = {},
                                RefilledPage refilled = nullptr);

// Where the page of {namespace} with this end is: "people". A name that cannot be is kept as it is.
std::string OwnedPath(const Call& call, std::string_view end);

// Logs that something was changed in a namespace.
void LogOwned(const Call& call, const OwnedNamespace& owned, std::string_view what,
              std::string_view name);

}  // namespace koya::api
