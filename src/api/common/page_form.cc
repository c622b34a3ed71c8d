#include "api/common/page_form.h"

#include <utility>

#include "api/common/denials.h"
#include "domain/account_record.h"
#include "domain/namespace_record.h"
#include "obs/log.h"
#include "service/sign_in/sessions.h"
#include "web/common/text_safety.h"

namespace koya::api {

auth::Principal SignedInPrincipal(const PageContext& visit) {
  auth::Principal by = *visit.visitor()->principal;
  by.actor = ActorOf(by, visit.request());
  return by;
}

std::optional<GranteeKind> ChosenGrantee(std::string_view text) {
  for (GranteeKind kind : {GranteeKind::kUser, GranteeKind::kGroup, GranteeKind::kService}) {
    if (text == GranteeKindName(kind)) return kind;
  }
  return std::nullopt;
}

std::optional<AccountKind> ChosenAccount(std::string_view text) {
  for (AccountKind kind : {AccountKind::kUser, AccountKind::kService}) {
    if (text == AccountKindName(kind)) return kind;
  }
  return std::nullopt;
}

http::Response SignInFirst(const PageContext& visit) {
  return visit.GoTo(web::SignInPath(visit.Frame().path));
}

bool IsAboutForm(ErrorKind kind) {
  return kind == ErrorKind::kInvalid || kind == ErrorKind::kRefused ||
         kind == ErrorKind::kConflict || kind == ErrorKind::kNotFound ||
         kind == ErrorKind::kForbidden;
}

bool FormPage::Confirms(std::string_view name) {
  if (form.Get("typed") != name) errors.Add("typed", "typed_wrong");
  return errors.empty();
}

void FormPage::Log(std::string_view what, std::string_view kind, std::string_view name) const {
  services.log.Info(what, {{"request_id", call.request().request_id},
                           {"by", by.name},
                           {kind, name},
                           {"remote", call.request().remote}});
}

void FormPage::LogInNamespace(std::string_view ns, std::string_view what,
                              std::string_view name) const {
  services.log.Info(what, {{"request_id", call.request().request_id},
                           {"by", by.name},
                           {"namespace", ns},
                           {"name", name},
                           {"remote", call.request().remote}});
}

http::Response FormPage::Done(std::string to, std::string_view notice, std::string what) {
  return visit.GoTo(std::move(to), {.key = std::string(notice), .what = std::move(what)});
}

Result<Outcome> FormPage::Removed(const Status& removed, std::string to, RemovalNotices notices,
                                  std::string what) {
  if (!removed && removed.error().kind != ErrorKind::kNotFound) return Failure(removed.error());
  return Done(std::move(to), removed ? notices.removed : notices.gone, std::move(what));
}

Result<Outcome> FormPage::Reject(std::string field, const Error& error, web::Typed typed) {
  if (!IsAboutForm(error.kind)) return Failure(error);
  errors.AddError(std::move(field), web::Refusal::Of(error, typed));
  return kFormAgain;
}

Result<Outcome> FormPage::RejectIf(ErrorKind kind, const Error& error, std::string field,
                                   std::string word) {
  if (error.kind != kind) return Failure(error);
  errors.Add(std::move(field), std::move(word));
  return kFormAgain;
}

http::Response FormPage::Rejected(std::string html) const {
  http::Response reply = visit.Page(status, std::move(html));
  if (retry_after > 0) reply.fields.emplace_back("Retry-After", std::to_string(retry_after));
  reply.log_detail = log_detail;
  return reply;
}

Task<std::optional<http::Response>> StartPage(FormPage& page) {
  CO_RETURN_IF_ERROR(co_await page.visit.Recognise());
  if (page.visit.visitor() == nullptr) co_return SignInFirst(page.visit);
  page.call.principal = SignedInPrincipal(page.visit);
  co_return std::nullopt;
}

Task<std::optional<http::Response>> TakeForm(FormPage& page, std::string shown_at) {
  ASSIGN_OR_CO_RETURN(page.form, co_await ReadPageForm(page.call));
  page.visit.SetPath(shown_at);
  ASSIGN_OR_CO_RETURN(std::optional<http::Response> instead, co_await StartPage(page));
  if (!instead && !page.visit.Made(page.form)) instead = page.visit.StaleForm(std::move(shown_at));
  co_return instead;
}

std::string HtmlOf(const FormPage& page, web::ConfirmPage shown) {
  shown.typed = page.form.Get("typed");
  shown.errors = page.errors;
  return web::RenderConfirm(page.visit.Frame(), shown);
}

web::VersionRights VersionRightsOf(const Call& call, std::string_view ns) {
  if (call.principal.is_anonymous()) return {};
  return {.may_deprecate = call.principal.RequireNamespace(ns, Role::kPublisher).has_value(),
          .may_withdraw = call.principal.RequireNamespace(ns).has_value()};
}

}  // namespace koya::api
