#include "web/access/account_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/encoding.h"
#include "clients/client_settings.h"
#include "domain/access.h"
#include "web/common/page_paths.h"
#include "web/common/template_engine.h"
#include "web/common/text_safety.h"
#include "web/common/view.h"

namespace koya::web {
KOYA_VIEW(GrantedRole, ns, role);
KOYA_VIEW(Notification, kind, address, version, at);
KOYA_VIEW(MailLinkPage, state, key);
KOYA_VIEW(NotificationsPage, unseen, is_beginning, watches_left_out, sends_mail);
KOYA_VIEW(SettingsPage, is_admin, roles, has_more_roles, method, sessions_left_out, now);

namespace {

// From then on the list says how long a token lasts.
constexpr std::chrono::days kTokenEndsSoon{30};

// "oidc:kumo": the name of the provider; "": a password.
std::string SignInProviderOf(std::string_view method) {
  const std::size_t colon = method.find(':');
  return std::string(colon == method.npos ? "" : method.substr(colon + 1));
}

View OwnSessionView(const SettingsPage& page, const SessionRecord& session) {
  return View()
      .Of(session)
      .Set("provider", SignInProviderOf(session.method))
      .Set("is_this", session.id == page.this_session);
}

View OwnLanguageView(const SettingsPage& page, Language language) {
  return View()
      .Set("code", LanguageCode(language))
      .Set("tag", LanguageTag(language))
      .Set("name", LanguageName(language))
      .Set("is_own", page.language == LanguageCode(language));
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

// The page of what a notification is about.
std::string PathOf(const Notification& event) {
  if (event.kind == NotificationKind::kTokenEnds) return std::string(kTokensAddress);
  if (event.kind == NotificationKind::kKeyEnds) return NamespacePath(event.address) + "/keys";
  // A withdrawn version has no page of its own but the one that says so.
  return event.of == WatchKind::kProvider ? ProviderPath(event.address, event.version)
                                          : ModulePath(event.address, event.version);
}

View WatchView(const WatchRecord& watch) {
  const std::string path = watch.kind == WatchKind::kModule     ? ModulePath(watch.address)
                           : watch.kind == WatchKind::kProvider ? ProviderPath(watch.address)
                                                                : NamespacePath(watch.address);
  return View()
      .Set("kind_name", WatchKindName(watch.kind))
      .Set("address", watch.address)
      .Set("mail", watch.mail)
      .Set("since", watch.since)
      .Set("path", path);
}

TokenLifetime ReadEnd(std::string_view text) {
  auto found = std::ranges::find(kTokenEnds, text, TokenEndName);
  return found == kTokenEnds.end() ? TokenLifetime::kQuarter : *found;
}

}  // namespace

View TokenView(const PageFrame& frame, const TokenRecord& token, UnixSeconds now) {
  const UnixSeconds end = token.expires_at.value_or(0);
  return View()
      .Of(token)
      .Set("has_ended", token.expires_at && end <= now)
      .Set("key_left", LeftText(frame.language, end, now, kTokenEndsSoon));
}

std::string RevokeTokenPath(std::string_view name) {
  return fmt::format("{}/{}/revoke", kTokensAddress, PercentEncode(name));
}

std::string RenderSettings(const PageFrame& frame, const SettingsPage& page) {
  View view = FrameView(frame).Set("tab", "settings").Of(page);
  view.Set("provider", SignInProviderOf(page.method))
      .List("own_languages", kLanguages,
            [&page](Language language) { return OwnLanguageView(page, language); })
      .List("sessions", page.sessions,
            [&page](const SessionRecord& session) { return OwnSessionView(page, session); })
      .Set("has_others", page.sessions.size() > 1);
  AddCommand(view, "koya session list\nkoya session end ID");
  return RenderTemplate("settings", frame.language, view);
}

std::string RenderPassword(const PageFrame& frame, const PasswordPage& page) {
  View view = FrameView(frame);
  auto secret = [&](std::string_view name, std::string_view autocomplete, bool has_hint) {
    return FieldView(frame.language, page.errors,
                     {.name = name,
                      .type = "password",
                      .autocomplete = autocomplete,
                      .most = 1000,
                      .is_required = true,
                      .has_hint = has_hint});
  };
  view.Set("password_min", page.password_min)
      .Set("wait", page.retry_after)
      .Set("f_old", secret("old_password", "current-password", false))
      .Set("f_new", secret("password", "new-password", true))
      .Set("f_again", secret("password_again", "new-password", false));
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view, fmt::format("koya user password {} --old", ShellWord(frame.account)));
  return RenderTemplate("password", frame.language, view);
}

std::string RenderTokens(const PageFrame& frame, const TokensPage& page) {
  View view = FrameView(frame).Set("tab", "tokens");
  view.List("tokens", page.tokens,
            [&](const TokenRecord& token) { return TokenView(frame, token, page.now); })
      .Set("left_out", page.left_out);
  AddCommand(view, "koya token list\nkoya token revoke NAME");
  return RenderTemplate("tokens", frame.language, view);
}

std::string RenderNotifications(const PageFrame& frame, const NotificationsPage& page) {
  View view = FrameView(frame).Set("tab", "notifications").Of(page);
  view.Set("latest_id", std::to_string(page.latest))
      .Set("older_path", page.older == 0
                             ? std::string()
                             : fmt::format("{}?before={}", kNotificationsAddress, page.older))
      .List("events", page.events,
            [](const ShownNotification& shown) {
              return View()
                  .Of(shown.event)
                  .Set("is_unseen", shown.is_unseen)
                  .Set("path", PathOf(shown.event));
            })
      .List("watches", page.watches, WatchView)
      .Set("email", page.address.email)
      .Set("email_asked", page.address.asked)
      .Set("mail_ended", page.address.is_ended)
      .Set("f_email", FieldView(frame.language, page.errors,
                                {.name = "email",
                                 .value = page.typed_email,
                                 .type = "email",
                                 .autocomplete = "email",
                                 .most = 254,
                                 .is_required = true,
                                 .has_hint = false}));
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view, "koya watch ADDRESS\nkoya watch --list\nkoya watch ADDRESS --end");
  return RenderTemplate("notifications", frame.language, view);
}

std::string RenderMailLink(const PageFrame& frame, const MailLinkPage& page) {
  const std::string_view action = page.action.empty() ? std::string_view() : LocalPath(page.action);
  const View view = FrameView(frame, SignInLink::kHidden).Of(page).Set("action", action);
  return RenderTemplate("mail_link", frame.language, view);
}

std::string RenderNewToken(const PageFrame& frame, const NewTokenPage& page) {
  View view = FrameView(frame);
  const Scope scope = ParseScope(page.scope).value_or(Scope::kRead);
  const TokenLifetime end = ReadEnd(page.ends);
  auto field = [&](const FormField& of) { return FieldView(frame.language, page.errors, of); };
  view.Set("f_name", field({.name = "name", .value = page.name, .most = 64, .is_required = true}))
      .Set("f_scope", field({.name = "scope", .has_hint = false}))
      .Set("f_namespaces", field({.name = "namespaces", .value = page.namespaces, .most = 2000}))
      .Set("f_ends", field({.name = "ends", .has_hint = false}))
      .Set("f_until", field({.name = "until", .value = page.until, .type = "date", .most = 10}))
      .Set("scope", scope)
      .Set("ends", end);
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view, TokenCommand(page, scope, end));
  return RenderTemplate("new_token", frame.language, view);
}

std::string RenderMadeToken(const PageFrame& frame, const MadeTokenPage& page) {
  std::optional<View> block;
  std::string shell = fmt::format("export KOYA_URL={}\nexport KOYA_TOKEN={}\n", ShellWord(page.url),
                                  ShellWord(page.text));
  if (page.host) {
    block = CodeView("credentials", "~/.tofurc, ~/.terraformrc",
                     markup::Fragment::Hcl(clients::CredentialsBlock(*page.host, page.text)));
    shell += clients::HowToSetToken(*page.host, page.text) + "\n";
  }
  View view = FrameView(frame);
  view.Set("expires_at", page.token.expires_at)
      .Set("token", CodeView("token", page.token.name, markup::Fragment::Code(page.text)))
      .Set("credentials", block)
      .Set("environment", CodeView("environment", "shell", markup::Fragment::Code(shell)));
  return RenderTemplate("made_token", frame.language, view);
}

}  // namespace koya::web
