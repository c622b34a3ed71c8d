// Manages sessions: a browser stays signed in by a cookie, which is a secret like a token.
//
// Sessions are cached after the first lookup, as tokens are (token_cache.h): a session that was
// ended, or whose account was disabled or deleted, is denied on every server within a second. A
// session's cookie is not accepted as a token, nor a token as a cookie.
// Threads: any.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "domain/credential_record.h"
#include "service/access/token_cache.h"

namespace koya {
class AccountCatalog;
class SessionCatalog;
}  // namespace koya

namespace koya::service {

struct Browser;
class LastUsedTracker;

struct StartedSession {
  std::string cookie;  // the browser sends it from now on; never stored
  std::string device;  // marks the browser as used for a sign-in: see sign_in.h
  SessionRecord record;
};

// A signed-in user.
struct SignedInUser {
  std::string session;  // SessionRecord::id
  std::string user;     // their name
  // The user's permissions: the scope is admin, so that the account alone limits them.
  std::shared_ptr<const auth::Principal> principal;
};

class Sessions {
 public:
  static constexpr std::chrono::hours kLife{12};  // use does not extend it

  // All arguments must outlive this.
  Sessions(SessionCatalog& catalog, AccountCatalog& accounts, TokenCache& cache, const Clock& clock,
           LastUsedTracker& uses)
      : catalog_(catalog), accounts_(accounts), cache_(cache), clock_(clock), uses_(uses) {}

  // Always creates a new session: a cookie that the browser sent before the sign-in has no effect.
  // `device` of the result is empty: see sign_in.h. Fails: kUnauthenticated: the account is gone or
  // disabled; as the catalog.
  Task<StartedSession> Start(AccountRecord account, std::string method, Browser browser);
  // Returns the user of this cookie, and records its use. While the catalog is away, a cached
  // session counts within access.offline_grace. Fails: kUnauthenticated: unknown cookie, ended
  // session or disabled account; as the catalog.
  Task<SignedInUser> FindUser(std::string cookie);
  // As Find, but from the cache only, within access.offline_grace: for what a page offers, never
  // for access. nullopt: not cached, or no longer valid. Never waits, and records no use.
  std::optional<SignedInUser> FindCached(std::string_view cookie) const;
  // As Find, for the session that a capability URL was made for. Fails: kForbidden: it is no longer
  // valid.
  Task<SignedInUser> FindBearer(auth::CapabilityBearer bearer);
  // As FindBearer, from the cache only; nullopt: not cached. Never waits.
  std::optional<Result<SignedInUser>> RecogniseBearer(const auth::CapabilityBearer& bearer);
  // Returns the owner of a session, valid or not: to name the user in a denial, never for access.
  // Fails: kUnauthenticated: unknown session; as the catalog.
  Task<std::shared_ptr<const auth::Principal>> FindHolder(auth::CapabilityBearer bearer);
  // Ends the cookie's session. Does nothing if it has ended already.
  Task<void> End(Browser browser, std::string cookie);

  // The caller's own sessions need no scope; only a caller with the scope admin counts as an
  // administrator, and sessions have that scope.

  // Lists the sessions of `by`, newest first; for an administrator: all users' sessions, or those
  // of `user` if it is not "". Fails: kForbidden: `user` is another user; kUnauthenticated: `by`
  // has no account; kNotFound: the user; kInvalid: not a user name.
  Task<std::vector<SessionRecord>> List(auth::Principal by, std::string user);
  // Ends one of the caller's own sessions; for an administrator: any session. Fails:
  // kUnauthenticated (as above), kNotFound.
  Task<void> EndById(auth::Principal by, std::string id);
  // Ends all sessions of `user`. Fails: kForbidden (administrators only), kNotFound, kInvalid (not
  // a user name).
  Task<std::uint64_t> EndAllOf(auth::Principal by, std::string user);

 private:
  Status Admit(const KnownToken& known);
  // Caches a session that was found; does not cache a failed lookup.
  Task<std::shared_ptr<const KnownToken>> Know(TokenCache::Ticket ticket,
                                               Result<SessionRecord> record);
  // The account whose sessions `by` means; "": all accounts. Fails: as List.
  Task<std::string> AccountOf(auth::Principal by, std::string user);

  SessionCatalog& catalog_;
  AccountCatalog& accounts_;
  TokenCache& cache_;
  const Clock& clock_;
  LastUsedTracker& uses_;
};

}  // namespace koya::service
