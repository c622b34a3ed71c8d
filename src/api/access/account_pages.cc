// Account pages of the signed-in user: /-/settings, sessions, password, tokens.
#include "web/access/account_pages.h"

#include <algorithm>
#include <utility>

#include "api/common/page_form.h"
#include "api/common/paging.h"
#include "auth/password.h"
#include "base/text.h"
#include "service/access/accounts.h"
#include "service/access/tokens.h"
#include "service/sign_in/browser.h"
#include "service/sign_in/sessions.h"
#include "service/sign_in/sign_in.h"

namespace koya::api {
namespace {

constexpr std::size_t kRolesShown = 50;
constexpr std::size_t kSessionsShown = 50;
constexpr std::size_t kTokensShown = 200;
constexpr UnixSeconds kDay = 86400;

// ---- settings and sessions

// The page has forms with paths of their own.
struct OwnSettings : FormPage {
  using FormPage::FormPage;
  std::string ShownAt() const { return std::string(web::kSettingsAddress); }
};

Task<std::string> ShowSettings(OwnSettings& page) {
  ASSIGN_OR_CO_RETURN(std::vector<SessionRecord> sessions,
                      co_await page.services.sign_in.sessions.List(page.by, page.by.name));
  const AccountRights& own = *page.by.account;
  web::SettingsPage shown{.is_admin = own.account.admin,
                          .roles = own.roles,
                          .has_more_roles = own.roles.size() > kRolesShown,
                          .this_session = page.visit.visitor()->session,
                          .language = own.account.language,
                          .now = page.services.clock.Now()};
  shown.roles.resize(std::min(shown.roles.size(), kRolesShown));
  auto current = std::ranges::find(sessions, shown.this_session, &SessionRecord::id);
  if (current != sessions.end()) {
    shown.method = current->method;
    std::rotate(sessions.begin(), current, current + 1);
  }
  shown.sessions_left_out = CutTo(sessions, kSessionsShown);
  shown.sessions = std::move(sessions);
  co_return web::RenderSettings(page.visit.Frame(), shown);
}

Task<Outcome> EndOwnSessions(OwnSettings& page) {
  service::Sessions& sessions = page.services.sign_in.sessions;
  const std::string wanted = page.form.Get("end");
  ASSIGN_OR_CO_RETURN(std::vector<SessionRecord> own,
                      co_await sessions.List(page.by, page.by.name));
  bool ended = false;
  for (const SessionRecord& session : own) {
    // The session of this very browser is ended by signing out.
    const bool meant = wanted == "others" || wanted == session.id;
    if (!meant || session.id == page.visit.visitor()->session) continue;
    Status done = co_await sessions.EndById(page.by, session.id);
    if (!done && done.error().kind != ErrorKind::kNotFound) {
      co_return Failure(std::move(done).error());
    }
    page.Log("session ended", "session", session.id);
    ended = true;
  }
  co_return page.Done(page.ShownAt(), ended ? "session_ended" : "session_gone");
}

Task<Outcome> ChangeOwnLanguage(OwnSettings& page) {
  std::string language = page.form.Get("language");
  if (language == "auto") language.clear();
  CO_RETURN_IF_ERROR(co_await page.services.rights.accounts.SetLanguage(page.by, page.by.name,
                                                                        std::move(language)));
  page.Log("language set", "user", page.by.name);
  // The language chosen in this browser before would override it.
  page.visit.SetCookie(kLanguageCookie, "", std::chrono::seconds(0));
  co_return page.Done(page.ShownAt(), "saved");
}

// ---- tokens

Task<std::vector<TokenRecord>> OwnTokens(FormPage& page) {
  ASSIGN_OR_CO_RETURN(std::vector<TokenRecord> tokens,
                      co_await page.services.rights.tokens.List(page.by));
  // For administrators the list has the tokens of all accounts.
  std::erase_if(tokens, [&by = page.by](const TokenRecord& token) {
    return token.account_id != by.account_id();
  });
  co_return tokens;
}

Task<std::string> ShowTokens(FormPage& page) {
  web::TokensPage shown{.now = page.services.clock.Now()};
  ASSIGN_OR_CO_RETURN(shown.tokens, co_await OwnTokens(page));
  shown.left_out = CutTo(shown.tokens, kTokensShown);
  co_return web::RenderTokens(page.visit.Frame(), shown);
}

Task<std::string> ShowNewToken(FormPage& page) {
  const web::NewTokenPage shown{.name = page.form.Get("name"),
                                .scope = page.form.Get("scope"),
                                .namespaces = page.form.Get("namespaces"),
                                .ends = page.form.Get("ends"),
                                .until = page.form.Get("until"),
                                .url = page.services.url,
                                .errors = page.errors};
  co_return web::RenderNewToken(page.visit.Frame(), shown);
}

// How long a token lasts that is to end as the form says; nullopt: it says nothing that can be.
std::optional<std::chrono::seconds> LifeOf(std::string_view ends, std::string_view until,
                                           UnixSeconds now) {
  if (ends != web::TokenEndName(web::TokenLifetime::kUntilDay)) {
    const bool known =
        std::ranges::find(web::kTokenEnds, ends, web::TokenEndName) != web::kTokenEnds.end();
    return known ? ParseDuration(ends) : std::nullopt;
  }
  constexpr std::size_t kDayLength = std::string_view("2027-01-31").size();
  const std::optional<UnixSeconds> day =
      until.size() == kDayLength ? ParseRfc3339(until) : std::nullopt;
  if (!day || *day + kDay <= now) return std::nullopt;
  return std::chrono::seconds(*day + kDay - now);
}

// Adds the errors of the form.
service::NewToken ReadNewToken(FormPage& page) {
  service::NewToken token{.name = page.form.Get("name"),
                          .namespaces = SplitField(page.form.Get("namespaces"), " ,\t\r\n")};
  if (!auth::CheckTokenName(token.name)) page.errors.Add("name", "token_name");
  const std::optional<Scope> scope = ParseScope(page.form.Get("scope"));
  if (!scope) page.errors.Add("scope", "unknown_choice");
  token.scope = scope.value_or(Scope::kRead);
  const bool good = std::ranges::all_of(token.namespaces, [](const std::string& pattern) {
    return auth::CheckNamespacePattern(pattern).has_value();
  });
  if (!good) page.errors.Add("namespaces", "patterns");
  std::string_view ends = page.form.Get("ends");
  if (ends.empty()) ends = web::TokenEndName(web::TokenLifetime::kQuarter);
  token.expires = LifeOf(ends, page.form.Get("until"), page.services.clock.Now());
  const bool by_day = ends == web::TokenEndName(web::TokenLifetime::kUntilDay);
  if (!token.expires) page.errors.Add(by_day ? "until" : "ends", by_day ? "day" : "unknown_choice");
  return token;
}

Result<Outcome> RejectedToken(FormPage& page, const Error& error) {
  page.log_detail = error.message;
  if (error.kind == ErrorKind::kConflict) {
    page.errors.Add("name", "token_taken");
    return kFormAgain;
  }
  if (error.kind != ErrorKind::kUnavailable) return page.Reject("", error);
  page.errors.Add("", "not_stored");
  page.status = 503;
  page.retry_after = 1;
  return kFormAgain;
}

Task<Outcome> MakeToken(FormPage& page) {
  service::NewToken wanted = ReadNewToken(page);
  if (!page.errors.empty()) co_return kFormAgain;
  Result<service::CreatedToken> made =
      co_await page.services.rights.tokens.Create(page.by, std::move(wanted));
  if (!made) co_return RejectedToken(page, made.error());
  page.Log("token created", "token", made->record.name);
  web::MadeTokenPage shown{.token = std::move(made->record),
                           .text = std::move(made->text),
                           .url = page.services.url,
                           .host = std::nullopt};
  Result<HostName> host = HostName::ParseWire(page.services.host());
  if (host) shown.host = *std::move(host);
  co_return page.visit.Page(200, web::RenderMadeToken(page.visit.Frame(), shown));
}

Task<TokenRecord> OwnToken(FormPage& page) {
  ASSIGN_OR_CO_RETURN(std::vector<TokenRecord> tokens, co_await OwnTokens(page));
  auto token = std::ranges::find(tokens, page.call.path("name"), &TokenRecord::name);
  if (token == tokens.end()) co_return FailNotFound("you have no such token");
  co_return std::move(*token);
}

Task<web::ConfirmPage> AskRevokeToken(FormPage& page) {
  ASSIGN_OR_CO_RETURN(TokenRecord token, co_await OwnToken(page));
  co_return web::ConfirmPage{.key = "revoke_token",
                             .what = token.name,
                             .action = web::RevokeTokenPath(token.name),
                             .back = std::string(web::kTokensAddress),
                             .command = "koya token revoke " + web::ShellWord(token.name)};
}

Task<void> RevokeIfOwn(FormPage& page) {
  ASSIGN_OR_CO_RETURN(TokenRecord token, co_await OwnToken(page));
  co_return co_await page.services.rights.tokens.Revoke(page.by, std::move(token.name));
}

Task<Outcome> RevokeOwnToken(FormPage& page) {
  const std::string name(page.call.path("name"));
  // Another client may have been faster, on the command line perhaps.
  const Status revoked = co_await RevokeIfOwn(page);
  if (revoked) page.Log("token revoked", "token", name);
  co_return page.Removed(revoked, std::string(web::kTokensAddress),
                         {.removed = "token_revoked", .gone = "token_gone"}, name);
}

// ---- the password

Task<std::string> ShowPassword(FormPage& page) {
  const web::PasswordPage shown{.password_min = auth::kShortestPassword,
                                .errors = page.errors,
                                .retry_after = std::chrono::seconds(page.retry_after)};
  co_return web::RenderPassword(page.visit.Frame(), shown);
}

void CheckPasswords(FormPage& page) {
  const std::string& password = page.form.Get("password");
  if (page.form.Get("old_password").empty()) page.errors.Add("old_password", "required");
  const Status good = auth::CheckNewPassword(password, page.by.name);
  if (!good)
    page.errors.AddError("password", web::Refusal::Of(good.error(), web::Typed::kPassword));
  if (password != page.form.Get("password_again")) {
    page.errors.Add("password_again", "passwords_differ");
  }
}

Result<Outcome> RejectedPassword(FormPage& page, const Error& error) {
  page.log_detail = error.message;
  if (error.kind == ErrorKind::kUnauthenticated) {
    page.status = 403;
    page.errors.Add("old_password", "old_password_wrong");
  } else if (error.kind == ErrorKind::kThrottled) {
    page.status = 429;
    page.retry_after = std::max(error.retry_after, 1U);
  } else if (error.kind == ErrorKind::kInvalid) {
    page.errors.AddError("password", web::Refusal::Of(error, web::Typed::kPassword));
  } else {
    return Failure(error);
  }
  return kFormAgain;
}

Task<Outcome> ChangeOwnPassword(FormPage& page) {
  CheckPasswords(page);
  if (!page.errors.empty()) co_return kFormAgain;
  service::Browser browser = page.visit.Browser();
  const Status changed = co_await page.services.sign_in.sign_in.ChangePassword(
      page.by, std::move(browser), page.form.Get("old_password"), page.form.Get("password"));
  if (!changed) co_return RejectedPassword(page, changed.error());
  page.Log("password set", "user", page.by.name);
  co_return page.Done(std::string(web::kSettingsAddress), "password_changed");
}

}  // namespace

// The account pages of the signed-in user.
std::span<const Route> AccountPageRoutes() {
  static constexpr Route kRoutes[] = {
      PageRow<ShowSettings>("/-/settings", "Show your account settings"),
      FormRow<ShowSettings, EndOwnSessions>("/-/settings/sessions",
                                            "End one or all of your other sessions"),
      FormRow<ShowSettings, ChangeOwnLanguage>("/-/settings/language",
                                               "Set the language of your account's pages"),
      PageRow<ShowPassword>("/-/settings/password", "Show the form to change your password"),
      FormRow<ShowPassword, ChangeOwnPassword>("/-/settings/password", "Change your password"),
      PageRow<ShowTokens>("/-/settings/tokens", "Show your tokens"),
      PageRow<ShowNewToken>("/-/settings/tokens/new", "Show the form to create a token"),
      FormRow<ShowNewToken, MakeToken>("/-/settings/tokens/new",
                                       "Create a token, and show it once"),
      PageRow<AskRevokeToken>("/-/settings/tokens/{name}/revoke",
                              "Show the form to confirm that a token is revoked"),
      FormRow<AskRevokeToken, RevokeOwnToken>("/-/settings/tokens/{name}/revoke",
                                              "Revoke one of your tokens"),
  };
  return kRoutes;
}

}  // namespace koya::api
