// Who has which role in a namespace, and how it is set, as pages for its owners.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/common/namespace_owned.h"
#include "api/common/paging.h"
#include "service/access/namespace_admin.h"
#include "web/access/namespace_tabs.h"

namespace koya::api {
namespace {

constexpr std::size_t kGrantsShown = 100;

Task<std::string> ShowPeople(OwnersPage& page) {
  web::PeoplePage shown{.head = page.Head(),
                        .kind = page.form.Get("kind"),
                        .grantee = page.form.Get("grantee"),
                        .role = page.form.Get("role"),
                        .errors = page.errors};
  ASSIGN_OR_CO_RETURN(shown.grants, co_await page.services.rights.namespace_admin.ListGrants(
                                        page.by, page.record.name));
  shown.left_out = CutTo(shown.grants, kGrantsShown);
  co_return web::RenderPeople(page.visit.Frame(), shown);
}

Task<Outcome> GiveRole(OwnersPage& page) {
  const std::optional<GranteeKind> kind = ChosenGrantee(page.form.Get("kind"));
  const std::optional<Role> role = ParseRole(page.form.Get("role"));
  if (!kind) page.errors.Add("kind", "unknown_choice");
  if (page.form.Get("grantee").empty()) page.errors.Add("grantee", "required");
  if (!role) page.errors.Add("role", "unknown_choice");
  if (!page.errors.empty()) co_return kFormAgain;
  service::Grantee grantee{.ns = page.record.name, .kind = *kind, .name = page.form.Get("grantee")};
  Result<GrantRecord> given =
      co_await page.services.rights.namespace_admin.PutGrant(page.by, std::move(grantee), *role);
  if (!given && given.error().kind == ErrorKind::kNotFound) {
    page.errors.Add("grantee", "no_such_grantee");
    co_return kFormAgain;
  }
  if (!given) co_return page.Reject("grantee", given.error());
  page.Log("role granted", given->grantee);
  co_return page.Done("role_given", given->grantee);
}

Task<web::ConfirmPage> AskTakeRole(OwnersPage& page) {
  ASSIGN_OR_CO_RETURN(Form query, Form::Parse(page.call.request().query));
  const std::optional<GranteeKind> kind = ChosenGrantee(query.Get("kind"));
  ASSIGN_OR_CO_RETURN(
      std::vector<GrantRecord> grants,
      co_await page.services.rights.namespace_admin.ListGrants(page.by, page.record.name));
  auto grant = std::ranges::find_if(grants, [&](const GrantRecord& each) {
    return each.kind == kind && each.grantee == query.Get("grantee");
  });
  if (grant == grants.end()) co_return FailNotFound("there is no such grant");
  const std::string kind_name(GranteeKindName(grant->kind));
  web::ConfirmPage shown{.key = "remove_grant",
                         .what = grant->grantee,
                         .action = page.Path("people/remove"),
                         .back = page.Path("people")};
  shown.command = fmt::format("koya grant remove {} --{} {}", web::ShellWord(page.record.name),
                              kind_name, web::ShellWord(grant->grantee));
  shown.hidden = {{"kind", kind_name}, {"grantee", grant->grantee}};
  co_return shown;
}

Task<Outcome> TakeRole(OwnersPage& page) {
  const std::optional<GranteeKind> kind = ChosenGrantee(page.form.Get("kind"));
  if (!kind) co_return FailInvalid("the field \"kind\" must be user, group or service");
  const std::string name = page.form.Get("grantee");
  service::Grantee grantee{.ns = page.record.name, .kind = *kind, .name = name};
  const Status taken =
      co_await page.services.rights.namespace_admin.RemoveGrant(page.by, std::move(grantee));
  if (taken) page.Log("role removed", name);
  co_return page.Removed(taken, {.removed = "role_taken", .gone = "role_gone"}, name);
}

Task<std::string> ShowNamespaceSettings(OwnersPage& page) {
  const NamespaceRecord& record = page.record;
  const std::string_view semver = record.semver ? SemverRuleName(*record.semver) : "default";
  const web::NamespaceSettingsPage shown{
      .head = page.Head(),
      .visibility = page.Typed("visibility", VisibilityName(record.visibility)),
      .semver = page.Typed("semver", semver),
      .publish = page.Typed("publish", PublishRuleName(record.publish)),
      .title = page.Typed("title", record.words.title),
      .description = page.Typed("description", record.words.description),
      .created_at = record.created_at,
      .created_by = record.created_by,
      .errors = page.errors};
  co_return web::RenderNamespaceSettings(page.visit.Frame(), shown);
}

// Adds the errors of the form.
service::NamespaceAdmin::Wish WishOf(OwnersPage& page) {
  service::NamespaceAdmin::Wish wish;
  Result<std::string> title = ParseNamespaceTitle(page.form.Get("title"));
  if (title)
    wish.words.title = *std::move(title);
  else
    page.errors.AddError("title", web::Refusal::Of(title.error(), web::Typed::kNamespaceTitle));
  Result<std::string> description = ParseNamespaceDescription(page.form.Get("description"));
  if (description)
    wish.words.description = *std::move(description);
  else
    page.errors.AddError("description",
                         web::Refusal::Of(description.error(), web::Typed::kNamespaceDescription));
  wish.visibility = ParseVisibility(page.form.Get("visibility"));
  if (!wish.visibility) page.errors.Add("visibility", "unknown_choice");
  const std::string& semver = page.form.Get("semver");
  wish.semver.emplace(ParseSemverRule(semver));
  if (!*wish.semver && semver != "default") page.errors.Add("semver", "unknown_choice");
  // Absent from forms of an older page.
  if (const std::string& publish = page.form.Get("publish"); !publish.empty()) {
    wish.publish = ParsePublishRule(publish);
    if (!wish.publish) page.errors.Add("publish", "unknown_choice");
  }
  return wish;
}

Task<Outcome> ChangeNamespaceSettings(OwnersPage& page) {
  service::NamespaceAdmin::Wish wish = WishOf(page);
  if (!page.errors.empty()) co_return kFormAgain;
  ASSIGN_OR_CO_RETURN(service::NamespaceAdmin::Outcome outcome,
                      co_await page.services.rights.namespace_admin.Set(page.by, page.record.name,
                                                                        std::move(wish)));
  page.Log("namespace set", VisibilityName(outcome.record.visibility));
  co_return page.Done("saved");
}

}  // namespace

// Who may do what, and how it is set.
std::span<const Route> NamespacePeopleRoutes() {
  static constexpr Route kRoutes[] = {
      PageRow<ShowPeople>("/namespaces/{namespace}/people", "Show the roles in a namespace"),
      FormRow<ShowPeople, GiveRole>("/namespaces/{namespace}/people", "Grant a role"),
      PageRow<AskTakeRole>("/namespaces/{namespace}/people/remove",
                           "Show the form to confirm that a role is revoked"),
      FormRow<AskTakeRole, TakeRole>("/namespaces/{namespace}/people/remove", "Revoke a role"),
      PageRow<ShowNamespaceSettings>("/namespaces/{namespace}/settings",
                                     "Show a namespace's settings"),
      FormRow<ShowNamespaceSettings, ChangeNamespaceSettings>("/namespaces/{namespace}/settings",
                                                              "Change a namespace's settings"),
  };
  return kRoutes;
}

}  // namespace koya::api
