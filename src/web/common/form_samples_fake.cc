#include "web/sample_parts_fake.h"

#include <fmt/format.h>

#include "web/access/account_pages.h"
#include "web/access/namespace_tabs.h"
#include "web/common/form_parts.h"
#include "web/modules/version_forms.h"
#include "web/site/setup_page.h"

namespace koya::web {
namespace {

void AddConfirmSamples(const PageFrame& frame, const FillText& texts,
                       std::vector<SamplePage>& pages) {
  for (std::string_view key : {"revoke_token", "remove_key", "remove_grant", "remove_trust"}) {
    ConfirmPage page{.key = key,
                     .what = texts("ci-platform"),
                     .action = texts("/-/settings/tokens/ci-platform/revoke"),
                     .back = texts("/-/settings/tokens"),
                     .command = texts("koya token revoke ci-platform")};
    page.hidden = {{texts("kind"), texts("user")}};
    pages.push_back({fmt::format("confirm-{}", key), RenderConfirm(frame, page)});
  }
  ConfirmPage typed{.key = "revoke_token", .what = texts("ci-platform"), .must_type = true};
  typed.typed = texts("ci-platfrom");
  typed.errors.Add("typed", "typed_wrong").AddError("", {.text = texts("the token is gone")});
  pages.push_back({"confirm-typed", RenderConfirm(frame, typed)});
}

constexpr UnixSeconds kFormsNow = 1'795'279'270;  // 2026-11-21

void AddSettingsSamples(const PageFrame& frame, const FillText& texts,
                        std::vector<SamplePage>& pages) {
  SettingsPage page{
      .method = texts("password"), .this_session = "a", .language = "ja", .now = kFormsNow};
  page.sessions = {{.id = "a",
                    .secret = Digest{Sha256Bytes{}},
                    .method = texts("password"),
                    .address = texts("192.0.2.7"),
                    .user_agent = texts("Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0"),
                    .created_at = kFormsNow - 7200,
                    .expires_at = kFormsNow + 36000,
                    .last_used_at = kFormsNow - 60}};
  pages.push_back({"settings", RenderSettings(frame, page)});
  page.sessions.push_back(page.sessions[0]);
  page.sessions[1].id = texts("ZfV9qDk2pQ3mW1sB6cXyAg");
  page.sessions[1].method = texts("oidc:kumo");
  page.sessions[1].last_used_at = std::nullopt;
  page.method = texts("oidc:kumo");
  page.is_admin = true;
  page.roles = {{texts("platform"), Role::kOwner},
                {texts("data"), Role::kPublisher},
                {texts("security"), Role::kReader}};
  page.has_more_roles = true;
  page.sessions_left_out = 1200;
  PageFrame quiet = frame;
  quiet.keys_are_off = true;
  quiet.notice = Notice{.key = "saved", .what = texts("")};
  pages.push_back({"settings-more", RenderSettings(quiet, page)});
  NotificationsPage notified;
  pages.push_back({"notifications-none", RenderNotifications(frame, notified)});
  for (auto kind :
       {NotificationKind::kPublished, NotificationKind::kDeprecated, NotificationKind::kWithdrawn,
        NotificationKind::kRestored, NotificationKind::kTokenEnds, NotificationKind::kKeyEnds}) {
    notified.events.push_back({.event = {.kind = kind,
                                         .of = WatchKind::kProvider,
                                         .address = texts("platform/kumo"),
                                         .version = texts("2.1.0"),
                                         .at = kFormsNow - 7200},
                               .is_unseen = notified.events.empty()});
  }
  for (auto kind : {WatchKind::kModule, WatchKind::kProvider, WatchKind::kNamespace}) {
    notified.watches.push_back({.kind = kind,
                                .address = texts("platform/network/aws"),
                                .mail = WatchMail::kDaily,
                                .since = kFormsNow - 86400});
  }
  notified.unseen = 7;
  notified.latest = 3;
  notified.older = 2;
  notified.is_beginning = false;
  notified.watches_left_out = 12;
  notified.sends_mail = true;
  notified.address = {.email = texts("mika@kumo.example"), .asked = texts("m@kumo.example")};
  notified.errors.Add("", "not_stored");
  pages.push_back({"notifications", RenderNotifications(frame, notified)});
  notified.address = {.email = {}, .asked = {}, .is_ended = true};
  notified.errors.Add("email", "email");
  notified.typed_email = texts("mika@");
  pages.push_back({"notifications-off", RenderNotifications(frame, notified)});
  for (auto state : {MailLinkState::kMayEnd, MailLinkState::kEnded, MailLinkState::kMayConfirm,
                     MailLinkState::kConfirmed, MailLinkState::kExpired}) {
    const bool asks = state == MailLinkState::kMayEnd || state == MailLinkState::kMayConfirm;
    pages.push_back({fmt::format("mail_link-{}", static_cast<int>(state)),
                     RenderMailLink(frame, {.state = state,
                                            .action = asks ? texts("/-/notifications/end") : "",
                                            .key = asks ? texts("abc") : ""})});
  }
  PasswordPage password{.password_min = 12};
  pages.push_back({"password", RenderPassword(frame, password)});
  password.errors.Add("old_password", "old_password_wrong")
      .AddError("password", {.text = "the password is too short", .typed = Typed::kPassword})
      .Add("password_again", "passwords_differ");
  password.retry_after = std::chrono::seconds(90);
  pages.push_back({"password-problems", RenderPassword(frame, password)});
}

TokenRecord SampleToken(const FillText& texts, std::string name) {
  return {.name = texts(std::move(name)),
          .secret = Digest{Sha256Bytes{}},
          .namespaces = {},
          .created_at = kFormsNow - 8640000,
          .created_by = {},
          .expires_at = std::nullopt,
          .last_used_at = std::nullopt};
}

void AddTokenSamples(const PageFrame& frame, const FillText& texts,
                     std::vector<SamplePage>& pages) {
  TokensPage list{.now = kFormsNow};
  pages.push_back({"tokens-none", RenderTokens(frame, list)});
  list.tokens = {SampleToken(texts, "laptop"), SampleToken(texts, "ci-platform"),
                 SampleToken(texts, "old")};
  list.tokens[1].scope = Scope::kPublish;
  list.tokens[1].namespaces = {texts("platform"), texts("team-*")};
  list.tokens[1].expires_at = kFormsNow + 90 * 86400;
  list.tokens[1].last_used_at = kFormsNow - 600;
  list.tokens[1].last_used_from = texts("192.0.2.7");
  list.tokens[2].scope = Scope::kAdmin;
  list.tokens[2].expires_at = kFormsNow - 86400;
  list.left_out = 17;
  PageFrame told = frame;
  told.notice = Notice{.key = "token_revoked", .what = texts("ci")};
  pages.push_back({"tokens", RenderTokens(told, list)});
  NewTokenPage form{.url = texts("https://registry.kumo.example")};
  pages.push_back({"new_token", RenderNewToken(frame, form)});
  form.name = texts("ci platform");
  form.scope = texts("publish");
  form.namespaces = texts("platform, team-*");
  form.ends = texts("day");
  form.until = texts("2020-01-01");
  form.errors.Add("name", "token_name").Add("namespaces", "patterns").Add("until", "day");
  form.errors.AddError("", {.text = texts("the token \"ada\" ends at 2026-12-01T00:00:00Z")});
  pages.push_back({"new_token-problems", RenderNewToken(frame, form)});
  MadeTokenPage made{.token = list.tokens[1],
                     .text = texts("koya_not-a-real-token-but-as-long-as-one"),
                     .url = texts("https://registry.kumo.example"),
                     .host = std::nullopt};
  pages.push_back({"made_token-no_host", RenderMadeToken(frame, made)});
  made.host = *HostName::Parse("registry.kumo.example");
  pages.push_back({"made_token", RenderMadeToken(frame, made)});
}

void AddPeopleSamples(const PageFrame& frame, const FillText& texts, const NamespaceHead& head,
                      std::vector<SamplePage>& pages) {
  PeoplePage page{.head = head};
  pages.push_back({"people-none", RenderPeople(frame, page)});
  page.grants = {
      {texts("platform"), GranteeKind::kUser, texts("mika.tanaka@kumo.example"), Role::kOwner,
       kFormsNow - 86400, texts("root")},
      {texts("platform"), GranteeKind::kGroup, texts("engineering"), Role::kReader, kFormsNow, ""},
      {texts("platform"), GranteeKind::kService, texts("ci"), Role::kPublisher, kFormsNow,
       texts("mika")}};
  page.left_out = 3;
  page.kind = texts("group");
  page.grantee = texts("plattform");
  page.role = texts("owner");
  page.errors.Add("grantee", "no_such_grantee").Add("kind", "unknown_choice");
  pages.push_back({"people", RenderPeople(frame, page)});
}

void AddKeySamples(const PageFrame& frame, const PageFrame& stranger, const FillText& texts,
                   NamespaceHead head, std::vector<SamplePage>& pages) {
  NamespaceKeysPage page{.head = head, .now = kFormsNow};
  pages.push_back({"namespace_keys-none", RenderNamespaceKeys(frame, page)});
  SigningKeyRecord key{.ns = texts("kumo"),
                       .fingerprint = texts("5C0F1E7A93B24D6688AA10FF3D5E7C9B0A1B2C3D"),
                       .key_id = texts("3D5E7C9B0A1B2C3D"),
                       .armor = {},
                       .user_ids = {texts("Kumo Releases <release@kumo.example>")},
                       .algorithm = texts("Ed25519"),
                       .added_at = kFormsNow - 8640000,
                       .added_by = texts("mika")};
  page.keys = {key, key, key};
  page.keys[1].expires_at = kFormsNow - 1;
  page.keys[1].server_made = true;
  page.keys[2].removed_at = kFormsNow - 3600;
  page.left_out = 2;
  page.key = texts("-----BEGIN PGP PUBLIC KEY BLOCK-----");
  page.errors.AddError("key", {.text = texts("the text has no public key")});
  pages.push_back({"namespace_keys", RenderNamespaceKeys(frame, page)});
  page.head.is_owner = false;
  page.errors = {};
  pages.push_back({"namespace_keys-reader", RenderNamespaceKeys(stranger, page)});
}

void AddPublishingSamples(const PageFrame& frame, const FillText& texts, const NamespaceHead& head,
                          std::vector<SamplePage>& pages) {
  PublishingPage page{.head = head};
  pages.push_back({"publishing-none", RenderPublishing(frame, page)});
  page.trust = {{.record = {.id = texts("a1"),
                            .ns = texts("platform"),
                            .issuer = texts("https://token.actions.githubusercontent.com"),
                            .rules = {texts("repository=kumo/infra"), texts("ref=refs/tags/v*")},
                            .created_at = kFormsNow,
                            .created_by = texts("mika")},
                 .any_ref = true}};
  page.tokens = {{.name = texts("ci-4f1d2c"),
                  .secret = Digest::Of("a job's"),
                  .created_at = kFormsNow,
                  .created_by = texts("oidc:token.actions.githubusercontent.com repo:kumo/infra"),
                  .expires_at = kFormsNow + 900,
                  .last_used_at = std::nullopt}};
  page.forge = texts("other");
  page.project = texts("kumo/infra");
  page.ref = texts("main");
  page.environment = texts("release");
  page.issuer = texts("https://ci.kumo.example");
  page.claims = texts("sub=job:release\nref=main");
  page.errors.Add("issuer", "required").Add("forge", "unknown_choice");
  page.errors.AddError("", {.text = texts("the rules would trust strangers")});
  pages.push_back({"publishing", RenderPublishing(frame, page)});
}

void AddActivitySamples(const PageFrame& frame, const FillText& texts, const NamespaceHead& head,
                        std::vector<SamplePage>& pages) {
  ActivityPage page{.head = head};
  pages.push_back({"activity-none", RenderActivity(frame, page)});
  AuditRecord record;
  record.id = 42;
  record.entry.at = kFormsNow;
  record.entry.by = {
      .name = texts("user:mika.tanaka"), .token = texts("laptop"), .address = texts("192.0.2.7")};
  record.entry.action = texts("module.publish");
  record.entry.target = texts("module:platform/network/aws@4.2.0");
  page.entries = {record, record};
  page.entries[1].entry.kind = AuditKind::kDenied;
  page.entries[1].entry.by = {.name = {}, .address = texts("203.0.113.9")};
  page.entries[1].entry.count = 12;
  page.kind = AuditKind::kDenied;
  page.older = texts("/namespaces/platform/activity?below=41");
  page.is_beginning = false;
  pages.push_back({"activity", RenderActivity(frame, page)});
}

void AddNamespaceUsageSamples(const PageFrame& frame, const FillText& texts,
                              const NamespaceHead& head, std::vector<SamplePage>& pages) {
  NamespaceUsagePage page{.head = head, .is_counted = false, .is_partial = true};
  pages.push_back({"namespace_usage-none", RenderNamespaceUsage(frame, page)});
  page.counted_since = kFormsNow;
  page.behind_p90 = 4;
  page.rows = {{texts("payments-prod"), texts("service:deploy"), texts("platform/network/aws"),
                "/modules/platform/network/aws", texts("3.1.1"), texts("4.2.0"), 4, 61}};
  page.part = {.offset = 50, .shown = 1, .size = NamespaceUsagePage::kSize, .total = 51};
  pages.push_back({"namespace_usage", RenderNamespaceUsage(frame, page)});
}

void AddNamespaceSamples(const PageFrame& frame, const PageFrame& stranger, const FillText& texts,
                         std::vector<SamplePage>& pages) {
  const NamespaceHead head{.name = texts("platform"),
                           .visibility = Visibility::kInternal,
                           .is_owner = true,
                           .title = texts("Platform team")};
  AddPeopleSamples(frame, texts, head, pages);
  AddKeySamples(frame, stranger, texts, head, pages);
  AddPublishingSamples(frame, texts, head, pages);
  AddActivitySamples(frame, texts, head, pages);
  AddNamespaceUsageSamples(frame, texts, head, pages);
  NamespaceSettingsPage page{.head = head, .created_at = kFormsNow, .created_by = texts("root")};
  pages.push_back({"namespace_settings", RenderNamespaceSettings(frame, page)});
  page.visibility = texts("secret");
  page.semver = texts("refuse");
  page.title = texts("Platform team");
  page.description = texts("Networks and clusters.");
  page.errors.AddError("title", {.text = texts("the title of a namespace is one line")})
      .AddError("description",
                {.text = texts("the description of a namespace must be plain text")});
  page.created_by.clear();
  page.errors.Add("visibility", "unknown_choice").Add("semver", "unknown_choice");
  pages.push_back({"namespace_settings-problems", RenderNamespaceSettings(frame, page)});
}

void AddSetupSamples(const PageFrame& frame, const FillText& texts,
                     std::vector<SamplePage>& pages) {
  SetupPage page{.choice = SetupChoice::Read("", "", "", "", ""),
                 .url = texts("https://registry.kumo.example"),
                 .host = *HostName::Parse("registry.kumo.example")};
  pages.push_back({"setup", RenderSetup(frame, page)});
  page.choice = SetupChoice::Read("terraform", "windows", "mirror", "variable", texts("a.example"));
  page.mirror_wants_token = true;
  pages.push_back({"setup-windows", RenderSetup(frame, page)});
  for (std::string_view system : {"github", "gitlab", "jenkins", "docker"}) {
    page.choice = SetupChoice::Read("opentofu", system, "all", "login", texts("a.example"));
    pages.push_back({fmt::format("setup-{}", system), RenderSetup(frame, page)});
  }
  page.choice = SetupChoice::Read("terragrunt", "macos", "mirror", "file", "a.example:8443");
  page.host.reset();
  pages.push_back({"setup-no_host", RenderSetup(frame, page)});

  ClientProgramsPage client{.url = texts("https://registry.kumo.example"), .programs = {}};
  pages.push_back({"client_programs-none", RenderClientPrograms(frame, client)});
  for (const char* arch : {"amd64", "arm64"}) {
    client.programs.push_back({.arch = texts(arch),
                               .path = "/-/cli/koya-linux-amd64.tar.gz?sha256=ab",
                               .digest = std::string(64, 'a'),
                               .size = 36'000'000});
  }
  pages.push_back({"client_programs", RenderClientPrograms(frame, client)});
}

void AddDeprecateSamples(const PageFrame& frame, const FillText& texts,
                         std::vector<SamplePage>& pages) {
  DeprecatePage page{.name = {.is_module = true,
                              .ns = texts("platform"),
                              .address = texts("platform/network/aws"),
                              .version = texts("4.1.3")},
                     .current = {},
                     .message = {}};
  pages.push_back({"deprecate", RenderDeprecate(frame, page)});
  page.name.is_module = false;
  page.current = texts("loses tags on update: use 4.2.0");
  page.message = texts("two\nlines");
  page.errors.AddError("message", {.text = texts("a deprecation's message is one line"),
                                   .typed = Typed::kVersionRemark});
  pages.push_back({"deprecate-problems", RenderDeprecate(frame, page)});
}

void AddWithdrawSamples(const PageFrame& frame, const FillText& texts,
                        std::vector<SamplePage>& pages) {
  WithdrawPage page{.name = {.is_module = true,
                             .ns = texts("platform"),
                             .address = texts("platform/network/aws"),
                             .version = texts("4.1.3")}};
  page.is_counted = false;
  pages.push_back({"withdraw-not_counted", RenderWithdraw(frame, page)});
  page.is_counted = true;
  page.fetches = 1204;
  page.all_fetches = 5310;
  page.consumers = 23;
  page.people = 4;
  page.names = {texts("payments-prod"), texts("service:deploy")};
  page.more_names = 3;
  page.callers = {{texts("platform/app/aws"), texts("2.0.0"), texts("4.1.3"), ""},
                  {texts("data/lake/aws"), texts("1.4.0"), texts("~> 4.1"), texts("4.2.0")},
                  {texts("data/warehouse/aws"), texts("1.0.0"), "", texts("4.2.0")}};
  pages.push_back({"withdraw", RenderWithdraw(frame, page)});
  page.is_only = page.is_partial = page.more_callers = page.unknown_more = true;
  page.unknown = 12;
  page.reason = texts("opens port 22");
  page.typed = texts("4.1.2");
  page.errors.AddError("reason", {.text = texts("a withdrawal needs a reason")})
      .Add("typed", "version_wrong");
  pages.push_back({"withdraw-problems", RenderWithdraw(frame, page)});
  RestorePage restore{.name = page.name, .reason = texts("withdrawn by mistake")};
  pages.push_back({"restore", RenderRestore(frame, restore)});
  restore.errors.AddError("reason", {.text = texts("needs a reason")});
  pages.push_back({"restore-problems", RenderRestore(frame, restore)});
}

}  // namespace

void AddFormSamples(const PageFrame& signed_in, const FillText& texts,
                    std::vector<SamplePage>& pages) {
  AddConfirmSamples(signed_in, texts, pages);
  AddSettingsSamples(signed_in, texts, pages);
  AddTokenSamples(signed_in, texts, pages);
  AddDeprecateSamples(signed_in, texts, pages);
  AddWithdrawSamples(signed_in, texts, pages);
  PageFrame stranger = signed_in;
  stranger.account.clear();
  stranger.csrf.clear();
  AddNamespaceSamples(signed_in, stranger, texts, pages);
  AddSetupSamples(stranger, texts, pages);
}

}  // namespace koya::web
