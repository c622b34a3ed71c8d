#include <string>
#include <utility>

#include "web/access/admin_accounts.h"
#include "web/access/admin_sign_in.h"
#include "web/admin/admin_samples_fake.h"

namespace koya::web {
namespace {

constexpr UnixSeconds kAdminFormsNow = 1'795'279'270;  // 2026-11-21

AccountSummary SampleUser(const FillText& texts, std::string name) {
  return {.account = {.id = "id",
                      .name = texts(std::move(name)),
                      .created_at = kAdminFormsNow - 8'640'000,
                      .created_by = texts("root"),
                      .disabled_at = std::nullopt},
          .has_password = true,
          .provider = texts("kumo"),
          .email = texts("mika.tanaka@kumo.example"),
          .last_used_at = kAdminFormsNow - 300,
          .groups = {texts("everybody"), texts("platform-team")},
          .group_count = 7};
}

void AddUsers(const PageFrame& at, const FillText& texts, std::vector<SamplePage>& pages) {
  AdminUsersPage page{.now = kAdminFormsNow, .password_min = 12};
  page.part = {.offset = 0, .shown = 0, .size = 50};
  page.query = texts("zzz");
  pages.push_back({"admin_users-none", RenderAdminUsers(at, page)});
  page.users = {SampleUser(texts, "mika.tanaka"), SampleUser(texts, "ada@kumo.example"),
                SampleUser(texts, "new")};
  page.users[0].account.admin = true;
  page.users[1].account.disabled_at = kAdminFormsNow - 86'400;
  page.users[1].provider.clear();
  page.users[2].provider.clear();
  page.users[2].email.clear();
  page.users[2].has_password = false;
  page.users[2].last_used_at.reset();
  page.users[2].groups.clear();
  page.users[2].group_count = 0;
  page.part = {.offset = 50, .shown = 3, .size = 50, .total = 0, .more = true};
  pages.push_back({"admin_users", RenderAdminUsers(at, page)});
  page.name = texts("a b");
  page.as_administrator = true;
  page.errors.Add("name", "user_name")
      .AddError("password", {.text = "the password is too short", .typed = Typed::kPassword})
      .Add("password_again", "passwords_differ");
  pages.push_back({"admin_users-problems", RenderAdminUsers(at, page)});
}

void AddUser(const PageFrame& at, const FillText& texts, std::vector<SamplePage>& pages) {
  AdminUserPage page{
      .user = SampleUser(texts, "ada@kumo.example"), .password_min = 12, .now = kAdminFormsNow};
  pages.push_back({"admin_user-bare", RenderAdminUser(at, page)});
  page.groups = {texts("everybody"), texts("platform-team")};
  page.groups_left_out = 5;
  page.sessions = {{.id = "a",
                    .secret = Digest{Sha256Bytes{}},
                    .method = texts("oidc:kumo"),
                    .address = texts("192.0.2.7"),
                    .user_agent = texts("Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0"),
                    .created_at = kAdminFormsNow - 7200,
                    .expires_at = kAdminFormsNow + 36'000,
                    .last_used_at = std::nullopt}};
  page.sessions_left_out = 3;
  page.tokens = {{.name = texts("laptop"),
                  .secret = Digest{Sha256Bytes{}},
                  .scope = Scope::kPublish,
                  .namespaces = {},
                  .created_by = {},
                  .expires_at = kAdminFormsNow + 864'000,
                  .last_used_at = kAdminFormsNow - 60,
                  .last_used_from = texts("2001:db8::7")}};
  page.tokens_left_out = 1;
  page.is_reader = true;
  pages.push_back({"admin_user", RenderAdminUser(at, page)});
  page.user.account.disabled_at = kAdminFormsNow - 86'400;
  page.errors.Add("", "last_administrator")
      .AddError("password", {.text = "the password is too short", .typed = Typed::kPassword});
  pages.push_back({"admin_user-problems", RenderAdminUser(at, page)});
}

void AddGroups(const PageFrame& at, const FillText& texts, std::vector<SamplePage>& pages) {
  AdminGroupsPage page;
  page.part = {.offset = 0, .shown = 0, .size = 50};
  pages.push_back({"admin_groups-empty", RenderAdminGroups(at, page)});
  page.query = texts("zzz");
  page.name = texts("a b");
  page.errors.Add("name", "group_taken");
  pages.push_back({"admin_groups-problem", RenderAdminGroups(at, page)});
  page.errors = {};
  page.groups = {{texts("everybody"), kAdminFormsNow - 86'400, texts("root")},
                 {texts("platform-team"), kAdminFormsNow - 172'800, texts("mika.tanaka")}};
  page.part = {.offset = 0, .shown = 2, .size = 50, .total = 51};
  pages.push_back({"admin_groups", RenderAdminGroups(at, page)});

  AdminGroupPage group{.name = texts("platform-team")};
  group.part = {.offset = 0, .shown = 0, .size = 50};
  pages.push_back({"admin_group-empty", RenderAdminGroup(at, group)});
  group.members = {{AccountKind::kUser, texts("mika.tanaka"), ""},
                   {AccountKind::kUser, texts("ada@kumo.example"), texts("kumo")},
                   {AccountKind::kService, texts("ci"), ""}};
  group.part = {.offset = 0, .shown = 3, .size = 50, .total = 3};
  pages.push_back({"admin_group", RenderAdminGroup(at, group)});
  group.kind = "service";
  group.member = texts("nobody");
  group.errors.Add("kind", "unknown_choice").Add("member", "no_such_grantee");
  pages.push_back({"admin_group-problems", RenderAdminGroup(at, group)});
}

void AddProviders(const PageFrame& at, const FillText& texts, std::vector<SamplePage>& pages) {
  AdminProvidersPage list;
  pages.push_back({"admin_providers-none", RenderAdminProviders(at, list)});
  ShownProvider provider{.name = texts("kumo"),
                         .issuer = texts("https://id.kumo.example/realms/works"),
                         .client_id = texts("koya"),
                         .callback = texts("https://registry.kumo.example/-/oidc/kumo/callback"),
                         .groups_claim = {},
                         .mappings = {},
                         .created_at = kAdminFormsNow - 8'640'000,
                         .created_by = texts("root")};
  list.providers = {provider};
  pages.push_back({"admin_providers", RenderAdminProviders(at, list)});
  AdminProviderPage page{.provider = provider, .findings = {}};
  pages.push_back({"admin_provider", RenderAdminProvider(at, page)});
  page.provider.has_secret = true;
  page.provider.groups_claim = texts("groups");
  page.is_tested = true;
  page.findings = {{true, texts("users can sign in, with PKCE")}};
  pages.push_back({"admin_provider-good", RenderAdminProvider(at, page)});
  page.provider.mappings = {{texts("/platform-team"), texts("platform")}};
  page.provider.has_more_mappings = true;
  page.findings.push_back({false, texts("0 of its keys can be used")});
  pages.push_back({"admin_provider-bad", RenderAdminProvider(at, page)});

  AdminTrialPage trial{
      .provider = texts("kumo"),
      .problem =
          Refusal{.text = texts("the sign-in provider \"kumo\" denied the sign-in: access_denied")},
      .claims = {},
      .theirs = {},
      .groups = {}};
  pages.push_back({"admin_trial-failed", RenderAdminTrial(at, trial)});
  trial.problem = {};
  trial.wanted_name = texts("ada@kumo.example");
  pages.push_back({"admin_trial-bare", RenderAdminTrial(at, trial)});
  trial.has_groups_claim = true;
  pages.push_back({"admin_trial-no_groups", RenderAdminTrial(at, trial)});
  trial.claims = {{texts("sub"), texts("42")}, {texts("groups"), texts("eng, ops")}};
  trial.theirs = {texts("eng"), texts("ops")};
  trial.groups = {texts("platform")};
  pages.push_back({"admin_trial", RenderAdminTrial(at, trial)});
}

}  // namespace

void AddAdminFormSamples(const PageFrame& frame, const FillText& texts,
                         std::vector<SamplePage>& pages) {
  PageFrame at = frame;
  at.account = texts("mika.tanaka");
  at.administers = true;
  at.has_search = true;
  at.path = "/-/admin";
  AddUsers(at, texts, pages);
  AddUser(at, texts, pages);
  AddGroups(at, texts, pages);
  AddProviders(at, texts, pages);
  for (std::string_view key : {"delete_user", "delete_group"}) {
    ConfirmPage page{.key = key,
                     .what = texts("ada"),
                     .action = texts("/-/admin/users/ada/delete"),
                     .back = texts("/-/admin/users/ada"),
                     .command = texts("koya user delete ada"),
                     .must_type = true};
    page.errors.Add("", "last_administrator");
    pages.push_back({"confirm-" + std::string(key), RenderConfirm(at, page)});
  }
}

}  // namespace koya::web
