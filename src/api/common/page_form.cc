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

void LogChange(const PageContext& visit, std::string_view what, std::string_view kind,
               std::string_view name) {
  visit.services().log.Info(what, {{"request_id", visit.request().request_id},
                                   {"by", visit.visitor()->user},
                                   {kind, name},
                                   {"remote", visit.request().remote}});
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

Task<SentForm> TakeForm(Call& call, PageContext& visit, std::string shown_at) {
  ASSIGN_OR_CO_RETURN(Form form, co_await ReadPageForm(call));
  CO_RETURN_IF_ERROR(co_await visit.Recognise());
  visit.SetPath(shown_at);
  std::optional<http::Response> instead;
  if (visit.visitor() == nullptr) {
    instead = visit.GoTo(web::SignInPath(shown_at));
  } else if (!visit.Made(form)) {
    instead = visit.StaleForm(std::move(shown_at));
  }
  co_return SentForm{.form = std::move(form), .instead = std::move(instead)};
}

bool IsAboutForm(ErrorKind kind) {
  return kind == ErrorKind::kInvalid || kind == ErrorKind::kRefused ||
         kind == ErrorKind::kConflict || kind == ErrorKind::kNotFound ||
         kind == ErrorKind::kForbidden;
}

VersionRights VersionRightsOf(const Call& call, const web::PageFrame& frame, std::string_view ns) {
  if (frame.account.empty()) return {};
  return {.may_deprecate = call.principal.RequireNamespace(ns, Role::kPublisher).has_value(),
          .may_withdraw = call.principal.RequireNamespace(ns).has_value()};
}

}  // namespace koya::api
