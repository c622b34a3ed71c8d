// Access control and responses of the administrators' pages: rows of the route table, made of
//
//   Task<http::Response> ShowThings(Call& call, PageAnswer& page) {
//     ASSIGN_OR_CO_RETURN(…, co_await call.services.things.List(call.principal));
//     co_return co_await page.SendUnkept(web::RenderThings(page.frame, …));
//   }
//   AdminRow<ShowThings>("/-/admin/things", "Show the things"),
//
// and, of pages with forms, of functions with an AdminPage, as in page_form.h: AdminRow for the
// page and FormRow for its form. These pages require a browser session: a token opens none of them,
// whatever its scope.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
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

struct AdminPage : FormPage {
  using FormPage::FormPage;
  Task<std::optional<http::Response>> Admit();
};

// The page of a GET, whose user admission found.
template <auto kAsk>
Task<http::Response> ShowAdminPage(Call& call, PageAnswer& answer) {
  AdminPage page(call, answer.context());
  ASSIGN_OR_CO_RETURN(auto shown, co_await kAsk(page));
  co_return co_await answer.SendUnkept(HtmlOf(page, std::move(shown)));
}

template <auto kShow>
consteval Route AdminRow(std::string_view path, std::string_view summary) {
  HandlerFunction handler = nullptr;
  if constexpr (std::convertible_to<decltype(kShow), AdministratorsPage>) {
    handler = ForAdministrators<kShow>;
  } else {
    handler = ForAdministrators<ShowAdminPage<kShow>>;
  }
  return Route::Get(path, Access::kBrowse, ResourceScope::kNone, handler, summary);
}

// A query parameter as the user typed it; "": it is absent. Fails: kInvalid.
Result<std::string> TypedParameter(const Call& call, std::string_view name);

}  // namespace koya::api
