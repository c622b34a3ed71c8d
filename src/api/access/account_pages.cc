// Account pages of the signed-in user: /-/settings, sessions, password, tokens.
#include "web/access/account_pages.h"

#include <algorithm>
#include <utility>

#include "api/common/page_context.h"
#include "api/common/page_form.h"
#include "api/common/page_number.h"
#include "api/common/route.h"
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

Task<std::vector<SessionRecord>> OwnSessions(const PageContext& visit) {
  const auth::Principal by = SignedInPrincipal(visit);
  const std::string user = visit.visitor()->user;
  co_return co_await visit.services().sign_in.sessions.List(by, user);
}

web::SettingsPage SettingsFor(const PageContext& visit, std::vector<SessionRecord> sessions) {
  const AccountRights& own = *visit.visitor()->principal->account;
  web::SettingsPage page{.is_admin = own.account.admin,
                         .roles = own.roles,
                         .has_more_roles = own.roles.size() > kRolesShown,
                         .this_session = visit.visitor()->session,
                         .language = own.account.language,
                         .now = visit.services().clock.Now()};
  page.roles.resize(std::min(page.roles.size(), kRolesShown));
  auto current = std::ranges::find(sessions, page.this_session, &SessionRecord::id);
  if (current != sessions.end()) {
    page.method = current->method;
    std::rotate(sessions.begin(), current, current + 1);
  }
  page.sessions_left_out = CutTo(sessions, kSessionsShown);
  page.sessions = std::move(sessions);
  return page;
}

// ---- tokens

Task<std::vector<TokenRecord>> OwnTokens(const PageContext& visit) {
  const auth::Principal by = SignedInPrincipal(visit);
  ASSIGN_OR_CO_RETURN(std::vector<TokenRecord> tokens,
                      co_await visit.services().rights.tokens.List(by));
  // For administrators the list has the tokens of all accounts.
  std::erase_if(tokens,
                [&by](const TokenRecord& token) { return token.account_id != by.account_id(); });
  co_return tokens;
}

Task<TokenRecord> OwnToken(const PageContext& visit, std::string name) {
  ASSIGN_OR_CO_RETURN(std::vector<TokenRecord> tokens, co_await OwnTokens(visit));
  auto token = std::ranges::find(tokens, name, &TokenRecord::name);
  if (token == tokens.end()) co_return FailNotFound("you have no such token");
  co_return std::move(*token);
}

web::NewTokenPage NewTokenFrom(const Form& form, const Services& services) {
  return {.name = form.Get("name"),
          .scope = form.Get("scope"),
          .namespaces = form.Get("namespaces"),
          .ends = form.Get("ends"),
          .until = form.Get("until"),
          .url = services.url};
}

std::vector<std::string> PatternsOf(std::string_view text) {
  std::vector<std::string> patterns;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" ,\t\r\n"), text.size());
    if (end > 0) patterns.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return patterns;
}

// How long a token lasts that is to end as the form says; nullopt: it says nothing that can be.
std::optional<std::chrono::seconds> LifeOf(const web::NewTokenPage& page, UnixSeconds now) {
  if (page.ends != web::TokenEndName(web::TokenLifetime::kUntilDay)) {
    const bool known =
        std::ranges::find(web::kTokenEnds, page.ends, web::TokenEndName) != web::kTokenEnds.end();
    return known ? ParseDuration(page.ends) : std::nullopt;
  }
  constexpr std::size_t kDayLength = std::string_view("2027-01-31").size();
  const std::optional<UnixSeconds> day =
      page.until.size() == kDayLength ? ParseRfc3339(page.until) : std::nullopt;
  if (!day || *day + kDay <= now) return std::nullopt;
  return std::chrono::seconds(*day + kDay - now);
}

// Parses the form; adds problems to page.errors.
service::NewToken ReadNewToken(web::NewTokenPage& page, UnixSeconds now) {
  if (page.ends.empty()) page.ends = web::TokenEndName(web::TokenLifetime::kQuarter);
  service::NewToken token{.name = page.name, .namespaces = PatternsOf(page.namespaces)};
  if (!auth::CheckTokenName(page.name)) page.errors.Add("name", "token_name");
  const std::optional<Scope> scope = ParseScope(page.scope);
  if (!scope) page.errors.Add("scope", "unknown_choice");
  token.scope = scope.value_or(Scope::kRead);
  const bool good = std::ranges::all_of(token.namespaces, [](const std::string& pattern) {
    return auth::CheckNamespacePattern(pattern).has_value();
  });
  if (!good) page.errors.Add("namespaces", "patterns");
  token.expires = LifeOf(page, now);
  const bool by_day = page.ends == web::TokenEndName(web::TokenLifetime::kUntilDay);
  if (!token.expires) page.errors.Add(by_day ? "until" : "ends", by_day ? "day" : "unknown_choice");
  return token;
}

// The form again, with the error; errors that the form cannot show are passed on.
Result<http::Response> RefusedToken(const PageContext& visit, web::NewTokenPage page, Error error) {
  unsigned status = 422;
  if (error.kind == ErrorKind::kConflict) {
    page.errors.Add("name", "token_taken");
  } else if (error.kind == ErrorKind::kUnavailable) {
    page.errors.Add("", "not_stored");
    status = 503;
  } else if (IsAboutForm(error.kind)) {
    page.errors.AddError("", web::Refusal::Of(error));
  } else {
    return Failure(std::move(error));
  }
  http::Response reply = visit.Page(status, web::RenderNewToken(visit.Frame(), page));
  if (status == 503) reply.fields.emplace_back("Retry-After", "1");
  reply.log_detail = error.message;
  return reply;
}

http::Response MadeToken(const PageContext& visit, service::CreatedToken made) {
  web::MadeTokenPage page{.token = std::move(made.record),
                          .text = std::move(made.text),
                          .url = visit.services().url,
                          .host = std::nullopt};
  Result<HostName> host = HostName::ParseWire(visit.services().host());
  if (host) page.host = *std::move(host);
  return visit.Page(200, web::RenderMadeToken(visit.Frame(), page));
}

// ---- the password

web::PasswordPage CheckPasswords(const Form& form, const std::string& user) {
  web::PasswordPage page{.password_min = auth::kShortestPassword};
  if (form.Get("old_password").empty()) page.errors.Add("old_password", "required");
  const Status good = auth::CheckNewPassword(form.Get("password"), user);
  if (!good)
    page.errors.AddError("password", web::Refusal::Of(good.error(), web::Typed::kPassword));
  if (form.Get("password") != form.Get("password_again")) {
    page.errors.Add("password_again", "passwords_differ");
  }
  return page;
}

Result<http::Response> RefusedPassword(const PageContext& visit, web::PasswordPage page,
                                       Error error) {
  unsigned status = 422;
  if (error.kind == ErrorKind::kUnauthenticated) {
    status = 403;
    page.errors.Add("old_password", "old_password_wrong");
  } else if (error.kind == ErrorKind::kThrottled) {
    status = 429;
    page.retry_after = std::chrono::seconds(std::max(error.retry_after, 1U));
  } else if (error.kind == ErrorKind::kInvalid) {
    page.errors.AddError("password", web::Refusal::Of(error, web::Typed::kPassword));
  } else {
    return Failure(std::move(error));
  }
  http::Response reply = visit.Page(status, web::RenderPassword(visit.Frame(), page));
  if (status == 429) {
    reply.fields.emplace_back("Retry-After", std::to_string(page.retry_after.count()));
  }
  reply.log_detail = error.message;
  return reply;
}

Task<http::Response> ShowSettings(Call& /*call*/, const PageContext& visit) {
  ASSIGN_OR_CO_RETURN(std::vector<SessionRecord> sessions, co_await OwnSessions(visit));
  const web::SettingsPage page = SettingsFor(visit, std::move(sessions));
  co_return visit.Page(200, web::RenderSettings(visit.Frame(), page));
}

Task<http::Response> EndOwnSessions(Call& call) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(SentForm sent,
                      co_await TakeForm(call, visit, std::string(web::kSettingsAddress)));
  if (sent.instead) co_return *std::move(sent.instead);
  const std::string wanted = sent.form.Get("end");
  const auth::Principal by = SignedInPrincipal(visit);
  ASSIGN_OR_CO_RETURN(std::vector<SessionRecord> sessions, co_await OwnSessions(visit));
  bool ended = false;
  for (const SessionRecord& session : sessions) {
    // The session of this very browser is ended by signing out.
    const bool meant = wanted == "others" || wanted == session.id;
    if (!meant || session.id == visit.visitor()->session) continue;
    Status done = co_await call.services.sign_in.sessions.EndById(by, session.id);
    if (!done && done.error().kind != ErrorKind::kNotFound) {
      co_return Failure(std::move(done).error());
    }
    LogChange(visit, "session ended", "session", session.id);
    ended = true;
  }
  const web::Notice notice{.key = ended ? "session_ended" : "session_gone", .what = ""};
  co_return visit.GoTo(std::string(web::kSettingsAddress), notice);
}

Task<http::Response> ChangeOwnLanguage(Call& call) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(SentForm sent,
                      co_await TakeForm(call, visit, std::string(web::kSettingsAddress)));
  if (sent.instead) co_return *std::move(sent.instead);
  std::string language = sent.form.Get("language");
  if (language == "auto") language.clear();
  const auth::Principal by = SignedInPrincipal(visit);
  const std::string user = visit.visitor()->user;
  CO_RETURN_IF_ERROR(
      co_await call.services.rights.accounts.SetLanguage(by, user, std::move(language)));
  LogChange(visit, "language set", "user", user);
  // The language chosen in this browser before would override it.
  visit.SetCookie(kLanguageCookie, "", std::chrono::seconds(0));
  co_return visit.GoTo(std::string(web::kSettingsAddress), {.key = "saved", .what = ""});
}

Task<http::Response> ShowPassword(Call& /*call*/, const PageContext& visit) {
  const web::PasswordPage page{.password_min = auth::kShortestPassword};
  co_return visit.Page(200, web::RenderPassword(visit.Frame(), page));
}

Task<http::Response> ChangeOwnPassword(Call& call) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(SentForm sent,
                      co_await TakeForm(call, visit, std::string(web::kPasswordAddress)));
  if (sent.instead) co_return *std::move(sent.instead);
  web::PasswordPage page = CheckPasswords(sent.form, visit.visitor()->user);
  if (!page.errors.empty()) {
    co_return visit.Page(422, web::RenderPassword(visit.Frame(), page));
  }
  const auth::Principal by = SignedInPrincipal(visit);
  service::Browser browser = visit.Browser();
  Status changed = co_await call.services.sign_in.sign_in.ChangePassword(
      by, std::move(browser), sent.form.Get("old_password"), sent.form.Get("password"));
  if (!changed) co_return RefusedPassword(visit, std::move(page), std::move(changed).error());
  LogChange(visit, "password set", "user", visit.visitor()->user);
  const web::Notice notice{.key = "password_changed", .what = ""};
  co_return visit.GoTo(std::string(web::kSettingsAddress), notice);
}

Task<http::Response> ShowTokens(Call& call, const PageContext& visit) {
  ASSIGN_OR_CO_RETURN(std::vector<TokenRecord> tokens, co_await OwnTokens(visit));
  web::TokensPage page{.now = call.services.clock.Now()};
  page.left_out = CutTo(tokens, kTokensShown);
  page.tokens = std::move(tokens);
  co_return visit.Page(200, web::RenderTokens(visit.Frame(), page));
}

Task<http::Response> ShowNewToken(Call& call, const PageContext& visit) {
  const web::NewTokenPage page{.url = call.services.url};
  co_return visit.Page(200, web::RenderNewToken(visit.Frame(), page));
}

Task<http::Response> MakeToken(Call& call) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(SentForm sent,
                      co_await TakeForm(call, visit, std::string(web::kNewTokenAddress)));
  if (sent.instead) co_return *std::move(sent.instead);
  web::NewTokenPage page = NewTokenFrom(sent.form, call.services);
  service::NewToken wanted = ReadNewToken(page, call.services.clock.Now());
  if (!page.errors.empty()) {
    co_return visit.Page(422, web::RenderNewToken(visit.Frame(), page));
  }
  const auth::Principal by = SignedInPrincipal(visit);
  Result<service::CreatedToken> made =
      co_await call.services.rights.tokens.Create(by, std::move(wanted));
  if (!made) co_return RefusedToken(visit, std::move(page), std::move(made).error());
  LogChange(visit, "token created", "token", made->record.name);
  co_return MadeToken(visit, *std::move(made));
}

Task<http::Response> AskRevokeToken(Call& call, const PageContext& visit) {
  ASSIGN_OR_CO_RETURN(TokenRecord token, co_await OwnToken(visit, std::string(call.path("name"))));
  const web::ConfirmPage page{.key = "revoke_token",
                              .what = token.name,
                              .action = web::RevokeTokenPath(token.name),
                              .back = std::string(web::kTokensAddress),
                              .command = "koya token revoke " + web::ShellWord(token.name)};
  co_return visit.Page(200, web::RenderConfirm(visit.Frame(), page));
}

Task<http::Response> RevokeOwnToken(Call& call) {
  PageContext visit(call.request(), call.services);
  const std::string name(call.path("name"));
  ASSIGN_OR_CO_RETURN(SentForm sent, co_await TakeForm(call, visit, web::RevokeTokenPath(name)));
  if (sent.instead) co_return *std::move(sent.instead);
  // Another client may have been faster, on the command line perhaps.
  web::Notice notice{.key = "token_gone", .what = name};
  Result<TokenRecord> token = co_await OwnToken(visit, name);
  if (token) {
    const auth::Principal by = SignedInPrincipal(visit);
    Status revoked = co_await call.services.rights.tokens.Revoke(by, name);
    if (!revoked && revoked.error().kind != ErrorKind::kNotFound) {
      co_return Failure(std::move(revoked).error());
    }
    if (revoked) {
      notice.key = "token_revoked";
      LogChange(visit, "token revoked", "token", name);
    }
  } else if (token.error().kind != ErrorKind::kNotFound) {
    co_return Failure(std::move(token).error());
  }
  co_return visit.GoTo(std::string(web::kTokensAddress), notice);
}

}  // namespace

// The account pages of the signed-in user.
std::span<const Route> AccountPageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/-/settings", Access::kPage, ResourceScope::kNone, ForSignedIn<ShowSettings>,
                 "Show your account settings"),
      Route::Post("/-/settings/sessions", Access::kPage, BodyLimit::kForm, EndOwnSessions,
                  "End one or all of your other sessions"),
      Route::Post("/-/settings/language", Access::kPage, BodyLimit::kForm, ChangeOwnLanguage,
                  "Set the language of your account's pages"),
      Route::Get("/-/settings/password", Access::kPage, ResourceScope::kNone,
                 ForSignedIn<ShowPassword>, "Show the form to change your password"),
      Route::Post("/-/settings/password", Access::kPage, BodyLimit::kForm, ChangeOwnPassword,
                  "Change your password"),
      Route::Get("/-/settings/tokens", Access::kPage, ResourceScope::kNone, ForSignedIn<ShowTokens>,
                 "Show your tokens"),
      Route::Get("/-/settings/tokens/new", Access::kPage, ResourceScope::kNone,
                 ForSignedIn<ShowNewToken>, "Show the form to create a token"),
      Route::Post("/-/settings/tokens/new", Access::kPage, BodyLimit::kForm, MakeToken,
                  "Create a token, and show it once"),
      Route::Get("/-/settings/tokens/{name}/revoke", Access::kPage, ResourceScope::kNone,
                 ForSignedIn<AskRevokeToken>, "Show the form to confirm that a token is revoked"),
      Route::Post("/-/settings/tokens/{name}/revoke", Access::kPage, BodyLimit::kForm,
                  RevokeOwnToken, "Revoke one of your tokens"),
  };
  return kRoutes;
}

}  // namespace koya::api
