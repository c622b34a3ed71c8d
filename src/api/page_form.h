// Pages and forms of whoever is signed in (Access::kPage): who that is, and what is answered to
// forms that cannot be taken.
//
// A handler makes a Visit, asks TakeForm for what was sent, answers `instead` if there is that,
// does what the form asks as SignedInPrincipal, and ends with Visit::GoTo and a notice.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/call.h"
#include "api/form.h"
#include "api/visit.h"

namespace koya {
enum class AccountKind;
enum class GranteeKind;
}  // namespace koya

namespace koya::api {

// What they may do, and from where. REQUIRES: visit.visitor().
auth::Principal SignedInPrincipal(const Visit& visit);

// Logs that they changed something: `what` was done to the `kind` of that name.
void LogChange(const Visit& visit, std::string_view what, std::string_view kind,
               std::string_view name);

// 303: to sign in, and back to where a GET shows this page.
http::Response SignInFirst(const Visit& visit);

using SignedInPage = Task<http::Response> (*)(Call& call, const Visit& visit);
// For the table: the page of whoever is signed in; who is not does that first.
template <SignedInPage kShow>
Task<http::Response> ForSignedIn(Call& call) {
  Visit visit(call.request(), call.services);
  CO_RETURN_IF_ERROR(co_await visit.Recognise());
  if (visit.visitor() == nullptr) co_return SignInFirst(visit);
  co_return co_await kShow(call, visit);
}

// What a form chooses from; nullopt: something else stands there.
std::optional<GranteeKind> ChosenGrantee(std::string_view text);
std::optional<AccountKind> ChosenAccount(std::string_view text);

struct SentForm {
  Form form;
  // What is answered in place of doing what it asks: nobody is signed in any more, or the form was
  // not made for this session. Both lead back to the form with what was typed.
  std::optional<http::Response> instead;
};
// The page that has a form, filled in with what is in `form`, for whoever is signed in. Nothing is
// done.
using RefilledPage = Task<http::Response> (*)(Call& call, const Visit& visit, const Form& form);
// The form in the body of a POST, by whoever is signed in. `shown_at`: the page that has the form;
// `kept`: the fields that are not lost then (api/kept_form.h), which outlives the call. What is too
// long for an address is kept where there is a `refilled` page: a POST of what was kept is answered
// with that, instead. Fails: as ReadPageForm, as `refilled`, and as the catalog.
Task<SentForm> TakeForm(Call& call, Visit& visit, std::string shown_at,
                        std::span<const std::string_view> kept = {},
                        RefilledPage refilled = nullptr);

// Whether an Error tells what is wrong with what was typed, so that the form is shown again with
// it.
bool IsAboutForm(ErrorKind kind);

}  // namespace koya::api
