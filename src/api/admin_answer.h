// The pages of administrators: who gets them, and how a handler answers with one.
//
//   Task<http::Response> ShowThings(Call& call, PageAnswer& page) {
//     ASSIGN_OR_CO_RETURN(…, co_await call.services.things.List(call.principal));
//     co_return co_await page.SendUnkept(web::RenderThings(page.frame, …));
//   }
//
// and in the table ForAdministrators<ShowThings>, of Access::kBrowse and About::kNobody. They are
// for people with a browser: a token is shown none of them, whatever it may do elsewhere.
#pragma once

#include <string>
#include <utility>

#include "api/page_answer.h"
#include "api/page_form.h"
#include "web/local_path.h"

namespace koya::api {

// Whether whoever is signed in may see what only administrators may. The attempt of another is
// noted as denied. Fails: kNotFound, in the words of what is nowhere.
Status RequireAdministrator(const Call& call);

// The form in the body of a POST to one of these pages' own path. Fails: as TakeForm.
Task<SentForm> TakeAdministratorsForm(Call& call, Visit& visit);

using AdministratorsPage = Task<http::Response> (*)(Call& call, PageAnswer& page);

// Nobody is told that there is such a page: who is not signed in is led to where that is done, and
// back.
template <AdministratorsPage kShow>
Task<http::Response> ForAdministrators(Call& call) {
  PageAnswer page(call);
  if (call.principal.is_stranger()) co_return page.GoTo(web::SignInPath(page.frame.path));
  CO_RETURN_IF_ERROR(RequireAdministrator(call));
  co_return co_await kShow(call, page);
}

using AdministratorsForm = Task<http::Response> (*)(Call& call, Visit& visit, const Form& form);

// The same of a form that one of these pages sends to its own path, of Access::kPage. In the
// handler call.principal is who sent it. What was typed is kept while they sign in again, as far as
// it is no secret.
template <AdministratorsForm kDo>
Task<http::Response> FromAdministrators(Call& call) {
  Visit visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(SentForm sent, co_await TakeAdministratorsForm(call, visit));
  if (sent.instead) co_return *std::move(sent.instead);
  call.principal = SignedInPrincipal(visit);
  CO_RETURN_IF_ERROR(RequireAdministrator(call));
  co_return co_await kDo(call, visit, sent.form);
}

// A parameter of the query as it was typed; "": it is absent. Fails: kInvalid.
Result<std::string> TypedParameter(const Call& call, std::string_view name);

}  // namespace koya::api
