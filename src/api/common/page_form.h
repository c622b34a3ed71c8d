// Pages and forms of signed-in users, as rows of the route table.
//
//   Task<std::string> ShowThing(FormPage& page);      // the page: HTML, or a web::ConfirmPage
//   Task<Outcome> RenameThing(FormPage& page) {       // the work of its form
//     const std::string name = page.form.Get("name");
//     if (name.empty()) page.errors.Add("name", "required");
//     if (!page.errors.empty()) co_return kFormAgain;
//     Status done = co_await page.services.things.Rename(page.by, name);
//     if (!done) co_return page.Reject("name", done.error());
//     page.Log("thing renamed", "thing", name);
//     co_return page.Done("/-/things", "thing_renamed", name);
//   }
//   …
//   PageRow<ShowThing>("/-/things", "Show the thing"),
//   FormRow<ShowThing, RenameThing>("/-/things", "Rename the thing"),
//
// The type of `page` says who may use them: FormPage, all signed-in users; OwnersPage
// (namespace_owned.h); AdminPage (admin_answer.h). Users who are not signed in are redirected to
// the sign-in page, and come back to the empty form. A rejected form is answered by ShowThing, too,
// which then finds page.form and page.errors.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/common/call.h"
#include "api/common/page_context.h"
#include "api/common/query.h"
#include "api/common/route.h"
#include "web/common/form_parts.h"
#include "web/common/view.h"

namespace koya {
enum class AccountKind;
enum class GranteeKind;
}  // namespace koya

namespace koya::api {

// The permissions of the signed-in user, and where the request came from. REQUIRES:
// visit.visitor().
auth::Principal SignedInPrincipal(const PageContext& visit);

// 303 to the sign-in page, and from there back to where a GET shows this page.
http::Response SignInFirst(const PageContext& visit);

// Parse a choice in a form; nullopt: any other text.
std::optional<GranteeKind> ChosenGrantee(std::string_view text);
std::optional<AccountKind> ChosenAccount(std::string_view text);

// True if an Error describes a problem with the typed values, so that the form is shown again with
// it.
bool IsAboutForm(ErrorKind kind);

// The response to a form; kFormAgain: its page again, with page.errors.
using Outcome = std::optional<http::Response>;
inline constexpr std::nullopt_t kFormAgain = std::nullopt;

// One request for a page, or with its form. Belongs to the request's coroutine, which it must not
// outlive.
struct FormPage {
  FormPage(Call& of, PageContext& context)
      : call(of), visit(context), services(of.services), by(of.principal) {}

  Call& call;
  PageContext& visit;
  Services& services;
  const auth::Principal& by;  // the user: call.principal
  Form form = {};             // as it was sent; of a GET: empty
  web::FormErrors errors = {};
  // Of the page with these errors.
  unsigned status = 422;
  unsigned retry_after = 0;  // seconds; 0: the response does not say
  std::string log_detail = {};

  // Where a GET shows the page that has the form.
  std::string ShownAt() const { return std::string(call.request().path); }
  // Checks the permission that this type of page requires. Gives a response to send in place of the
  // page, if any.
  Task<std::optional<http::Response>> Admit() { co_return std::nullopt; }

  // The text typed in a field of a rejected form; else `current`.
  std::string Typed(std::string_view field, std::string_view current) const {
    return errors.empty() ? std::string(current) : form.Get(field);
  }
  // Whether the name was typed to confirm; adds the error if not.
  bool Confirms(std::string_view name);

  // Logs a change by the user: `what` was done to the `kind` of that name.
  void Log(std::string_view what, std::string_view kind, std::string_view name) const;
  // The same for a thing in a namespace.
  void LogInNamespace(std::string_view ns, std::string_view what, std::string_view name) const;

  // 303 to a page that shows the notice once.
  http::Response Done(std::string to, std::string_view notice, std::string what = {});
  struct RemovalNotices {
    std::string_view removed;
    std::string_view gone;  // another client was faster
  };
  // The same for something that was removed, or was gone already (kNotFound). Fails: as `removed`
  // otherwise.
  Result<Outcome> Removed(const Status& removed, std::string to, RemovalNotices notices,
                          std::string what = {});

  // Rejects the form for an error of a service, shown at the field. Fails: as that error, if it is
  // not about the typed values.
  Result<Outcome> Reject(std::string field, const Error& error, web::Typed typed = {});
  // Rejects it with our own text, "form.WORD", for an error of this kind. Fails: as any other.
  Result<Outcome> RejectIf(ErrorKind kind, const Error& error, std::string field, std::string word);
  // The response to a rejected form.
  http::Response Rejected(std::string html) const;
};

// Parts of the functions below: start to show a page, and take the form in the body of a POST. Give
// a response to send in place: the user is not signed in, or the form was made for another session.
// Fail: as the catalog, and as ReadPageForm.
Task<std::optional<http::Response>> StartPage(FormPage& page);
Task<std::optional<http::Response>> TakeForm(FormPage& page, std::string shown_at);

inline std::string HtmlOf(const FormPage& /*page*/, std::string html) { return html; }
std::string HtmlOf(const FormPage& page, web::ConfirmPage shown);

template <class Shown, class PageType>
PageType PageTypeOf(Task<Shown> (*ask)(PageType&));
// The page that a function takes, and so who may use it.
template <auto kAsk>
using PageOf = decltype(PageTypeOf(kAsk));

template <auto kAsk>
Task<http::Response> ShowPage(Call& call) {
  PageContext visit(call.request(), call.services);
  PageOf<kAsk> page(call, visit);
  ASSIGN_OR_CO_RETURN(std::optional<http::Response> instead, co_await StartPage(page));
  if (instead) co_return *std::move(instead);
  ASSIGN_OR_CO_RETURN(instead, co_await page.Admit());
  if (instead) co_return *std::move(instead);
  ASSIGN_OR_CO_RETURN(auto shown, co_await kAsk(page));
  co_return visit.Page(200, HtmlOf(page, std::move(shown)));
}

template <auto kAsk, Task<Outcome> (*kDo)(PageOf<kAsk>&)>
Task<http::Response> DoForm(Call& call) {
  PageContext visit(call.request(), call.services);
  PageOf<kAsk> page(call, visit);
  ASSIGN_OR_CO_RETURN(std::optional<http::Response> instead,
                      co_await TakeForm(page, page.ShownAt()));
  if (instead) co_return *std::move(instead);
  ASSIGN_OR_CO_RETURN(instead, co_await page.Admit());
  if (instead) co_return *std::move(instead);
  ASSIGN_OR_CO_RETURN(Outcome done, co_await kDo(page));
  if (done) co_return *std::move(done);
  ASSIGN_OR_CO_RETURN(auto shown, co_await kAsk(page));
  co_return page.Rejected(HtmlOf(page, std::move(shown)));
}

// Rows of the route table.
template <auto kAsk>
consteval Route PageRow(std::string_view path, std::string_view summary) {
  return Route::Get(path, Access::kPage, ResourceScope::kNone, ShowPage<kAsk>, summary);
}
template <auto kAsk, auto kDo>
consteval Route FormRow(std::string_view path, std::string_view summary) {
  return Route::Post(path, Access::kPage, BodyLimit::kForm, DoForm<kAsk, kDo>, summary);
}

// ---- permissions to deprecate or withdraw versions of modules and providers

// Which of the pages for this the caller may open in namespace `ns`.
web::VersionRights VersionRightsOf(const Call& call, std::string_view ns);

}  // namespace koya::api
