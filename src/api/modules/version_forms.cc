#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/common/page_form.h"
#include "api/modules/managed_version.h"
#include "obs/log.h"
#include "web/common/package_paths.h"
#include "web/modules/version_forms.h"

namespace koya::api {
namespace {

// Another client was faster, or the version never existed: its own page says which.
http::Response IsNotHere(FormPage& page, const web::VersionName& name) {
  return page.Done(web::VersionFormPath(name), "version_gone", name.version);
}

// A page for users with the role kNeeded in the namespace of the path's version, which is kHere.
template <Role kNeeded, bool kHere = true>
struct ManagersPage : FormPage {
  using FormPage::FormPage;

  std::optional<ManagedVersion> managed = std::nullopt;  // set by Admit

  Task<std::optional<http::Response>> Admit() {
    const bool is_module = call.pattern.starts_with("/modules/");
    ASSIGN_OR_CO_RETURN(managed,
                        co_await FindManagedVersion(
                            call, is_module ? Versioned::kModule : Versioned::kProvider, kNeeded));
    if (managed->is_here == kHere) co_return std::nullopt;
    if (call.request().method == http::Method::kPost) co_return IsNotHere(*this, managed->Name());
    co_return visit.GoTo(web::VersionFormPath(managed->Name()));
  }
};
using PublishersPage = ManagersPage<Role::kPublisher>;
using WithdrawersPage = ManagersPage<Role::kOwner>;
using RestorersPage = ManagersPage<Role::kOwner, false>;

// Logs a change of the version; `what`: in the words of the log.
void LogManaged(const FormPage& page, std::string_view what, const web::VersionName& name,
                std::string_view field, std::string_view text) {
  page.services.log.Info(fmt::format("{} {}", name.is_module ? "module" : "provider", what),
                         {{"request_id", page.call.request().request_id},
                          {"by", page.by.name},
                          {"address", name.address},
                          {"version", name.version},
                          {field, text},
                          {"remote", page.call.request().remote}});
}

// Why a change was not made: beside the field that it is about, unless the version is not here.
Result<Outcome> RejectedRemark(FormPage& page, const web::VersionName& name, std::string field,
                               const Error& error) {
  const bool is_absent = error.kind == ErrorKind::kNotFound || error.kind == ErrorKind::kGone;
  if (is_absent) return IsNotHere(page, name);
  return page.Reject(std::move(field), error, web::Typed::kVersionRemark);
}

Task<std::string> ShowDeprecation(PublishersPage& page) {
  const std::string& current = page.managed->deprecation;
  const web::DeprecatePage shown{.name = page.managed->Name(),
                                 .current = current,
                                 .message = page.Typed("message", current),
                                 .errors = page.errors};
  co_return web::RenderDeprecate(page.visit.Frame(), shown);
}

// Leads to the list of versions, which shows the change.
Task<Outcome> Deprecate(PublishersPage& page) {
  const web::VersionName name = page.managed->Name();
  const bool undo = page.form.Get("undo") == "yes";
  const std::string message = undo ? std::string() : page.form.Get("message");
  if (!undo && message.empty()) page.errors.Add("message", "required");
  if (!page.errors.empty()) co_return kFormAgain;
  const Status done = co_await DeprecateManaged(page.call, *page.managed, message);
  if (!done) co_return RejectedRemark(page, name, "message", done.error());
  LogManaged(page, "deprecated", name, "message", message);
  co_return page.Done(web::VersionListPath(name),
                      message.empty() ? "version_undeprecated" : "version_deprecated",
                      name.version);
}

Task<std::string> ShowWithdrawal(WithdrawersPage& page) {
  ASSIGN_OR_CO_RETURN(web::WithdrawPage shown, co_await WithdrawPageOf(page.call, *page.managed));
  shown.reason = page.form.Get("reason");
  shown.successor = page.form.Get("successor");
  shown.typed = page.form.Get("typed");
  shown.errors = page.errors;
  co_return web::RenderWithdraw(page.visit.Frame(), shown);
}

// Leads to the remaining versions, or to the namespace if none remain.
Task<Outcome> Withdraw(WithdrawersPage& page) {
  const web::VersionName name = page.managed->Name();
  const std::string reason = page.form.Get("reason");
  if (reason.empty()) page.errors.Add("reason", "required");
  if (page.form.Get("typed") != name.version) page.errors.Add("typed", "version_wrong");
  if (!page.errors.empty()) co_return kFormAgain;
  const Status done =
      co_await WithdrawManaged(page.call, *page.managed, reason, page.form.Get("successor"));
  if (!done) co_return RejectedRemark(page, name, "reason", done.error());
  LogManaged(page, "withdrawn", name, "reason", reason);
  co_return page.Done(
      page.managed->is_only ? web::NamespacePath(name.ns) : web::VersionListPath(name),
      "version_withdrawn", name.version);
}

Task<std::string> ShowRestoration(RestorersPage& page) {
  const web::RestorePage shown{
      .name = page.managed->Name(), .reason = page.form.Get("reason"), .errors = page.errors};
  co_return web::RenderRestore(page.visit.Frame(), shown);
}

// Leads to the version's page.
Task<Outcome> Restore(RestorersPage& page) {
  const web::VersionName name = page.managed->Name();
  const std::string reason = page.form.Get("reason");
  if (reason.empty()) page.errors.Add("reason", "required");
  if (!page.errors.empty()) co_return kFormAgain;
  const Status done = co_await RestoreManaged(page.call, *page.managed, reason);
  if (!done) co_return RejectedRemark(page, name, "reason", done.error());
  LogManaged(page, "restored", name, "reason", reason);
  co_return page.Done(web::VersionFormPath(name), "version_restored", name.version);
}

}  // namespace

std::span<const Route> VersionFormRoutes() {
  static constexpr Route kRoutes[] = {
      PageRow<ShowDeprecation>("/providers/{namespace}/{type}/{version}/deprecate",
                               "Show the form to deprecate a provider version"),
      FormRow<ShowDeprecation, Deprecate>("/providers/{namespace}/{type}/{version}/deprecate",
                                          "Deprecate a provider version, or undo its deprecation"),
      PageRow<ShowWithdrawal>("/providers/{namespace}/{type}/{version}/withdraw",
                              "Show the form to withdraw a provider version, with its consumers"),
      FormRow<ShowWithdrawal, Withdraw>("/providers/{namespace}/{type}/{version}/withdraw",
                                        "Withdraw a provider version"),
      PageRow<ShowRestoration>("/providers/{namespace}/{type}/{version}/restore",
                               "Show the form to restore a withdrawn provider version"),
      FormRow<ShowRestoration, Restore>("/providers/{namespace}/{type}/{version}/restore",
                                        "Restore a withdrawn provider version"),
      PageRow<ShowDeprecation>("/modules/{namespace}/{name}/{system}/{version}/deprecate",
                               "Show the form to deprecate a module version"),
      FormRow<ShowDeprecation, Deprecate>(
          "/modules/{namespace}/{name}/{system}/{version}/deprecate",
          "Deprecate a module version, or undo its deprecation"),
      PageRow<ShowWithdrawal>("/modules/{namespace}/{name}/{system}/{version}/withdraw",
                              "Show the form to withdraw a module version, with its consumers"),
      FormRow<ShowWithdrawal, Withdraw>("/modules/{namespace}/{name}/{system}/{version}/withdraw",
                                        "Withdraw a module version"),
      PageRow<ShowRestoration>("/modules/{namespace}/{name}/{system}/{version}/restore",
                               "Show the form to restore a withdrawn module version"),
      FormRow<ShowRestoration, Restore>("/modules/{namespace}/{name}/{system}/{version}/restore",
                                        "Restore a withdrawn module version"),
  };
  return kRoutes;
}

}  // namespace koya::api
