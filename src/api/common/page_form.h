// Pages and forms of signed-in users (Access::kPage): finds the user, and responds to forms that
// cannot be taken.
//
// A handler makes a PageContext, calls TakeForm, returns `instead` if it is set, does the work of
// the form as SignedInPrincipal, and ends with PageContext::GoTo and a notice.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/common/call.h"
#include "api/common/page_context.h"
#include "api/common/query.h"

namespace koya {
enum class AccountKind;
enum class GranteeKind;
}  // namespace koya

namespace koya::api {

// The permissions of the signed-in user, and where the request came from. REQUIRES:
// visit.visitor().
auth::Principal SignedInPrincipal(const PageContext& visit);

// Logs a change by the signed-in user: `what` was done to the `kind` of that name.
void LogChange(const PageContext& visit, std::string_view what, std::string_view kind,
               std::string_view name);

// 303 to the sign-in page, and from there back to where a GET shows this page.
http::Response SignInFirst(const PageContext& visit);

using SignedInPage = Task<http::Response> (*)(Call& call, const PageContext& visit);
// Handler of a page of the signed-in user, for the route table; sends users who are not signed in
// to the sign-in page first.
template <SignedInPage kShow>
Task<http::Response> ForSignedIn(Call& call) {
  PageContext visit(call.request(), call.services);
  CO_RETURN_IF_ERROR(co_await visit.Recognise());
  if (visit.visitor() == nullptr) co_return SignInFirst(visit);
  co_return co_await kShow(call, visit);
}

// Parse a choice in a form; nullopt: any other text.
std::optional<GranteeKind> ChosenGrantee(std::string_view text);
std::optional<AccountKind> ChosenAccount(std::string_view text);

struct SentForm {
  Form form;
  // The response to send in place of doing the form's work: the user is no longer signed in, or the
  // form was not made for this session. Both lead back to the empty form.
  std::optional<http::Response> instead;
};
// Takes the form in the body of a POST by the signed-in user. `shown_at`: the page that has the
// form. Fails: as ReadPageForm, and as the catalog.
Task<SentForm> TakeForm(Call& call, PageContext& visit, std::string shown_at);

// True if an Error describes a problem with the typed values, so that the form is shown again with
// it.
bool IsAboutForm(ErrorKind kind);

// ---- permissions to deprecate or withdraw versions of modules and providers

// Which of the pages for this the reader of `frame` may open in namespace `ns`.
struct VersionRights {
  bool may_deprecate = false;
  bool may_withdraw = false;
};
VersionRights VersionRightsOf(const Call& call, const web::PageFrame& frame, std::string_view ns);

}  // namespace koya::api
