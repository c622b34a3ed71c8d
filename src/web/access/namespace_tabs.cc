#include "web/access/namespace_tabs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/percent_encoding.h"
#include "base/text.h"
#include "web/common/admin_parts.h"
#include "web/common/template_engine.h"
#include "web/common/text_safety.h"
#include "web/common/view_parts.h"

namespace koya::web {
namespace {

View TabView(const PageFrame& frame, const NamespaceHead& head, NamespaceTab tab) {
  View view = FrameView(frame);
  AddNamespaceHead(view, head, tab);
  return view;
}

std::string CountText(std::size_t count) { return count == 0 ? "" : NumberText(count); }

void AddGranteeKind(View& view, GranteeKind kind) {
  view.Flag("is_user", kind == GranteeKind::kUser)
      .Flag("is_group", kind == GranteeKind::kGroup)
      .Flag("is_service", kind == GranteeKind::kService);
}

std::vector<View> GrantViews(const PageFrame& frame, const PeoplePage& page) {
  std::vector<View> views;
  views.reserve(page.grants.size());
  for (const GrantRecord& grant : page.grants) {
    View view;
    const std::string remove = NamespaceTabPath(page.head.name, "people/remove");
    view.Text("grantee_name", grant.grantee)
        .Text("granted_by", grant.granted_by)
        .Text("remove_path", PathWith(PathWith(remove, "kind", GranteeKindName(grant.kind)),
                                      "grantee", grant.grantee));
    AddGranteeKind(view, grant.kind);
    AddRoleChip(view, grant.role);
    AddTime(view, "granted", frame.language, grant.granted_at);
    views.push_back(std::move(view));
  }
  return views;
}

GranteeKind ReadGranteeKind(std::string_view text) {
  for (GranteeKind kind : {GranteeKind::kGroup, GranteeKind::kService}) {
    if (text == GranteeKindName(kind)) return kind;
  }
  return GranteeKind::kUser;
}

// From then on the list says how long a key lasts, as the pages of providers do.
constexpr std::chrono::days kKeyEndsSoon{90};

std::vector<View> KeyViews(const PageFrame& frame, const NamespaceKeysPage& page) {
  std::vector<View> views;
  views.reserve(page.keys.size());
  for (const SigningKeyRecord& key : page.keys) {
    std::vector<View> user_ids;
    constexpr std::size_t kUserIdsShown = 5;
    for (std::size_t i = 0; i < std::min(key.user_ids.size(), kUserIdsShown); ++i) {
      user_ids.push_back(View().Text("user_id", key.user_ids[i]));
    }
    const bool has_ended = key.expires_at && *key.expires_at <= page.now;
    View view;
    view.Text("key_id", key.key_id)
        .Text("key_fingerprint", key.fingerprint)
        .Text("key_algorithm", key.algorithm)
        .Text("key_added_by", key.added_by)
        .List("user_ids", std::move(user_ids))
        .Flag("is_removed", key.removed_at.has_value())
        .Flag("has_ended", has_ended)
        .Flag("is_in_use", !key.removed_at && !has_ended)
        .Flag("is_server_made", key.server_made)
        .Flag("has_end", key.expires_at.has_value())
        .Text("key_left", key.expires_at && !key.removed_at
                              ? LeftText(frame.language, *key.expires_at, page.now, kKeyEndsSoon)
                              : "")
        .Flag("offers_removal", page.head.is_owner && !key.removed_at)
        .Text("remove_path",
              NamespaceTabPath(page.head.name, fmt::format("keys/{}/remove", key.fingerprint)));
    AddTime(view, "key_added", frame.language, key.added_at);
    AddTime(view, "key_end", frame.language, key.expires_at.value_or(0));
    AddTime(view, "key_removed", frame.language, key.removed_at.value_or(0));
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<View> TrustViews(const PageFrame& frame, const PublishingPage& page) {
  std::vector<View> views;
  views.reserve(page.trust.size());
  for (const auto& [trust, any_ref] : page.trust) {
    std::vector<View> rules;
    for (const std::string& rule : trust.rules) rules.push_back(View().Text("rule", rule));
    View view;
    view.Text("issuer", trust.issuer)
        .Flag("any_ref", any_ref)
        .List("rules", std::move(rules))
        .Text("trusted_by", trust.created_by)
        .Text("trusted_name", TrustedName(trust))
        .Text("remove_path",
              NamespaceTabPath(page.head.name,
                               fmt::format("publishing/{}/remove", PercentEncode(trust.id))));
    AddTime(view, "trusted", frame.language, trust.created_at);
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<View> JobTokenViews(const PageFrame& frame, const PublishingPage& page) {
  std::vector<View> views;
  views.reserve(page.tokens.size());
  for (const TokenRecord& token : page.tokens) {
    View view;
    view.Text("token_name", token.name).Text("job", token.created_by);
    AddMoment(view, "end", frame.language, token.expires_at.value_or(0));
    views.push_back(std::move(view));
  }
  return views;
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

std::vector<View> LogEntryViews(const PageFrame& frame, const ActivityPage& page) {
  std::vector<View> views;
  views.reserve(page.entries.size());
  for (const AuditRecord& record : page.entries) {
    const AuditEntry& entry = record.entry;
    View view;
    view.Text("actor", entry.by.name)
        .Text("actor_token", entry.by.token == entry.by.name ? "" : entry.by.token)
        .Text("entry_action", entry.action)
        .Text("entry_target", entry.target)
        .Text("entry_address", entry.by.address)
        .Flag("is_denied", entry.kind == AuditKind::kDenied)
        .Text("entry_count", entry.count > 1 ? NumberText(entry.count) : "");
    AddMoment(view, "entry", frame.language, entry.at);
    views.push_back(std::move(view));
  }
  return views;
}

}  // namespace

std::string RenderPeople(const PageFrame& frame, const PeoplePage& page) {
  View view = TabView(frame, page.head, NamespaceTab::kPeople);
  const std::string role = ParseRole(page.role) ? page.role : "reader";
  auto field = [&](const FormField& of) {
    return std::optional(FieldView(frame.language, page.errors, of));
  };
  view.Flag("has_grants", !page.grants.empty())
      .List("grants", GrantViews(frame, page))
      .Text("left_out", CountText(page.left_out))
      .Maybe("f_kind", field({.name = "kind", .has_hint = false}))
      .Maybe("f_grantee",
             field({.name = "grantee", .value = page.grantee, .most = 256, .is_required = true}))
      .Maybe("f_role", field({.name = "role", .has_hint = false}));
  AddGranteeKind(view, ReadGranteeKind(page.kind));
  AddRoleChip(view, *ParseRole(role));
  AddFormErrors(view, frame.language, page.errors);
  const std::string name = page.grantee.empty() ? "ada@example.com" : page.grantee;
  AddCommand(view, fmt::format("koya grant add {} {} --{} {}", ShellWord(page.head.name), role,
                               GranteeKindName(ReadGranteeKind(page.kind)), ShellWord(name)));
  return RenderTemplate("namespace_people", frame.language, view);
}

std::string RenderNamespaceKeys(const PageFrame& frame, const NamespaceKeysPage& page) {
  View view = TabView(frame, page.head, NamespaceTab::kKeys);
  view.Flag("has_keys", !page.keys.empty())
      .List("keys", KeyViews(frame, page))
      .Text("left_out", CountText(page.left_out))
      .Flag("offers_form", page.head.is_owner && !frame.csrf.empty())
      .Maybe("f_key",
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
  view.Flag("has_trust", !page.trust.empty())
      .List("trust", TrustViews(frame, page))
      .Flag("has_tokens", !page.tokens.empty())
      .List("tokens", JobTokenViews(frame, page))
      .Maybe("f_forge",
             FieldView(frame.language, page.errors, {.name = "forge", .has_hint = false}))
      .Flag("is_github", page.forge != "gitlab" && page.forge != "other")
      .Flag("is_gitlab", page.forge == "gitlab")
      .Flag("is_other", page.forge == "other")
      .Maybe("f_project", field("project", page.project))
      .Maybe("f_ref", field("ref", page.ref))
      .Maybe("f_environment", field("environment", page.environment))
      .Maybe("f_issuer", field("issuer", page.issuer))
      .Maybe("f_claims", field("claims", page.claims))
      .Flag("is_own_issuer", page.own_issuer);
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view, TrustCommand(page));
  return RenderTemplate("namespace_publishing", frame.language, view);
}

std::string RenderNamespaceSettings(const PageFrame& frame, const NamespaceSettingsPage& page) {
  View view = TabView(frame, page.head, NamespaceTab::kSettings);
  const Visibility wanted = ParseVisibility(page.visibility).value_or(page.head.visibility);
  const std::optional<SemverRule> semver = ParseSemverRule(page.semver);
  auto field = [&](std::string_view name) {
    return std::optional(FieldView(frame.language, page.errors, {.name = name}));
  };
  auto text_field = [&](std::string_view name, std::string_view value, unsigned most) {
    return std::optional(
        FieldView(frame.language, page.errors, {.name = name, .value = value, .most = most}));
  };
  view.Maybe("f_title", text_field("title", page.title, kLongestNamespaceTitle))
      .Maybe("f_description",
             text_field("description", page.description, kLongestNamespaceDescription))
      .Maybe("f_visibility", field("visibility"))
      .Maybe("f_semver", field("semver"))
      .Flag("wants_public", wanted == Visibility::kPublic)
      .Flag("wants_internal", wanted == Visibility::kInternal)
      .Flag("wants_private", wanted == Visibility::kPrivate)
      .Flag("semver_default", !semver)
      .Flag("semver_off", semver == SemverRule::kOff)
      .Flag("semver_warn", semver == SemverRule::kWarn)
      .Flag("semver_refuse_breaking", semver == SemverRule::kRefuseBreaking)
      .Flag("semver_refuse", semver == SemverRule::kRefuse)
      .Text("created_by", page.created_by);
  AddTime(view, "created", frame.language, page.created_at);
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view, fmt::format("koya namespace set {} --visibility {} --semver {} --title {} "
                               "--description {}",
                               ShellWord(page.head.name), VisibilityName(wanted),
                               semver ? SemverRuleName(*semver) : "default", ShellWord(page.title),
                               ShellWord(WithPlainLines(page.description))));
  return RenderTemplate("namespace_settings", frame.language, view);
}

std::string RenderActivity(const PageFrame& frame, const ActivityPage& page) {
  View view = TabView(frame, page.head, NamespaceTab::kActivity);
  const std::string all = NamespaceTabPath(page.head.name, "activity");
  view.Flag("has_entries", !page.entries.empty())
      .List("entries", LogEntryViews(frame, page))
      .Text("all_path", all)
      .Text("changes_path", PathWith(all, "kind", "change"))
      .Text("denied_path", PathWith(all, "kind", "denied"))
      .Flag("shows_all", !page.kind)
      .Flag("shows_changes", page.kind == AuditKind::kChange)
      .Flag("shows_denied", page.kind == AuditKind::kDenied)
      .Text("older_path", page.older.empty() ? "" : LocalPath(page.older))
      .Flag("is_beginning", page.is_beginning);
  AddCommand(view,
             fmt::format("koya audit list --namespace {}{}", ShellWord(page.head.name),
                         page.kind ? fmt::format(" --kind {}", AuditKindName(*page.kind)) : ""));
  return RenderTemplate("namespace_activity", frame.language, view);
}

}  // namespace koya::web
