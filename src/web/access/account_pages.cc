#include "web/access/account_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/percent_encoding.h"
#include "base/text.h"
#include "clients/client_settings.h"
#include "domain/role.h"
#include "web/common/admin_parts.h"
#include "web/common/package_paths.h"
#include "web/common/template_engine.h"
#include "web/common/text_safety.h"
#include "web/common/view_parts.h"
#include "web/common/words.h"

namespace koya::web {
namespace {

// From then on the list says how long a token lasts.
constexpr std::chrono::days kTokenEndsSoon{30};

enum class AccountTab { kSettings, kTokens };

View AccountView(const PageFrame& frame, AccountTab tab) {
  View view = FrameView(frame);
  view.Text("settings_path", kSettingsAddress)
      .Text("tokens_path", kTokensAddress)
      .Text("new_token_path", kNewTokenAddress)
      .Text("password_path", kPasswordAddress)
      .Flag("tab_settings", tab == AccountTab::kSettings)
      .Flag("tab_tokens", tab == AccountTab::kTokens);
  return view;
}

void AddScope(View& view, Scope scope) {
  view.Flag("may_read", scope == Scope::kRead)
      .Flag("may_publish", scope == Scope::kPublish)
      .Flag("may_admin", scope == Scope::kAdmin);
}

std::vector<View> RoleViews(const std::vector<GrantedRole>& roles) {
  std::vector<View> views;
  views.reserve(roles.size());
  for (const GrantedRole& held : roles) {
    View view;
    view.Text("role_ns", held.ns).Text("role_path", NamespacePath(held.ns));
    view.Set("role", held.role);
    views.push_back(std::move(view));
  }
  return views;
}

// "oidc:kumo": the name of the provider; "": a password.
std::string SignInProviderOf(std::string_view method) {
  const std::size_t colon = method.find(':');
  return std::string(colon == method.npos ? "" : method.substr(colon + 1));
}

std::vector<View> SessionViews(const PageFrame& frame, const SettingsPage& page) {
  std::vector<View> views;
  views.reserve(page.sessions.size());
  for (const SessionRecord& session : page.sessions) {
    View view;
    view.Text("session_id", session.id)
        .Text("session_agent", session.user_agent)
        .Text("session_address", session.address)
        .Text("session_provider", SignInProviderOf(session.method))
        .Flag("is_this", session.id == page.this_session)
        .Flag("was_used", session.last_used_at.has_value())
        .Text("used",
              session.last_used_at ? AgoText(frame.language, *session.last_used_at, page.now) : "");
    AddMoment(view, "used", frame.language, session.last_used_at.value_or(0));
    AddMoment(view, "began", frame.language, session.created_at);
    AddMoment(view, "over", frame.language, session.expires_at);
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<View> OwnLanguageViews(const SettingsPage& page) {
  std::vector<View> views;
  for (Language language : kLanguages) {
    views.push_back(View()
                        .Text("own_code", LanguageCode(language))
                        .Text("own_tag", LanguageTag(language))
                        .Text("own_name", LanguageName(language))
                        .Flag("is_own", page.language == LanguageCode(language)));
  }
  return views;
}

std::vector<View> TokenViews(const PageFrame& frame, const TokensPage& page) {
  std::vector<View> views;
  views.reserve(page.tokens.size());
  for (const TokenRecord& token : page.tokens) {
    View view;
    std::vector<View> patterns;
    for (const std::string& pattern : token.namespaces) {
      patterns.push_back(View().Text("pattern", pattern));
    }
    view.Text("token_name", token.name)
        .Text("revoke_path", RevokeTokenPath(token.name))
        .Flag("is_for_all", token.namespaces.empty())
        .List("patterns", std::move(patterns))
        .Flag("was_used", token.last_used_at.has_value())
        .Text("used_from", token.last_used_from)
        .Flag("has_end", token.expires_at.has_value())
        .Flag("has_ended", token.expires_at && *token.expires_at <= page.now)
        .Text("key_left", token.expires_at ? LeftText(frame.language, *token.expires_at, page.now,
                                                      kTokenEndsSoon)
                                           : "");
    AddScope(view, token.scope);
    AddTime(view, "made", frame.language, token.created_at);
    AddTime(view, "used", frame.language, token.last_used_at.value_or(0));
    AddTime(view, "end", frame.language, token.expires_at.value_or(0));
    views.push_back(std::move(view));
  }
  return views;
}

// The command equivalent of the form, with sample values for empty fields.
std::string TokenCommand(const NewTokenPage& page, Scope scope, TokenLifetime end) {
  std::string command =
      fmt::format("koya token create {} --scope {}",
                  ShellWord(page.name.empty() ? "ci" : page.name), ScopeName(scope));
  for (std::string_view rest = page.namespaces; !rest.empty();) {
    const std::size_t at = std::min(rest.find_first_of(" ,\t\r\n"), rest.size());
    if (at > 0) command += " --namespace " + ShellWord(rest.substr(0, at));
    rest.remove_prefix(std::min(at + 1, rest.size()));
  }
  const std::string_view life = end == TokenLifetime::kUntilDay ? "90d" : TokenEndName(end);
  return fmt::format("{} --expires {} --server {}", command, life, page.url);
}

TokenLifetime ReadEnd(std::string_view text) {
  auto found = std::ranges::find(kTokenEnds, text, TokenEndName);
  return found == kTokenEnds.end() ? TokenLifetime::kQuarter : *found;
}

View ShellCode(std::string_view id, std::string_view code) {
  return CodeView(id, "shell", markup::Fragment::Code(code));
}

}  // namespace

std::string RevokeTokenPath(std::string_view name) {
  return fmt::format("{}/{}/revoke", kTokensAddress, PercentEncode(name));
}

std::string RenderSettings(const PageFrame& frame, const SettingsPage& page) {
  View view = AccountView(frame, AccountTab::kSettings);
  view.Flag("is_admin", page.is_admin)
      .Flag("has_roles", !page.roles.empty())
      .List("roles", RoleViews(page.roles))
      .Flag("has_more_roles", page.has_more_roles)
      .Flag("has_password", page.method == "password")
      .Text("provider", SignInProviderOf(page.method))
      .Text("sessions_address", kSessionsAddress)
      .Text("language_address", kOwnLanguageAddress)
      .List("own_languages", OwnLanguageViews(page))
      .List("sessions", SessionViews(frame, page))
      .Flag("has_others", page.sessions.size() > 1)
      .Text("sessions_left_out",
            page.sessions_left_out == 0 ? "" : NumberText(page.sessions_left_out));
  AddCommand(view, "koya session list\nkoya session end ID");
  return RenderTemplate("settings", frame.language, view);
}

std::string RenderPassword(const PageFrame& frame, const PasswordPage& page) {
  View view = AccountView(frame, AccountTab::kSettings);
  auto secret = [&](std::string_view name, std::string_view autocomplete, bool has_hint) {
    return std::optional(FieldView(frame.language, page.errors,
                                   {.name = name,
                                    .type = "password",
                                    .autocomplete = autocomplete,
                                    .most = 1000,
                                    .is_required = true,
                                    .has_hint = has_hint}));
  };
  view.Text("min", fmt::to_string(page.password_min))
      .Flag("is_throttled", page.retry_after.count() > 0)
      .Text("wait", DurationText(frame.language, page.retry_after))
      .Maybe("f_old", secret("old_password", "current-password", false))
      .Maybe("f_new", secret("password", "new-password", true))
      .Maybe("f_again", secret("password_again", "new-password", false));
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view, fmt::format("koya user password {} --old", ShellWord(frame.account)));
  return RenderTemplate("password", frame.language, view);
}

std::string RenderTokens(const PageFrame& frame, const TokensPage& page) {
  View view = AccountView(frame, AccountTab::kTokens);
  view.Flag("has_tokens", !page.tokens.empty())
      .List("tokens", TokenViews(frame, page))
      .Text("left_out", page.left_out == 0 ? "" : NumberText(page.left_out));
  AddCommand(view, "koya token list\nkoya token revoke NAME");
  return RenderTemplate("tokens", frame.language, view);
}

std::string RenderNewToken(const PageFrame& frame, const NewTokenPage& page) {
  View view = AccountView(frame, AccountTab::kTokens);
  const Scope scope = ParseScope(page.scope).value_or(Scope::kRead);
  const TokenLifetime end = ReadEnd(page.ends);
  auto field = [&](const FormField& of) {
    return std::optional(FieldView(frame.language, page.errors, of));
  };
  const FormField name{.name = "name", .value = page.name, .most = 64, .is_required = true};
  const FormField patterns{.name = "namespaces", .value = page.namespaces, .most = 2000};
  const FormField until{.name = "until", .value = page.until, .type = "date", .most = 10};
  view.Maybe("f_name", field(name))
      .Maybe("f_scope", field({.name = "scope", .has_hint = false}))
      .Maybe("f_namespaces", field(patterns))
      .Maybe("f_ends", field({.name = "ends", .has_hint = false}))
      .Maybe("f_until", field(until))
      .Flag("ends_month", end == TokenLifetime::kMonth)
      .Flag("ends_quarter", end == TokenLifetime::kQuarter)
      .Flag("ends_year", end == TokenLifetime::kYear)
      .Flag("ends_day", end == TokenLifetime::kUntilDay);
  AddScope(view, scope);
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view, TokenCommand(page, scope, end));
  return RenderTemplate("new_token", frame.language, view);
}

std::string RenderMadeToken(const PageFrame& frame, const MadeTokenPage& page) {
  View view = AccountView(frame, AccountTab::kTokens);
  std::optional<View> block;
  std::string shell = fmt::format("export KOYA_URL={}\nexport KOYA_TOKEN={}\n", ShellWord(page.url),
                                  ShellWord(page.text));
  if (page.host) {
    block = CodeView("credentials", "~/.tofurc, ~/.terraformrc",
                     markup::Fragment::Hcl(clients::CredentialsBlock(*page.host, page.text)));
    shell += clients::HowToSetToken(*page.host, page.text) + "\n";
  }
  view.Text("token_name", page.token.name)
      .Flag("has_end", page.token.expires_at.has_value())
      .Maybe("token", CodeView("token", page.token.name, markup::Fragment::Code(page.text)))
      .Maybe("credentials", std::move(block))
      .Maybe("environment", ShellCode("environment", shell));
  AddTime(view, "end", frame.language, page.token.expires_at.value_or(0));
  return RenderTemplate("made_token", frame.language, view);
}

}  // namespace koya::web
