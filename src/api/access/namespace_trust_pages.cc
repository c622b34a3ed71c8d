// Which CI a namespace trusts, and what happened in it, as pages for its owners.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/common/audit_documents.h"
#include "api/common/namespace_owned.h"
#include "api/common/query.h"
#include "api/common/route.h"
#include "service/audit/audit.h"
#include "service/sign_in/trust.h"
#include "web/access/namespace_tabs.h"
#include "web/common/view_parts.h"

namespace koya::api {
namespace {

constexpr std::uint64_t kEntriesShown = 50;

Task<web::PublishingPage> PublishingOf(Call& call, const OwnedNamespace& owned) {
  ASSIGN_OR_CO_RETURN(std::vector<TrustRecord> trust,
                      co_await call.services.identity.trust.List(owned.by, owned.record.name));
  web::PublishingPage page{.head = owned.Head()};
  for (TrustRecord& each : trust) {
    const bool any_ref = service::TakesAnyRef(each);
    page.trust.push_back({.record = std::move(each), .any_ref = any_ref});
  }
  ASSIGN_OR_CO_RETURN(
      page.tokens, co_await call.services.identity.trust.ListTokens(owned.by, owned.record.name));
  std::erase_if(page.tokens, [now = call.services.clock.Now()](const TokenRecord& token) {
    return token.expires_at.value_or(now) <= now;
  });
  co_return page;
}

std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    if (end > 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Parses the form; adds problems to `errors`.
service::NewTrust ReadTrust(const Form& form, web::FormErrors& errors) {
  const std::string& forge = form.Get("forge");
  const bool is_other = forge == "other";
  const std::string_view needed = is_other ? "issuer" : "project";
  if (!is_other && forge != "github" && forge != "gitlab") errors.Add("forge", "unknown_choice");
  if (form.Get(needed).empty()) errors.Add(std::string(needed), "required");
  return {.issuer = form.Get("issuer"),
          .claims = LinesOf(form.Get("claims")),
          .github = forge == "github" ? form.Get("project") : "",
          .gitlab = forge == "gitlab" ? form.Get("project") : "",
          .ref = form.Get("ref"),
          .environment = form.Get("environment"),
          .own_issuer = form.Get("own_issuer") == "yes"};
}

// The page again, saying why nothing was added.
Task<http::Response> RefusedTrust(Call& call, const PageContext& visit, const OwnedNamespace& owned,
                                  const Form& form, web::FormErrors errors) {
  ASSIGN_OR_CO_RETURN(web::PublishingPage page, co_await PublishingOf(call, owned));
  page.forge = form.Get("forge");
  page.project = form.Get("project");
  page.ref = form.Get("ref");
  page.environment = form.Get("environment");
  page.issuer = form.Get("issuer");
  page.claims = form.Get("claims");
  page.own_issuer = form.Get("own_issuer") == "yes";
  page.errors = std::move(errors);
  co_return visit.Page(422, web::RenderPublishing(visit.Frame(), page));
}

// What a page of the log asks for: kind, and `below` where it goes on.
Result<AuditFilter> ReadActivity(const Call& call, const OwnedNamespace& owned) {
  ASSIGN_OR_RETURN(AuditFilter asked,
                   ReadAuditFilter(call.request().query, call.services.clock.Now()));
  return AuditFilter{.actor = {},
                     .action = {},
                     .target = {},
                     .ns = owned.record.name,
                     .address = {},
                     .kind = asked.kind,
                     .since = {},
                     .until = {},
                     .below = asked.below};
}

Task<http::Response> ShowPublishing(Call& call, const PageContext& visit,
                                    const OwnedNamespace& owned) {
  ASSIGN_OR_CO_RETURN(const web::PublishingPage page, co_await PublishingOf(call, owned));
  co_return visit.Page(200, web::RenderPublishing(visit.Frame(), page));
}

Task<http::Response> TrustCi(Call& call) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(OwnersForm sent, co_await TakeOwnersForm(call, visit, "publishing"));
  if (sent.instead) co_return *std::move(sent.instead);
  const OwnedNamespace& owned = sent.owned;
  web::FormErrors errors;
  service::NewTrust wanted = ReadTrust(sent.form, errors);
  if (!errors.empty()) co_return co_await RefusedTrust(call, visit, owned, sent.form, errors);
  Result<TrustRecord> added =
      co_await call.services.identity.trust.Add(owned.by, owned.record.name, std::move(wanted));
  if (!added && !IsAboutForm(added.error().kind)) co_return Failure(std::move(added).error());
  if (!added) {
    errors.AddError("", web::Refusal::Of(added.error()));
    co_return co_await RefusedTrust(call, visit, owned, sent.form, errors);
  }
  LogOwned(call, owned, "CI trusted", added->id);
  co_return visit.GoTo(sent.shown_at, {.key = "ci_trusted", .what = web::TrustedName(*added)});
}

Task<http::Response> AskDistrustCi(Call& call, const PageContext& visit,
                                   const OwnedNamespace& owned) {
  ASSIGN_OR_CO_RETURN(std::vector<TrustRecord> all,
                      co_await call.services.identity.trust.List(owned.by, owned.record.name));
  auto trust = std::ranges::find(all, call.path("id"), &TrustRecord::id);
  if (trust == all.end()) co_return FailNotFound("there is no such trust");
  web::ConfirmPage page{.key = "remove_trust",
                        .what = web::TrustedName(*trust),
                        .action = OwnedPath(call, "publishing/" + trust->id + "/remove"),
                        .back = OwnedPath(call, "publishing")};
  page.command = fmt::format("koya trust remove {} {}", web::ShellWord(owned.record.name),
                             web::ShellWord(trust->id));
  co_return visit.Page(200, web::RenderConfirm(visit.Frame(), page));
}

Task<http::Response> DistrustCi(Call& call) {
  PageContext visit(call.request(), call.services);
  const std::string id(call.path("id"));
  ASSIGN_OR_CO_RETURN(OwnersForm sent, co_await TakeOwnersForm(call, visit, "publishing"));
  if (sent.instead) co_return *std::move(sent.instead);
  const OwnedNamespace& owned = sent.owned;
  Status removed = co_await call.services.identity.trust.Remove(owned.by, owned.record.name, id);
  const bool gone = !removed && removed.error().kind == ErrorKind::kNotFound;
  if (!removed && !gone) co_return Failure(std::move(removed).error());
  if (removed) LogOwned(call, owned, "CI trust removed", id);
  co_return visit.GoTo(sent.shown_at, {.key = gone ? "ci_gone" : "ci_distrusted", .what = ""});
}

Task<http::Response> EndJobTokenOnPage(Call& call) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(OwnersForm sent, co_await TakeOwnersForm(call, visit, "publishing"));
  if (sent.instead) co_return *std::move(sent.instead);
  const std::string& name = sent.form.Get("token");
  Status ended =
      co_await call.services.identity.trust.EndToken(sent.owned.by, sent.owned.record.name, name);
  const bool gone = !ended && ended.error().kind == ErrorKind::kNotFound;
  if (!ended && !gone) co_return Failure(std::move(ended).error());
  if (ended) LogOwned(call, sent.owned, "token revoked", name);
  co_return visit.GoTo(sent.shown_at,
                       {.key = gone ? "ci_token_gone" : "ci_token_ended", .what = ""});
}

Task<http::Response> ShowActivity(Call& call, const PageContext& visit,
                                  const OwnedNamespace& owned) {
  ASSIGN_OR_CO_RETURN(AuditFilter filter, ReadActivity(call, owned));
  ASSIGN_OR_CO_RETURN(std::vector<AuditRecord> entries, co_await call.services.audit.entries.List(
                                                            owned.by, filter, kEntriesShown + 1));
  web::ActivityPage page{.head = owned.Head(), .kind = filter.kind};
  page.is_beginning = !filter.below;
  if (entries.size() > kEntriesShown) {
    entries.resize(kEntriesShown);
    page.older = OwnedPath(call, "activity");
    if (filter.kind) page.older = web::PathWith(page.older, "kind", AuditKindName(*filter.kind));
    page.older = web::PathWith(page.older, "below", std::to_string(entries.back().id));
  }
  page.entries = std::move(entries);
  co_return visit.Page(200, web::RenderActivity(visit.Frame(), page));
}

}  // namespace

// Which CI it trusts, and what happened in it.
std::span<const Route> NamespaceTrustPageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/namespaces/{namespace}/publishing", Access::kPage, ResourceScope::kNone,
                 ForOwners<ShowPublishing>, "Show which CI jobs a namespace trusts"),
      Route::Post("/namespaces/{namespace}/publishing", Access::kPage, BodyLimit::kForm, TrustCi,
                  "Trust CI jobs to publish in a namespace"),
      Route::Get("/namespaces/{namespace}/publishing/{id}/remove", Access::kPage,
                 ResourceScope::kNone, ForOwners<AskDistrustCi>,
                 "Show the form to confirm that trust in a CI is removed"),
      Route::Post("/namespaces/{namespace}/publishing/{id}/remove", Access::kPage, BodyLimit::kForm,
                  DistrustCi, "Remove trust in a CI"),
      Route::Post("/namespaces/{namespace}/publishing/tokens", Access::kPage, BodyLimit::kForm,
                  EndJobTokenOnPage, "Revoke a CI job's token"),
      Route::Get("/namespaces/{namespace}/activity", Access::kPage, ResourceScope::kNone,
                 ForOwners<ShowActivity>, "Show the recent activity in a namespace"),
  };
  return kRoutes;
}

}  // namespace koya::api
