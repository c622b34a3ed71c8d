#include "web/access/namespace_tabs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "web/common/admin_parts.h"
#include "web/common/audit_sentence.h"
#include "web/common/page_paths.h"
#include "web/common/template_engine.h"
#include "web/common/text_safety.h"
#include "web/common/view.h"

namespace koya::web {
KOYA_VIEW(TrustRecord, id, issuer, rules, created_at, created_by);
KOYA_VIEW(PeoplePage, left_out);
KOYA_VIEW(NamespaceKeysPage, left_out);
KOYA_VIEW(NamespaceSettingsPage, created_at, created_by);
KOYA_VIEW(ActivityPage, kind, is_beginning);
KOYA_VIEW(NamespaceUsagePage::Row, name, sent_by, address, package_path, version, latest, behind,
          days_behind);
KOYA_VIEW(NamespaceUsagePage, days, is_counted, counted_since, is_partial, behind_median,
          behind_p90, days_median, days_p90, rows);

namespace {

// For <title>: as feeds name it.
std::string WholeName(const NamespaceHead& head) {
  return head.title.empty() ? head.name : fmt::format("{} ({})", head.title, head.name);
}

View TabView(const PageFrame& frame, const NamespaceHead& head, NamespaceTab tab) {
  View view = FrameView(frame);
  AddNamespaceHead(view, head, tab);
  return view;
}

View GrantView(const NamespaceHead& head, const GrantRecord& grant) {
  const std::string remove = NamespaceTabPath(head.name, "people/remove");
  return View().Of(grant).Set(
      "remove_path",
      PathWith(PathWith(remove, "kind", GranteeKindName(grant.kind)), "grantee", grant.grantee));
}

GranteeKind ReadGranteeKind(std::string_view text) {
  for (GranteeKind kind : {GranteeKind::kGroup, GranteeKind::kService}) {
    if (text == GranteeKindName(kind)) return kind;
  }
  return GranteeKind::kUser;
}

// From then on the list says how long a key lasts, as the pages of providers do.
constexpr std::chrono::days kKeyEndsSoon{90};

View KeyView(const PageFrame& frame, const SigningKeyRecord& key, UnixSeconds now) {
  constexpr std::size_t kUserIdsShown = 5;
  std::vector<std::string> user_ids = key.user_ids;
  user_ids.resize(std::min(user_ids.size(), kUserIdsShown));
  const bool may_end = key.expires_at && !key.removed_at;
  return View()
      .Of(key)
      .Set("key_id", key.key_id)
      .Set("fingerprint", key.fingerprint)
      .Set("user_ids", user_ids)
      .Set("has_ended", key.expires_at && *key.expires_at <= now)
      .Set("key_left", may_end ? LeftText(frame.language, *key.expires_at, now, kKeyEndsSoon) : "");
}

View TrustView(const ShownTrust& trust) {
  return View()
      .Of(trust.record)
      .Set("any_ref", trust.any_ref)
      .Set("trusted_name", TrustedName(trust.record));
}

View JobTokenView(const TokenRecord& token) {
  return View()
      .Set("token_name", token.name)
      .Set("job", token.created_by)
      .Set("expires_at", token.expires_at.value_or(0));
}

std::string TrustCommand(const PublishingPage& page) {
  auto or_sample = [](const std::string& text, std::string_view sample) {
    return ShellWord(text.empty() ? sample : std::string_view(text));
  };
  std::string command = "koya trust add " + ShellWord(page.head.name);
  if (page.forge == "other") {
    return command + " --issuer " + or_sample(page.issuer, "https://ci.example.com") +
           " --claim sub=job:release" + (page.own_issuer ? " --own-issuer" : "");
  }
  const bool gitlab = page.forge == "gitlab";
  command += gitlab ? " --gitlab " : " --github ";
  command += or_sample(page.project, "acme/terraform-aws-vpc");
  command += " --ref " + or_sample(page.ref, "refs/tags/v*");
  if (!page.environment.empty()) command += " --environment " + ShellWord(page.environment);
  if (!page.issuer.empty()) command += " --issuer " + ShellWord(page.issuer);
  return command;
}

View LogEntryView(Language language, const AuditRecord& record) {
  const AuditEntry& entry = record.entry;
  return View()
      .Set("actor", entry.by.name)
      .Set("actor_token", entry.by.token == entry.by.name ? "" : entry.by.token)
      .Set("action", entry.action)
      .Set("sentence", AuditSentence(language, entry))
      .Set("address", entry.by.address)
      .Set("is_denied", entry.kind == AuditKind::kDenied)
      .Set("at", entry.at);
}

}  // namespace

std::string NamespaceTabPath(std::string_view ns, std::string_view rest) {
  return fmt::format("{}/{}", NamespacePath(ns), rest);
}

void AddNamespaceHead(View& view, const NamespaceHead& head, NamespaceTab tab) {
  AddOwners(view, head.owners);
  view.Set("name", head.name)
      .Set("title_name", TitleText(WholeName(head)))
      .Set("ns_title", head.title)
      .Set("visibility", head.visibility)
      .Set("tab", tab)
      .Set("is_owner_here", head.is_owner)
      .Set("ns_path", NamespacePath(head.name));
}

std::string RenderPeople(const PageFrame& frame, const PeoplePage& page) {
  View view = TabView(frame, page.head, NamespaceTab::kPeople);
  const std::string role = ParseRole(page.role) ? page.role : "reader";
  auto field = [&](const FormField& of) {
    return std::optional(FieldView(frame.language, page.errors, of));
  };
  view.Of(page)
      .List("grants", page.grants,
            [&page](const GrantRecord& grant) { return GrantView(page.head, grant); })
      .Set("f_kind", field({.name = "kind", .has_hint = false}))
      .Set("f_grantee",
           field({.name = "grantee", .value = page.grantee, .most = 256, .is_required = true}))
      .Set("f_role", field({.name = "role", .has_hint = false}));
  view.Set("kind", ReadGranteeKind(page.kind)).Set("role", *ParseRole(role));
  AddFormErrors(view, frame.language, page.errors);
  const std::string name = page.grantee.empty() ? "ada@example.com" : page.grantee;
  AddCommand(view, fmt::format("koya grant add {} {} --{} {}", ShellWord(page.head.name), role,
                               GranteeKindName(ReadGranteeKind(page.kind)), ShellWord(name)));
  return RenderTemplate("namespace_people", frame.language, view);
}

std::string RenderNamespaceKeys(const PageFrame& frame, const NamespaceKeysPage& page) {
  View view = TabView(frame, page.head, NamespaceTab::kKeys);
  view.Of(page)
      .List("keys", page.keys, [&](const auto& key) { return KeyView(frame, key, page.now); })
      .Set("offers_form", page.head.is_owner && !frame.csrf.empty())
      .Set("f_key",
           FieldView(frame.language, page.errors,
                     {.name = "key", .value = page.key, .most = 15000, .is_required = true}));
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view, page.head.is_owner
                       ? fmt::format("koya key add {0} KEY.asc\nkoya key remove {0} KEY_ID\nkoya "
                                     "key rotate {0}",
                                     ShellWord(page.head.name))
                       : fmt::format("koya key export {}", ShellWord(page.head.name)));
  return RenderTemplate("namespace_keys", frame.language, view);
}

std::string TrustedName(const TrustRecord& trust) {
  for (std::string_view name : {"repository=", "project_path="}) {
    for (const std::string& rule : trust.rules) {
      if (rule.starts_with(name)) return rule.substr(name.size());
    }
  }
  return trust.rules.empty() ? trust.issuer : trust.rules.front();
}

std::string RenderPublishing(const PageFrame& frame, const PublishingPage& page) {
  View view = TabView(frame, page.head, NamespaceTab::kPublishing);
  auto field = [&](std::string_view name, std::string_view value, bool required = false) {
    return std::optional(
        FieldView(frame.language, page.errors,
                  {.name = name, .value = value, .most = 2000, .is_required = required}));
  };
  view.List("trust", page.trust, TrustView)
      .List("tokens", page.tokens, JobTokenView)
      .Set("f_forge", FieldView(frame.language, page.errors, {.name = "forge", .has_hint = false}))
      .Set("is_github", page.forge != "gitlab" && page.forge != "other")
      .Set("is_gitlab", page.forge == "gitlab")
      .Set("is_other", page.forge == "other")
      .Set("f_project", field("project", page.project))
      .Set("f_ref", field("ref", page.ref))
      .Set("f_environment", field("environment", page.environment))
      .Set("f_issuer", field("issuer", page.issuer))
      .Set("f_claims", field("claims", page.claims))
      .Set("is_own_issuer", page.own_issuer)
      .Set("ci_only", page.rule == PublishRule::kCiOnly);
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view, TrustCommand(page));
  return RenderTemplate("namespace_publishing", frame.language, view);
}

std::string RenderNamespaceSettings(const PageFrame& frame, const NamespaceSettingsPage& page) {
  View view = TabView(frame, page.head, NamespaceTab::kSettings);
  const Visibility wanted = ParseVisibility(page.visibility).value_or(page.head.visibility);
  const std::optional<SemverRule> semver = ParseSemverRule(page.semver);
  const PublishRule publish = ParsePublishRule(page.publish).value_or(PublishRule::kAny);
  auto field = [&](std::string_view name) {
    return std::optional(FieldView(frame.language, page.errors, {.name = name}));
  };
  auto text_field = [&](std::string_view name, std::string_view value, unsigned most) {
    return std::optional(
        FieldView(frame.language, page.errors, {.name = name, .value = value, .most = most}));
  };
  view.Of(page)
      .Set("f_title", text_field("title", page.title, kLongestNamespaceTitle))
      .Set("f_description",
           text_field("description", page.description, kLongestNamespaceDescription))
      .Set("f_visibility", field("visibility"))
      .Set("f_semver", field("semver"))
      .Set("f_publish", field("publish"))
      .Set("wanted", wanted)
      .Set("ci_only", publish == PublishRule::kCiOnly)
      .Set("semver", semver);
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view,
             fmt::format("koya namespace set {} --visibility {} --semver {} --publish {} --title "
                         "{} --description {}",
                         ShellWord(page.head.name), VisibilityName(wanted),
                         semver ? SemverRuleName(*semver) : "default", PublishRuleName(publish),
                         ShellWord(page.title), ShellWord(WithPlainLines(page.description))));
  return RenderTemplate("namespace_settings", frame.language, view);
}

std::string RenderActivity(const PageFrame& frame, const ActivityPage& page) {
  View view = TabView(frame, page.head, NamespaceTab::kActivity);
  view.Of(page)
      .List("entries", page.entries,
            [&frame](const AuditRecord& each) { return LogEntryView(frame.language, each); })
      .Set("older_path", page.older.empty() ? "" : LocalPath(page.older));
  AddCommand(view,
             fmt::format("koya audit list --namespace {}{}", ShellWord(page.head.name),
                         page.kind ? fmt::format(" --kind {}", AuditKindName(*page.kind)) : ""));
  return RenderTemplate("namespace_activity", frame.language, view);
}

std::string RenderNamespaceUsage(const PageFrame& frame, const NamespaceUsagePage& page) {
  View view = TabView(frame, page.head, NamespaceTab::kUsage);
  view.Of(page);
  AddPager(view, page.part, NamespaceTabPath(page.head.name, "usage"));
  AddCommand(view, fmt::format("koya usage lag {}", ShellWord(page.head.name)));
  return RenderTemplate("namespace_usage", frame.language, view);
}

}  // namespace koya::web
