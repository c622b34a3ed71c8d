#include <string>
#include <utility>

#include "web/access/admin_accounts.h"
#include "web/access/admin_grants.h"
#include "web/access/sign_in_pages.h"
#include "web/admin/admin_pages.h"
#include "web/sample_parts_fake.h"

namespace koya::web {
namespace {

constexpr UnixSeconds kAdminNow = 1'795'279'270;  // 2026-11-21

PageFrame AdminFrame(PageFrame frame, const FillText& texts, const std::string& path) {
  frame.account = texts("mika.tanaka");
  frame.administers = true;
  frame.sections = {Section::kModules, Section::kProviders, Section::kMirror, Section::kDocs};
  frame.has_search = true;
  frame.path = path;
  frame.crumbs.clear();
  return frame;
}

void AddOverview(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  using Kind = AdminOverviewPage::Trouble::Kind;
  const PageFrame at = AdminFrame(frame, texts, "/-/admin");
  AdminOverviewPage page{.users = 1204,
                         .administrators = 3,
                         .services = 41,
                         .groups = 18,
                         .published_bytes = 31'400'000'000,
                         .mirrored_bytes = 1'840'000'000'000,
                         .knows_state = true,
                         .troubles = {}};
  pages.push_back({"admin", RenderAdminOverview(at, page)});
  page.disabled = 12;
  page.troubles = {
      {.kind = Kind::kFrozen, .name = texts("moving"), .text = texts("2026-11-30T07:41:10Z")},
      {.kind = Kind::kMigrations, .text = texts("0013_later.sql")},
      {.kind = Kind::kState, .text = texts("the catalog has not responded for 7 s")},
      {.kind = Kind::kUpstream, .name = texts("registry.terraform.io")},
      {.kind = Kind::kJob, .name = texts("gc"), .text = texts("the disk is full")},
      {.kind = Kind::kReplica, .name = texts("koya-2:8443")},
      {.kind = Kind::kVersions, .text = texts("1.0.0, 1.1.0")},
      {.kind = Kind::kSettings, .text = texts("policy.deny: koya-1 | koya-2")},
      {.kind = Kind::kObjects, .text = texts("3")},
      {.kind = Kind::kDisk, .text = texts("7")},
      {.kind = Kind::kCertificate, .text = texts("2026-11-30T07:41:10Z")},
      {.kind = Kind::kBackup, .text = texts("27")}};
  pages.push_back({"admin-troubles", RenderAdminOverview(at, page)});
  pages.push_back({"admin-unknown", RenderAdminOverview(at, {.troubles = {}})});
}

AuditRecord SampleAuditRecord(const FillText& texts, std::int64_t id) {
  return {.id = id,
          .entry = {.kind = AuditKind::kChange,
                    .at = kAdminNow - 60 * id,
                    .by = {.name = texts("user:mika.tanaka"),
                           .token = texts("laptop"),
                           .address = texts("2001:db8::17"),
                           .user_agent = texts("koya/1.0.0"),
                           .request_id = texts("7f3a9c2e51d04b68")},
                    .action = texts("grant.put"),
                    .target = texts("group:platform"),
                    .ns = texts("security"),
                    .before = texts("{\"role\":\"reader\"}"),
                    .after = texts("{\"role\":\"owner\"}")},
          .link = AuditAnchor{.sequence = id, .hash = Digest::Of("an entry")}};
}

void AddAudit(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  const PageFrame at = AdminFrame(frame, texts, "/-/admin/audit");
  AdminAuditPage page;
  pages.push_back({"admin_audit-empty", RenderAdminAudit(at, page)});
  for (std::int64_t id : {1042, 1041, 1039}) page.entries.push_back(SampleAuditRecord(texts, id));
  AuditEntry& denied = page.entries.back().entry;
  denied = {.kind = AuditKind::kDenied,
            .at = kAdminNow - 9000,
            .by = {.address = texts("192.0.2.44")},
            .action = texts("POST /api/v1/users"),
            .target = texts("status:401"),
            .count = 17};
  page.ends = {.anchor = {.sequence = 200, .hash = Digest::Of("a")},
               .head = {.sequence = 1042, .hash = Digest::Of("an entry")}};
  page.has_more = true;
  pages.push_back({"admin_audit", RenderAdminAudit(at, page)});
  page.entries.clear();
  page.is_first = false;
  page.is_asked = true;
  page.question = {.actor = texts("user:ada"),
                   .action = texts("token"),
                   .target = texts("module:acme/"),
                   .ns = texts("acme"),
                   .address = texts("192.0.2.1"),
                   .token = texts("ci"),
                   .since = texts("24h"),
                   .until = texts("2026-11-21"),
                   .kind = AuditKind::kDenied};
  pages.push_back({"admin_audit-none", RenderAdminAudit(at, page)});
  page.problem = Refusal{.text = texts("the parameter \"since\" must be a time")};
  pages.push_back({"admin_audit-problem", RenderAdminAudit(at, page)});

  AuditRecord record = SampleAuditRecord(texts, 1042);
  pages.push_back({"admin_audit_entry", RenderAdminAuditEntry(at, record)});
  record.entry = {
      .kind = AuditKind::kDenied, .at = kAdminNow, .action = texts("GET /"), .count = 3};
  record.link.reset();
  pages.push_back({"admin_audit_entry-denied", RenderAdminAuditEntry(at, record)});

  AdminAuditProofPage proof{.ends = page.ends};
  pages.push_back({"admin_audit_proof", RenderAdminAuditProof(at, proof)});
  proof.is_walked = true;
  proof.checked = 842;
  pages.push_back({"admin_audit_proof-whole", RenderAdminAuditProof(at, proof)});
  proof.damaged_at = 517;
  proof.damage = texts("entry 517 is missing: entry 518 follows entry 516");
  pages.push_back({"admin_audit_proof-damaged", RenderAdminAuditProof(at, proof)});
  proof = {.expected = texts("x:y"),
           .problem = Refusal{.text = texts("the parameter \"expect\" must be SEQUENCE:HASH")}};
  pages.push_back({"admin_audit_proof-problem", RenderAdminAuditProof(at, proof)});
}

GrantRecord SampleGrantTo(const FillText& texts, GranteeKind kind, std::string name, Role role) {
  return {.ns = texts("platform"),
          .kind = kind,
          .grantee = texts(std::move(name)),
          .role = role,
          .granted_at = kAdminNow - 864'000,
          .granted_by = texts("mika.tanaka")};
}

void AddGrants(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  const PageFrame at = AdminFrame(frame, texts, "/-/admin/grants");
  AdminGrantsPage page;
  page.part = {.offset = 0, .shown = 0, .size = 20};
  pages.push_back({"admin_grants-empty", RenderAdminGrants(at, page)});
  page.query = texts("plat");
  pages.push_back({"admin_grants-none", RenderAdminGrants(at, page)});
  page.rows = {
      {.ns = texts("platform"),
       .title = texts("Platform team"),
       .visibility = Visibility::kPublic,
       .grants = {SampleGrantTo(texts, GranteeKind::kUser, "mika.tanaka", Role::kOwner),
                  SampleGrantTo(texts, GranteeKind::kGroup, "platform-team", Role::kOwner),
                  SampleGrantTo(texts, GranteeKind::kGroup, "everybody", Role::kReader),
                  SampleGrantTo(texts, GranteeKind::kService, "ci", Role::kPublisher)}},
      {.ns = texts("security"),
       .visibility = Visibility::kPrivate,
       .grants = {SampleGrantTo(texts, GranteeKind::kGroup, "platform-team", Role::kPublisher)}},
      {.ns = texts("data"), .visibility = Visibility::kInternal, .grants = {}}};
  for (int i = 0; i < 6; ++i) {
    page.rows[2].grants.push_back(
        SampleGrantTo(texts, GranteeKind::kUser, "user" + std::to_string(i), Role::kReader));
  }
  page.part = {.offset = 20, .shown = 3, .size = 20, .total = 63};
  pages.push_back({"admin_grants", RenderAdminGrants(at, page)});
  page.ns = texts("nowhere");
  page.kind = "service";
  page.grantee = texts("ci");
  page.role = "owner";
  page.errors.Add("ns", "no_such_namespace")
      .AddError("grantee", {.text = texts("there is no such group")});
  pages.push_back({"admin_grants-problems", RenderAdminGrants(at, page)});
}

void AddWhy(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  using Reason = AdminWhyPage::Reason;
  const PageFrame at = AdminFrame(frame, texts, "/-/admin/grants/why");
  AdminWhyPage page{.question = {.who = texts("ada"),
                                 .deed = WhyQuestion::Permission::kPublish,
                                 .ns = texts("data")},
                    .problem = Refusal{.text = texts("there is no user named \"ada\"")},
                    .answer = std::nullopt};
  pages.push_back({"admin_why-problem", RenderAdminWhy(at, page)});
  page.problem = {};
  page.answer = {.may = true,
                 .reason = Reason::kGrant,
                 .name = texts("ada"),
                 .ns = texts("data"),
                 .grants = {SampleGrantTo(texts, GranteeKind::kGroup, "analysts", Role::kPublisher),
                            SampleGrantTo(texts, GranteeKind::kUser, "ada", Role::kPublisher)}};
  pages.push_back({"admin_why", RenderAdminWhy(at, page)});
  for (Reason reason :
       {Reason::kDisabled, Reason::kAdministrator, Reason::kPublic, Reason::kInternal,
        Reason::kTooLittle, Reason::kNothing, Reason::kStranger, Reason::kNotEverything}) {
    page.answer->reason = reason;
    page.answer->may = reason == Reason::kAdministrator || reason == Reason::kPublic ||
                       reason == Reason::kInternal;
    page.answer->has_namespace = reason != Reason::kNothing;
    if (reason != Reason::kTooLittle) page.answer->grants.clear();
    pages.push_back(
        {"admin_why-" + std::to_string(static_cast<int>(reason)), RenderAdminWhy(at, page)});
  }
}

ShownJob SampleJob(const FillText& texts, std::string job, bool failed) {
  return {.job = texts(std::move(job)),
          .ended_at = kAdminNow - 900,
          .took = std::chrono::milliseconds(failed ? 4'312'000 : 12'480),
          .failed = failed,
          .told = texts(failed ? "the disk is full" : "4,210 blobs were looked at"),
          .runs = 31,
          .failures = 2,
          .failed_at = kAdminNow - 90'000,
          .last_failure = texts("the object store does not answer")};
}

void AddStorage(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  const PageFrame at = AdminFrame(frame, texts, "/-/admin/storage");
  AdminStoragePage page{.now = kAdminNow};
  pages.push_back({"admin_storage-new", RenderAdminStorage(at, page)});
  page.sums = {.modules = {25'117, 812'000'000},
               .provider_packages = {412, 9'400'000'000},
               .provider_docs = {61, 48'000'000},
               .attachments = {812, 9'000'000},
               .mirrored = {1'840, 412'000'000'000},
               .mirrored_attachments = {77, 1'200'000},
               .drafts = {3, 71'000'000},
               .objects = {.arriving = {2, 1'000'000},
                           .stored = {27'000, 422'000'000'000},
                           .lost = {3, 40'000},
                           .leaving = {12, 7'000'000},
                           .oldest_leaving_at = kAdminNow - 7200}};
  page.collection = SampleJob(texts, "gc", false);
  page.bound = SampleJob(texts, "mirror-bound", true);
  page.sweep = SampleJob(texts, "store-sweep", false);
  page.sweep->waiting = 3;
  page.scrub = SampleJob(texts, "cache-scrub", false);
  pages.push_back({"admin_storage", RenderAdminStorage(at, page)});
}

void AddHealth(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  const PageFrame at = AdminFrame(frame, texts, "/-/admin/health");
  AdminHealthPage page{.now = kAdminNow};
  pages.push_back({"admin_health-unknown", RenderAdminHealth(at, page)});
  page.knows_state = true;
  page.is_ready = true;
  page.servers = {{.address = texts("koya-1:8443"),
                   .version = texts("1.0.0"),
                   .started_at = kAdminNow - 400'000,
                   .seen_at = kAdminNow - 2,
                   .feed_age = std::chrono::milliseconds(410),
                   .clock_ahead = std::chrono::milliseconds(-12),
                   .leases = {texts("audit"), texts("gc")}},
                  {.address = texts("koya-2:8443"),
                   .version = texts("1.0.0"),
                   .started_at = kAdminNow - 400'100,
                   .seen_at = kAdminNow - 3,
                   .leases = {}}};
  page.jobs = {SampleJob(texts, "gc", false),
               SampleJob(texts, "sign-ins", true),
               {.job = texts("readings"), .waiting = 1'204}};
  page.numbers = {{texts("koya_catalog_queued{lane=\"write\"}"), texts("0")},
                  {texts("koya_leases_held"), texts("2")}};
  pages.push_back({"admin_health", RenderAdminHealth(at, page)});
  page.reasons = {texts("tokens that were checked count for another 3,590 s without the catalog")};
  pages.push_back({"admin_health-degraded", RenderAdminHealth(at, page)});
  page.is_ready = false;
  page.reasons.insert(page.reasons.begin(), texts("the catalog has not responded for 10 s"));
  pages.push_back({"admin_health-not_ready", RenderAdminHealth(at, page)});
}

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

void AddServicesAndTokens(const PageFrame& at, const FillText& texts,
                          std::vector<SamplePage>& pages) {
  AdminUsersPage services{.query = texts("zzz"), .now = kAdminFormsNow};
  services.part = {.offset = 0, .shown = 0, .size = 50};
  pages.push_back({"admin_services-none", RenderAdminServices(at, services)});
  services.users = {SampleUser(texts, "ci"), SampleUser(texts, "nightly")};
  services.users[0].token_count = 12;
  services.users[1].account.created_by.clear();
  services.users[1].account.disabled_at = kAdminFormsNow - 86'400;
  services.users[1].last_used_at.reset();
  pages.push_back({"admin_services", RenderAdminServices(at, services)});

  AdminTokensPage tokens{.filter = TokenFilter::kUnused, .now = kAdminFormsNow};
  tokens.part = {.offset = 0, .shown = 0, .size = 50};
  pages.push_back({"admin_tokens-none", RenderAdminTokens(at, tokens)});
  for (auto kind : {std::optional(AccountKind::kUser), std::optional(AccountKind::kService),
                    std::optional<AccountKind>()}) {
    tokens.tokens.push_back({.name = texts("laptop"),
                             .secret = Digest{Sha256Bytes{}},
                             .scope = Scope::kPublish,
                             .namespaces = {texts("acme"), texts("team-*")},
                             .account_name = kind ? texts("ada") : "",
                             .account_kind = kind,
                             .account_created_by = kind ? texts("mika.tanaka") : "",
                             .created_at = kAdminFormsNow - 8'640'000,
                             .created_by = texts("mika.tanaka"),
                             .expires_at = kAdminFormsNow + 864'000,
                             .last_used_at = std::nullopt});
  }
  tokens.tokens[1].expires_at.reset();
  tokens.tokens[1].last_used_at = kAdminFormsNow - 60;
  tokens.tokens[2].namespaces.clear();
  tokens.part = {.offset = 50, .shown = 3, .size = 50, .more = true};
  pages.push_back({"admin_tokens", RenderAdminTokens(at, tokens)});
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
  pages.push_back({"admin_providers-none", RenderAdminProviders(at, {})});
  const IdentityProviderRecord provider{.name = texts("kumo"),
                                        .issuer = texts("https://id.kumo.example/realms/works"),
                                        .client_id = texts("koya"),
                                        .sealed_secret = {},
                                        .groups_claim = {},
                                        .groups = {},
                                        .created_at = kAdminFormsNow - 8'640'000,
                                        .created_by = texts("root")};
  AdminProvidersPage list{.providers = {provider, provider}};
  list.providers[1].enabled = false;
  pages.push_back({"admin_providers", RenderAdminProviders(at, list)});
  list.name = texts("a b");
  list.issuer = texts("http://id.kumo.example");
  list.client_id = texts("koya");
  list.groups_claim = texts("groups");
  list.groups = texts("eng");
  list.errors.AddError("", {.text = texts("the issuer must begin with https")})
      .Add("groups", "group_maps");
  pages.push_back({"admin_providers-problems", RenderAdminProviders(at, list)});
  AdminProviderPage page{.provider = provider,
                         .callback = texts("https://registry.kumo.example/-/oidc/kumo/callback"),
                         .findings = {}};
  pages.push_back({"admin_provider", RenderAdminProvider(at, page)});
  page.provider.enabled = false;
  pages.push_back({"admin_provider-disabled", RenderAdminProvider(at, page)});
  page.provider.enabled = true;
  page.provider.sealed_secret = texts("sealed");
  page.provider.groups_claim = texts("groups");
  page.is_tested = true;
  page.findings = {{true, texts("users can sign in, with PKCE")}};
  pages.push_back({"admin_provider-good", RenderAdminProvider(at, page)});
  page.provider.groups.assign(AdminProviderPage::kMostMappings + 1,
                              {texts("/platform-team"), texts("platform")});
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

void AddAdminSamples(const PageFrame& frame, const FillText& texts,
                     std::vector<SamplePage>& pages) {
  AddOverview(frame, texts, pages);
  AddAudit(frame, texts, pages);
  AddGrants(frame, texts, pages);
  AddWhy(frame, texts, pages);
  AddStorage(frame, texts, pages);
  AddHealth(frame, texts, pages);
}

void AddAdminFormSamples(const PageFrame& frame, const FillText& texts,
                         std::vector<SamplePage>& pages) {
  PageFrame at = frame;
  at.account = texts("mika.tanaka");
  at.administers = true;
  at.has_search = true;
  at.path = "/-/admin";
  AddUsers(at, texts, pages);
  AddServicesAndTokens(at, texts, pages);
  AddUser(at, texts, pages);
  AddGroups(at, texts, pages);
  AddProviders(at, texts, pages);
  for (std::string_view key : {"delete_user", "delete_service", "delete_group"}) {
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
