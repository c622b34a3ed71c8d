// Access control and responses of the administrators' pages.
//
//   Task<http::Response> ShowThings(Call& call, PageAnswer& page) {
//     ASSIGN_OR_CO_RETURN(…, co_await call.services.things.List(call.principal));
//     co_return co_await page.SendUnkept(web::RenderThings(page.frame, …));
//   }
//
// The route table has ForAdministrators<ShowThings>, with Access::kBrowse and ResourceScope::kNone.
// These pages require a browser session: a token opens none of them, whatever its scope.
#pragma once

#include <string>
#include <utility>

#include "api/common/page_answer.h"
#include "api/common/page_form.h"
#include "web/common/text_safety.h"

namespace koya::api {

// Checks that the caller is an administrator who is signed in with a browser. An attempt of anyone
// else is noted as denied. Fails: kNotFound, with the message for a path without a page.
Status RequireAdministrator(const Call& call);

using AdministratorsPage = Task<http::Response> (*)(Call& call, PageAnswer& page);

// Handler of an administrators' page. A caller who is not signed in is redirected to the sign-in
// page and back, so that the answer does not reveal whether the page exists.
template <AdministratorsPage kShow>
Task<http::Response> ForAdministrators(Call& call) {
  PageAnswer page(call);
  if (call.principal.is_anonymous()) co_return page.GoTo(web::SignInPath(page.frame.path));
  CO_RETURN_IF_ERROR(RequireAdministrator(call));
  co_return co_await kShow(call, page);
}

using AdministratorsForm = Task<http::Response> (*)(Call& call, PageContext& visit,
                                                    const Form& form);

// Handler of a form (Access::kPage) that an administrators' page posts to its own path. In kDo,
// call.principal is the user who sent the form.
template <AdministratorsForm kDo>
Task<http::Response> FromAdministrators(Call& call) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(SentForm sent,
                      co_await TakeForm(call, visit, std::string(call.request().path)));
  if (sent.instead) co_return *std::move(sent.instead);
  call.principal = SignedInPrincipal(visit);
  CO_RETURN_IF_ERROR(RequireAdministrator(call));
  co_return co_await kDo(call, visit, sent.form);
}

// A query parameter as the user typed it; "": it is absent. Fails: kInvalid.
Result<std::string> TypedParameter(const Call& call, std::string_view name);

}  // namespace koya::api
