// Who has which role in a namespace, and how it is set, as pages for its owners.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/common/namespace_owned.h"
#include "api/common/page_number.h"
#include "api/common/route.h"
#include "service/access/namespace_admin.h"
#include "web/access/namespace_tabs.h"

namespace koya::api {
namespace {

constexpr std::size_t kGrantsShown = 100;

Task<web::PeoplePage> PeopleOf(Call& call, const OwnedNamespace& owned) {
  ASSIGN_OR_CO_RETURN(
      std::vector<GrantRecord> grants,
      co_await call.services.rights.namespace_admin.ListGrants(owned.by, owned.record.name));
  web::PeoplePage page{.head = owned.Head()};
  page.left_out = CutTo(grants, kGrantsShown);
  page.grants = std::move(grants);
  co_return page;
}

// The page again, with the errors of a grant.
Task<http::Response> RefusedGrant(Call& call, const PageContext& visit, const OwnedNamespace& owned,
                                  const Form& form, web::FormErrors errors) {
  ASSIGN_OR_CO_RETURN(web::PeoplePage page, co_await PeopleOf(call, owned));
  page.kind = form.Get("kind");
  page.grantee = form.Get("grantee");
  page.role = form.Get("role");
  page.errors = std::move(errors);
  co_return visit.Page(422, web::RenderPeople(visit.Frame(), page));
}

web::NamespaceSettingsPage SettingsOf(const OwnedNamespace& owned) {
  const NamespaceRecord& record = owned.record;
  return {.head = owned.Head(),
          .visibility = std::string(VisibilityName(record.visibility)),
          .semver = record.semver ? std::string(SemverRuleName(*record.semver)) : "default",
          .title = record.words.title,
          .description = record.words.description,
          .created_at = record.created_at,
          .created_by = record.created_by};
}

// Notes in the page what cannot be.
service::NamespaceAdmin::Wish WishOf(web::NamespaceSettingsPage& page) {
  service::NamespaceAdmin::Wish wish;
  Result<std::string> title = ParseNamespaceTitle(page.title);
  if (title)
    wish.words.title = *std::move(title);
  else
    page.errors.AddError("title", web::Refusal::Of(title.error(), web::Typed::kNamespaceTitle));
  Result<std::string> description = ParseNamespaceDescription(page.description);
  if (description)
    wish.words.description = *std::move(description);
  else
    page.errors.AddError("description",
                         web::Refusal::Of(description.error(), web::Typed::kNamespaceDescription));
  wish.visibility = ParseVisibility(page.visibility);
  if (!wish.visibility) page.errors.Add("visibility", "unknown_choice");
  wish.semver.emplace(ParseSemverRule(page.semver));
  if (!*wish.semver && page.semver != "default") page.errors.Add("semver", "unknown_choice");
  return wish;
}

Task<http::Response> ShowPeople(Call& call, const PageContext& visit, const OwnedNamespace& owned) {
  ASSIGN_OR_CO_RETURN(const web::PeoplePage page, co_await PeopleOf(call, owned));
  co_return visit.Page(200, web::RenderPeople(visit.Frame(), page));
}

Task<http::Response> GiveRole(Call& call) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(OwnersForm sent, co_await TakeOwnersForm(call, visit, "people"));
  if (sent.instead) co_return *std::move(sent.instead);
  const OwnedNamespace& owned = sent.owned;
  web::FormErrors errors;
  const std::optional<GranteeKind> kind = ChosenGrantee(sent.form.Get("kind"));
  const std::optional<Role> role = ParseRole(sent.form.Get("role"));
  if (!kind) errors.Add("kind", "unknown_choice");
  if (sent.form.Get("grantee").empty()) errors.Add("grantee", "required");
  if (!role) errors.Add("role", "unknown_choice");
  if (!errors.empty()) co_return co_await RefusedGrant(call, visit, owned, sent.form, errors);
  service::Grantee grantee{
      .ns = owned.record.name, .kind = *kind, .name = sent.form.Get("grantee")};
  Result<GrantRecord> given =
      co_await call.services.rights.namespace_admin.PutGrant(owned.by, std::move(grantee), *role);
  if (!given && !IsAboutForm(given.error().kind)) co_return Failure(std::move(given).error());
  if (!given) {
    const bool unknown = given.error().kind == ErrorKind::kNotFound;
    if (unknown) errors.Add("grantee", "no_such_grantee");
    if (!unknown) errors.AddError("grantee", web::Refusal::Of(given.error()));
    co_return co_await RefusedGrant(call, visit, owned, sent.form, errors);
  }
  LogOwned(call, owned, "role granted", given->grantee);
  co_return visit.GoTo(sent.shown_at, {.key = "role_given", .what = given->grantee});
}

Task<http::Response> AskTakeRole(Call& call, const PageContext& visit,
                                 const OwnedNamespace& owned) {
  ASSIGN_OR_CO_RETURN(Form query, Form::Parse(call.request().query));
  const std::optional<GranteeKind> kind = ChosenGrantee(query.Get("kind"));
  ASSIGN_OR_CO_RETURN(
      std::vector<GrantRecord> grants,
      co_await call.services.rights.namespace_admin.ListGrants(owned.by, owned.record.name));
  auto grant = std::ranges::find_if(grants, [&](const GrantRecord& each) {
    return each.kind == kind && each.grantee == query.Get("grantee");
  });
  if (grant == grants.end()) co_return FailNotFound("there is no such grant");
  const std::string kind_name(GranteeKindName(grant->kind));
  web::ConfirmPage page{.key = "remove_grant",
                        .what = grant->grantee,
                        .action = OwnedPath(call, "people/remove"),
                        .back = OwnedPath(call, "people")};
  page.command = fmt::format("koya grant remove {} --{} {}", web::ShellWord(owned.record.name),
                             kind_name, web::ShellWord(grant->grantee));
  page.hidden = {{"kind", kind_name}, {"grantee", grant->grantee}};
  co_return visit.Page(200, web::RenderConfirm(visit.Frame(), page));
}

Task<http::Response> TakeRole(Call& call) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(OwnersForm sent, co_await TakeOwnersForm(call, visit, "people"));
  if (sent.instead) co_return *std::move(sent.instead);
  const OwnedNamespace& owned = sent.owned;
  const std::optional<GranteeKind> kind = ChosenGrantee(sent.form.Get("kind"));
  if (!kind) co_return FailInvalid("the field \"kind\" must be user, group or service");
  const std::string name = sent.form.Get("grantee");
  service::Grantee grantee{.ns = owned.record.name, .kind = *kind, .name = name};
  Status taken =
      co_await call.services.rights.namespace_admin.RemoveGrant(owned.by, std::move(grantee));
  const bool gone = !taken && taken.error().kind == ErrorKind::kNotFound;
  if (!taken && !gone) co_return Failure(std::move(taken).error());
  if (taken) LogOwned(call, owned, "role removed", name);
  co_return visit.GoTo(sent.shown_at, {.key = gone ? "role_gone" : "role_taken", .what = name});
}

Task<http::Response> ShowNamespaceSettings(Call& /*call*/, const PageContext& visit,
                                           const OwnedNamespace& owned) {
  co_return visit.Page(200, web::RenderNamespaceSettings(visit.Frame(), SettingsOf(owned)));
}

Task<http::Response> ChangeNamespaceSettings(Call& call) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(OwnersForm sent, co_await TakeOwnersForm(call, visit, "settings"));
  if (sent.instead) co_return *std::move(sent.instead);
  const OwnedNamespace& owned = sent.owned;
  web::NamespaceSettingsPage page = SettingsOf(owned);
  page.visibility = sent.form.Get("visibility");
  page.semver = sent.form.Get("semver");
  page.title = sent.form.Get("title");
  page.description = sent.form.Get("description");
  service::NamespaceAdmin::Wish wish = WishOf(page);
  if (!page.errors.empty()) {
    co_return visit.Page(422, web::RenderNamespaceSettings(visit.Frame(), page));
  }
  ASSIGN_OR_CO_RETURN(service::NamespaceAdmin::Outcome outcome,
                      co_await call.services.rights.namespace_admin.Set(owned.by, owned.record.name,
                                                                        std::move(wish)));
  LogOwned(call, owned, "namespace set", VisibilityName(outcome.record.visibility));
  co_return visit.GoTo(sent.shown_at, {.key = "saved", .what = ""});
}

}  // namespace

// Who may do what, and how it is set.
std::span<const Route> NamespacePeopleRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/namespaces/{namespace}/people", Access::kPage, ResourceScope::kNone,
                 ForOwners<ShowPeople>, "Show the roles in a namespace"),
      Route::Post("/namespaces/{namespace}/people", Access::kPage, BodyLimit::kForm, GiveRole,
                  "Grant a role"),
      Route::Get("/namespaces/{namespace}/people/remove", Access::kPage, ResourceScope::kNone,
                 ForOwners<AskTakeRole>, "Show the form to confirm that a role is revoked"),
      Route::Post("/namespaces/{namespace}/people/remove", Access::kPage, BodyLimit::kForm,
                  TakeRole, "Revoke a role"),
      Route::Get("/namespaces/{namespace}/settings", Access::kPage, ResourceScope::kNone,
                 ForOwners<ShowNamespaceSettings>, "Show a namespace's settings"),
      Route::Post("/namespaces/{namespace}/settings", Access::kPage, BodyLimit::kForm,
                  ChangeNamespaceSettings, "Change a namespace's settings"),
  };
  return kRoutes;
}

}  // namespace koya::api
