#include "service/sign_in/sessions.h"
#include "api/common/call.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "auth/principal.h"
#include "base/clock.h"
#include "base/text.h"
#include "domain/access.h"
#include "domain/credential_record.h"
#include "obs/log.h"
#include "service/access/accounts.h"
#include "service/sign_in/browser.h"
#include "service/sign_in/sign_in.h"
#include "wire/accounts.h"
#include "wire/sign_in.h"

namespace koya::api {
namespace {

http::Response NothingToSay() {
  http::Response reply;
  reply.status = 204;
  return reply;
}

wire::Session ToWireSession(const SessionRecord& record) {
  wire::Session session{.id = record.id,
                        .user = record.user,
                        .method = record.method,
                        .address = record.address,
                        .user_agent = record.user_agent,
                        .created_at = FormatRfc3339(record.created_at),
                        .expires_at = FormatRfc3339(record.expires_at)};
  if (record.last_used_at) session.last_used_at = FormatRfc3339(*record.last_used_at);
  return session;
}

// A token without an account has no sessions of its own: it must be an administrator's. Fails:
// kForbidden.
Status RequireSomebody(const auth::Principal& by) {
  if (by.account) return {};
  RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  return by.RequireAllNamespaces();
}

// A request with the current password may change only the caller's own. Fails: kForbidden,
// kInvalid.
Status RequireOwn(const auth::Principal& by, std::string_view user,
                  const wire::PasswordRequest& wanted) {
  if (!by.account || !EqualsIgnoreCase(by.account->account.name, user)) {
    return FailForbidden(
        "old_password changes only the caller's own password: use a token of that user, or "
        "an administrator's without old_password");
  }
  if (wanted.password) return {};
  return FailInvalid("old_password requires a new password");
}

void LogPassword(const Call& call, const wire::PasswordRequest& wanted) {
  call.services.log.Info(wanted.password ? "password set" : "password removed",
                         {{"request_id", call.request().request_id},
                          {"by", call.principal.name},
                          {"user", call.path("name")},
                          {"remote", call.request().remote}});
}

Task<http::Response> SetLanguage(Call& call) {
  CO_RETURN_IF_ERROR(RequireSomebody(call.principal));
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(auto [language], wire::Decode<wire::LanguageRequest>(body));
  if (language.empty()) {
    co_return FailInvalid("\"language\" is empty: use en, ja or zh, or auto");
  }
  if (language == "auto") language.clear();
  std::string user(call.path("name"));
  CO_RETURN_IF_ERROR(co_await call.services.rights.accounts.SetLanguage(call.principal, user,
                                                                        std::move(language)));
  call.services.log.Info(
      "language set",
      {{"request_id", call.request().request_id}, {"by", call.principal.name}, {"user", user}});
  co_return NothingToSay();
}

Task<http::Response> SetPassword(Call& call) {
  CO_RETURN_IF_ERROR(RequireSomebody(call.principal));
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::PasswordRequest wanted, wire::Decode<wire::PasswordRequest>(body));
  service::SignIn& sign_in = call.services.sign_in.sign_in;
  std::string user(call.path("name"));
  if (wanted.old_password.empty()) {
    CO_RETURN_IF_ERROR(co_await sign_in.SetPassword(call.principal, user, wanted.password));
  } else {
    CO_RETURN_IF_ERROR(RequireOwn(call.principal, user, wanted));
    service::Browser browser{.address = std::string(call.request().remote),
                             .user_agent = std::string(call.request().Get("User-Agent"))};
    CO_RETURN_IF_ERROR(co_await sign_in.ChangePassword(call.principal, std::move(browser),
                                                       wanted.old_password, *wanted.password));
  }
  LogPassword(call, wanted);
  co_return NothingToSay();
}

Task<http::Response> WhoAmI(Call& call) {
  const auth::Principal& by = call.principal;
  wire::Caller caller{.server = call.services.url,
                      .kind = "token",
                      .token = by.name,
                      .scope = std::string(ScopeName(by.scope)),
                      .namespaces = by.namespaces};
  if (by.account) {
    caller.account = by.account->account.name;
    caller.kind = AccountKindName(by.account->account.kind);
  }
  if (by.expires_at) caller.expires = FormatRfc3339(*by.expires_at);
  co_return JsonReply(200, wire::Encode(caller));
}

Task<http::Response> ListSessions(Call& call) {
  CO_RETURN_IF_ERROR(RequireSomebody(call.principal));
  ASSIGN_OR_CO_RETURN(std::optional<std::string> user,
                      QueryParameter(call.request().query, "user"));
  std::string name = user.value_or("");
  ASSIGN_OR_CO_RETURN(
      std::vector<SessionRecord> records,
      co_await call.services.sign_in.sessions.List(call.principal, std::move(name)));
  std::vector<wire::Session> sessions;
  sessions.reserve(records.size());
  for (const SessionRecord& record : records) sessions.push_back(ToWireSession(record));
  co_return JsonReply(200, wire::Encode(wire::SessionList{std::move(sessions)}));
}

Task<http::Response> EndSession(Call& call) {
  CO_RETURN_IF_ERROR(RequireSomebody(call.principal));
  std::string id(call.path("id"));
  CO_RETURN_IF_ERROR(co_await call.services.sign_in.sessions.EndById(call.principal, id));
  call.services.log.Info("session ended", {{"request_id", call.request().request_id},
                                           {"by", call.principal.name},
                                           {"session", id},
                                           {"remote", call.request().remote}});
  co_return NothingToSay();
}

Task<http::Response> EndSessionsOfUser(Call& call) {
  std::string user(call.path("name"));
  ASSIGN_OR_CO_RETURN(std::uint64_t ended,
                      co_await call.services.sign_in.sessions.EndAllOf(call.principal, user));
  call.services.log.Info("sessions ended", {{"request_id", call.request().request_id},
                                            {"by", call.principal.name},
                                            {"user", user},
                                            {"sessions", ended},
                                            {"remote", call.request().remote}});
  co_return JsonReply(200, wire::Encode(wire::EndedSessions{ended}));
}

}  // namespace

// Passwords and sessions, for the command line.
std::span<const Route> SessionRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kSetPassword, Access::kSelf, BodyLimit::kSmall, SetPassword,
                 "Set a user's password"),
      Route::For(wire::kSetLanguage, Access::kSelf, BodyLimit::kSmall, SetLanguage,
                 "Set the language of a user's pages"),
      Route::For(wire::kWhoAmI, Access::kSelf, ResourceScope::kNone, WhoAmI,
                 "Show whose token the request has"),
      Route::For(wire::kListSessions, Access::kSelf, ResourceScope::kNone, ListSessions,
                 "List browser sessions"),
      Route::For(wire::kEndSession, Access::kSelf, BodyLimit::kNone, EndSession,
                 "End a browser session"),
      Route::For(wire::kEndSessionsOfUser, Access::kAdmin, BodyLimit::kNone, EndSessionsOfUser,
                 "End all sessions of a user"),
  };
  return kRoutes;
}

}  // namespace koya::api
