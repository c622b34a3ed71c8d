#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/common/page_form.h"
#include "api/common/route.h"
#include "api/modules/managed_version.h"
#include "obs/log.h"
#include "service/sign_in/sessions.h"
#include "web/common/form_parts.h"
#include "web/common/package_paths.h"
#include "web/common/refusal.h"
#include "web/modules/version_forms.h"

namespace koya::api {
namespace {

// Logs a change of the version; `what`: in the words of the log.
void LogManaged(const PageContext& visit, std::string_view what, const web::VersionName& name,
                std::string_view field, std::string_view text) {
  visit.services().log.Info(what, {{"request_id", visit.request().request_id},
                                   {"by", visit.visitor()->user},
                                   {"address", name.address},
                                   {"version", name.version},
                                   {field, text},
                                   {"remote", visit.request().remote}});
}

// Another client was faster, or the version never existed: its own page says which.
http::Response IsNotHere(PageContext& visit, const ManagedVersion& managed) {
  const web::VersionName name = managed.Name();
  return visit.GoTo(web::VersionFormPath(name), {.key = "version_gone", .what = name.version});
}

bool IsAbsent(const Error& error) {
  return error.kind == ErrorKind::kNotFound || error.kind == ErrorKind::kGone;
}

// Why a change was not made, beside the field that it is about. Nothing, where that is not it.
web::FormErrors ErrorsOfRemark(const Status& done, std::string_view field) {
  web::FormErrors errors;
  if (!done && IsAboutForm(done.error().kind)) {
    errors.AddError(std::string(field), web::Refusal::Of(done.error(), web::Typed::kVersionRemark));
  }
  return errors;
}

// ---- deprecation

// 303 to the list of versions, which shows the change.
http::Response Deprecated(PageContext& visit, const ManagedVersion& managed,
                          const std::string& message) {
  const web::VersionName name = managed.Name();
  LogManaged(visit, name.is_module ? "module deprecated" : "provider deprecated", name, "message",
             message);
  return visit.GoTo(web::VersionListPath(name),
                    {.key = message.empty() ? "version_undeprecated" : "version_deprecated",
                     .what = name.version});
}

Task<http::Response> Deprecate(Call& call, PageContext& visit, const ManagedVersion& managed,
                               const Form& form) {
  const bool undo = form.Get("undo") == "yes";
  const std::string message = undo ? std::string() : form.Get("message");
  web::DeprecatePage page{
      .name = managed.Name(), .current = managed.deprecation, .message = message};
  if (!undo && message.empty()) page.errors.Add("message", "required");
  if (page.errors.empty()) {
    Status done = co_await DeprecateManaged(call, managed, message);
    if (done) co_return Deprecated(visit, managed, message);
    if (IsAbsent(done.error())) co_return IsNotHere(visit, managed);
    page.errors = ErrorsOfRemark(done, "message");
    if (page.errors.empty()) co_return Failure(std::move(done).error());
  }
  co_return visit.Page(422, web::RenderDeprecate(visit.Frame(), page));
}

// ---- withdrawal

// 303 to the remaining versions, or to the namespace if none remain.
http::Response Withdrawn(PageContext& visit, const ManagedVersion& managed,
                         const std::string& reason) {
  const web::VersionName name = managed.Name();
  LogManaged(visit, name.is_module ? "module withdrawn" : "provider withdrawn", name, "reason",
             reason);
  return visit.GoTo(managed.is_only ? web::NamespacePath(name.ns) : web::VersionListPath(name),
                    {.key = "version_withdrawn", .what = name.version});
}

web::FormErrors ErrorsOfWithdrawal(const Form& form, const web::VersionName& name) {
  web::FormErrors errors;
  if (form.Get("reason").empty()) errors.Add("reason", "required");
  if (form.Get("typed") != name.version) errors.Add("typed", "version_wrong");
  return errors;
}

Task<http::Response> Withdraw(Call& call, PageContext& visit, const ManagedVersion& managed,
                              const Form& form) {
  const std::string reason = form.Get("reason");
  const std::string successor = form.Get("successor");
  web::FormErrors errors = ErrorsOfWithdrawal(form, managed.Name());
  if (errors.empty()) {
    Status done = co_await WithdrawManaged(call, managed, reason, successor);
    if (done) co_return Withdrawn(visit, managed, reason);
    if (IsAbsent(done.error())) co_return IsNotHere(visit, managed);
    errors = ErrorsOfRemark(done, "reason");
    if (errors.empty()) co_return Failure(std::move(done).error());
  }
  ASSIGN_OR_CO_RETURN(web::WithdrawPage page, co_await WithdrawPageOf(call, managed));
  page.reason = reason;
  page.successor = successor;
  page.typed = form.Get("typed");
  page.errors = std::move(errors);
  co_return visit.Page(422, web::RenderWithdraw(visit.Frame(), page));
}

// ---- what both have

struct VersionForm {
  Versioned kind;
  Role needed;  // in the version's namespace
  Task<http::Response> (*act)(Call&, PageContext&, const ManagedVersion&, const Form&);
};

Task<http::Response> TakeVersionForm(Call& call, VersionForm wanted) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(SentForm sent,
                      co_await TakeForm(call, visit, std::string(call.request().path)));
  if (sent.instead) co_return *std::move(sent.instead);
  ASSIGN_OR_CO_RETURN(ManagedVersion managed,
                      co_await FindManagedVersion(call, visit, wanted.kind, wanted.needed));
  if (!managed.is_here) co_return IsNotHere(visit, managed);
  co_return co_await wanted.act(call, visit, managed, sent.form);
}

template <Versioned kKind>
Task<http::Response> ShowDeprecation(Call& call, const PageContext& visit) {
  ASSIGN_OR_CO_RETURN(ManagedVersion managed,
                      co_await FindManagedVersion(call, visit, kKind, Role::kPublisher));
  const web::DeprecatePage page{
      .name = managed.Name(), .current = managed.deprecation, .message = managed.deprecation};
  if (!managed.is_here) co_return visit.GoTo(web::VersionFormPath(page.name));
  co_return visit.Page(200, web::RenderDeprecate(visit.Frame(), page));
}

template <Versioned kKind>
Task<http::Response> DeprecateByForm(Call& call) {
  return TakeVersionForm(call, {.kind = kKind, .needed = Role::kPublisher, .act = Deprecate});
}

template <Versioned kKind>
Task<http::Response> ShowWithdrawal(Call& call, const PageContext& visit) {
  ASSIGN_OR_CO_RETURN(ManagedVersion managed,
                      co_await FindManagedVersion(call, visit, kKind, Role::kOwner));
  if (!managed.is_here) co_return visit.GoTo(web::VersionFormPath(managed.Name()));
  ASSIGN_OR_CO_RETURN(const web::WithdrawPage page, co_await WithdrawPageOf(call, managed));
  co_return visit.Page(200, web::RenderWithdraw(visit.Frame(), page));
}

template <Versioned kKind>
Task<http::Response> WithdrawByForm(Call& call) {
  return TakeVersionForm(call, {.kind = kKind, .needed = Role::kOwner, .act = Withdraw});
}

}  // namespace

std::span<const Route> VersionFormRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/providers/{namespace}/{type}/{version}/deprecate", Access::kPage,
                 ResourceScope::kNone, ForSignedIn<ShowDeprecation<Versioned::kProvider>>,
                 "Show the form to deprecate a provider version"),
      Route::Post("/providers/{namespace}/{type}/{version}/deprecate", Access::kPage,
                  BodyLimit::kForm, DeprecateByForm<Versioned::kProvider>,
                  "Deprecate a provider version, or undo its deprecation"),
      Route::Get("/providers/{namespace}/{type}/{version}/withdraw", Access::kPage,
                 ResourceScope::kNone, ForSignedIn<ShowWithdrawal<Versioned::kProvider>>,
                 "Show the form to withdraw a provider version, with its consumers"),
      Route::Post("/providers/{namespace}/{type}/{version}/withdraw", Access::kPage,
                  BodyLimit::kForm, WithdrawByForm<Versioned::kProvider>,
                  "Withdraw a provider version"),
      Route::Get("/modules/{namespace}/{name}/{system}/{version}/deprecate", Access::kPage,
                 ResourceScope::kNone, ForSignedIn<ShowDeprecation<Versioned::kModule>>,
                 "Show the form to deprecate a module version"),
      Route::Post("/modules/{namespace}/{name}/{system}/{version}/deprecate", Access::kPage,
                  BodyLimit::kForm, DeprecateByForm<Versioned::kModule>,
                  "Deprecate a module version, or undo its deprecation"),
      Route::Get("/modules/{namespace}/{name}/{system}/{version}/withdraw", Access::kPage,
                 ResourceScope::kNone, ForSignedIn<ShowWithdrawal<Versioned::kModule>>,
                 "Show the form to withdraw a module version, with its consumers"),
      Route::Post("/modules/{namespace}/{name}/{system}/{version}/withdraw", Access::kPage,
                  BodyLimit::kForm, WithdrawByForm<Versioned::kModule>,
                  "Withdraw a module version"),
  };
  return kRoutes;
}

}  // namespace koya::api
