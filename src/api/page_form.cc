#include "api/page_form.h"

#include <utility>

#include "api/denials.h"
#include "web/local_path.h"
#include "web/view_parts.h"

namespace koya::api {
namespace {

constexpr std::size_t kMostKeptBytes = 300;  // of a field

}  // namespace

auth::Principal SignedInPrincipal(const Visit& visit) {
  auth::Principal by = *visit.visitor()->principal;
  by.actor = ActorOf(by, visit.request());
  return by;
}

void LogChange(const Visit& visit, std::string_view what, std::string_view kind,
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

http::Response SignInFirst(const Visit& visit) {
  return visit.GoTo(web::SignInPath(visit.Frame().path));
}

std::string RefilledPath(std::string_view path, const Form& form,
                         std::span<const std::string_view> kept) {
  std::string refilled(path);
  for (std::string_view name : kept) {
    const std::string& value = form.Get(name);
    if (!form.Has(name) || value.size() > kMostKeptBytes) continue;
    refilled = web::PathWith(refilled, name, value);
  }
  return refilled;
}

Task<SentForm> TakeForm(Call& call, Visit& visit, std::string shown_at,
                        std::span<const std::string_view> kept) {
  ASSIGN_OR_CO_RETURN(Form form, co_await ReadPageForm(call));
  CO_RETURN_IF_ERROR(co_await visit.Recognise());
  visit.SetPath(shown_at);
  std::optional<http::Response> instead;
  const std::string refilled = RefilledPath(shown_at, form, kept);
  if (visit.visitor() == nullptr) {
    instead = visit.GoTo(web::SignInPath(refilled));
  } else if (!visit.Made(form)) {
    instead = visit.StaleForm(refilled);
  }
  co_return SentForm{.form = std::move(form), .instead = std::move(instead)};
}

bool IsAboutForm(ErrorKind kind) {
  return kind == ErrorKind::kInvalid || kind == ErrorKind::kRefused ||
         kind == ErrorKind::kConflict || kind == ErrorKind::kNotFound ||
         kind == ErrorKind::kForbidden;
}

}  // namespace koya::api
