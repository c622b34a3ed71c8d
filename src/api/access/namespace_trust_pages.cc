// Which CI a namespace trusts, and what happened in it, as pages for its owners.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/common/audit_documents.h"
#include "api/common/namespace_owned.h"
#include "api/common/paging.h"
#include "service/audit/audit.h"
#include "service/sign_in/trust.h"
#include "service/usage/usage.h"
#include "service/usage/usage_counter.h"
#include "web/access/namespace_tabs.h"
#include "web/common/page_paths.h"
#include "web/common/view.h"

namespace koya::api {
namespace {

constexpr std::uint64_t kEntriesShown = 50;

Task<std::string> ShowPublishing(OwnersPage& page) {
  const Form& form = page.form;
  web::PublishingPage shown{.head = page.Head(),
                            .rule = page.record.publish,
                            .forge = form.Get("forge"),
                            .project = form.Get("project"),
                            .ref = form.Get("ref"),
                            .environment = form.Get("environment"),
                            .issuer = form.Get("issuer"),
                            .claims = form.Get("claims"),
                            .own_issuer = form.Get("own_issuer") == "yes",
                            .errors = page.errors};
  ASSIGN_OR_CO_RETURN(std::vector<TrustRecord> trust,
                      co_await page.services.identity.trust.List(page.by, page.record.name));
  for (TrustRecord& each : trust) {
    const bool any_ref = service::TakesAnyRef(each);
    shown.trust.push_back({.record = std::move(each), .any_ref = any_ref});
  }
  ASSIGN_OR_CO_RETURN(shown.tokens,
                      co_await page.services.identity.trust.ListTokens(page.by, page.record.name));
  std::erase_if(shown.tokens, [now = page.services.clock.Now()](const TokenRecord& token) {
    return token.expires_at.value_or(now) <= now;
  });
  co_return web::RenderPublishing(page.visit.Frame(), shown);
}

// Parses the form; adds problems to `errors`.
service::NewTrust ReadTrust(const Form& form, web::FormErrors& errors) {
  const std::string& forge = form.Get("forge");
  const bool is_other = forge == "other";
  const std::string_view needed = is_other ? "issuer" : "project";
  if (!is_other && forge != "github" && forge != "gitlab") errors.Add("forge", "unknown_choice");
  if (form.Get(needed).empty()) errors.Add(std::string(needed), "required");
  return {.issuer = form.Get("issuer"),
          .claims = SplitField(form.Get("claims"), "\r\n"),
          .github = forge == "github" ? form.Get("project") : "",
          .gitlab = forge == "gitlab" ? form.Get("project") : "",
          .ref = form.Get("ref"),
          .environment = form.Get("environment"),
          .own_issuer = form.Get("own_issuer") == "yes"};
}

Task<Outcome> TrustCi(OwnersPage& page) {
  service::NewTrust wanted = ReadTrust(page.form, page.errors);
  if (!page.errors.empty()) co_return kFormAgain;
  Result<TrustRecord> added =
      co_await page.services.identity.trust.Add(page.by, page.record.name, std::move(wanted));
  if (!added) co_return page.Reject("", added.error());
  page.Log("CI trusted", added->id);
  co_return page.Done("ci_trusted", web::TrustedName(*added));
}

Task<web::ConfirmPage> AskDistrustCi(OwnersPage& page) {
  ASSIGN_OR_CO_RETURN(std::vector<TrustRecord> all,
                      co_await page.services.identity.trust.List(page.by, page.record.name));
  auto trust = std::ranges::find(all, page.call.path("id"), &TrustRecord::id);
  if (trust == all.end()) co_return FailNotFound("there is no such trust");
  co_return web::ConfirmPage{
      .key = "remove_trust",
      .what = web::TrustedName(*trust),
      .action = page.Path("publishing/" + trust->id + "/remove"),
      .back = page.Path("publishing"),
      .command = fmt::format("koya trust remove {} {}", web::ShellWord(page.record.name),
                             web::ShellWord(trust->id))};
}

Task<Outcome> DistrustCi(OwnersPage& page) {
  const std::string id(page.call.path("id"));
  const Status removed =
      co_await page.services.identity.trust.Remove(page.by, page.record.name, id);
  if (removed) page.Log("CI trust removed", id);
  co_return page.Removed(removed, {.removed = "ci_distrusted", .gone = "ci_gone"});
}

Task<Outcome> EndJobTokenOnPage(OwnersPage& page) {
  const std::string name = page.form.Get("token");
  const Status ended =
      co_await page.services.identity.trust.EndToken(page.by, page.record.name, name);
  if (ended) page.Log("token revoked", name);
  co_return page.Removed(ended, {.removed = "ci_token_ended", .gone = "ci_token_gone"});
}

Task<std::string> ShowActivity(OwnersPage& page) {
  ASSIGN_OR_CO_RETURN(const AuditFilter asked,
                      ReadAuditFilter(page.call.request().query, page.services.clock.Now()));
  AuditFilter filter;  // of this namespace alone
  filter.ns = page.record.name;
  filter.kind = asked.kind;
  filter.below = asked.below;
  ASSIGN_OR_CO_RETURN(std::vector<AuditRecord> entries, co_await page.services.audit.entries.List(
                                                            page.by, filter, kEntriesShown + 1));
  web::ActivityPage shown{.head = page.Head(), .kind = filter.kind};
  shown.is_beginning = !filter.below;
  if (entries.size() > kEntriesShown) {
    entries.resize(kEntriesShown);
    shown.older = page.Path("activity");
    if (filter.kind) shown.older = web::PathWith(shown.older, "kind", AuditKindName(*filter.kind));
    shown.older = web::PathWith(shown.older, "below", std::to_string(entries.back().id));
  }
  shown.entries = std::move(entries);
  co_return web::RenderActivity(page.visit.Frame(), shown);
}

web::NamespaceUsagePage::Row LagRow(service::LagLine line) {
  const bool is_module = line.kind == UsageKind::kModule;
  std::string path = is_module ? web::ModulePath(line.address) : web::ProviderPath(line.address);
  web::NamespaceUsagePage::Row row{.name = line.label.empty() ? line.principal : line.label,
                                   .sent_by = line.label.empty() ? "" : line.principal,
                                   .address = std::move(line.address),
                                   .package_path = std::move(path),
                                   .version = std::move(line.version),
                                   .latest = std::move(line.latest),
                                   .behind = line.behind,
                                   .days_behind = line.days};
  return row;
}

Task<std::string> ShowNamespaceUsage(OwnersPage& page) {
  web::NamespaceUsagePage shown{.head = page.Head(),
                                .is_counted = page.services.usage.counter.on()};
  ASSIGN_OR_CO_RETURN(const std::uint64_t number, ReadPageNumber(page.call.request()));
  ASSIGN_OR_CO_RETURN(const UsageDay since, co_await page.services.usage.reports.CountedSince());
  ASSIGN_OR_CO_RETURN(service::LagReport report, co_await page.services.usage.reports.Lag(
                                                     page.by, page.record.name, shown.days));
  shown.counted_since = since * kSecondsOfDay;
  shown.is_partial = report.partial;
  shown.behind_median = report.behind.median;
  shown.behind_p90 = report.behind.p90;
  shown.days_median = report.days.median;
  shown.days_p90 = report.days.p90;
  shown.part = KeepPart(report.lines, number, web::NamespaceUsagePage::kSize);
  for (service::LagLine& each : report.lines) shown.rows.push_back(LagRow(std::move(each)));
  co_return web::RenderNamespaceUsage(page.visit.Frame(), shown);
}

}  // namespace

// Which CI it trusts, who uses it, and what happened in it.
std::span<const Route> NamespaceTrustPageRoutes() {
  static constexpr Route kRoutes[] = {
      PageRow<ShowPublishing>("/namespaces/{namespace}/publishing",
                              "Show which CI jobs a namespace trusts"),
      FormRow<ShowPublishing, TrustCi>("/namespaces/{namespace}/publishing",
                                       "Trust CI jobs to publish in a namespace"),
      PageRow<AskDistrustCi>("/namespaces/{namespace}/publishing/{id}/remove",
                             "Show the form to confirm that trust in a CI is removed"),
      FormRow<AskDistrustCi, DistrustCi>("/namespaces/{namespace}/publishing/{id}/remove",
                                         "Remove trust in a CI"),
      FormRow<ShowPublishing, EndJobTokenOnPage>("/namespaces/{namespace}/publishing/tokens",
                                                 "Revoke a CI job's token"),
      PageRow<ShowNamespaceUsage>("/namespaces/{namespace}/usage",
                                  "Show how far a namespace's consumers are behind"),
      PageRow<ShowActivity>("/namespaces/{namespace}/activity",
                            "Show the recent activity in a namespace"),
  };
  return kRoutes;
}

}  // namespace koya::api
