// Sessions: a browser stays signed in by a cookie, which is a secret like a token.
//
// Looked up once and then known, as tokens are (token_cache.h): one that was ended is refused on
// every server within a second, and so is one whose account was disabled or deleted. A session's
// cookie is no token, and a token no cookie.
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
#include "domain/sign_in_record.h"
#include "service/token_cache.h"

namespace koya {
class AccountCatalog;
class SessionCatalog;
}  // namespace koya

namespace koya::service {

struct Browser;
class UseNotes;

struct StartedSession {
  std::string cookie;  // what the browser is to send from now on; stored nowhere
  std::string device;  // what tells later that somebody has signed in with it: see sign_in.h
  SessionRecord record;
};

// Somebody who is signed in.
struct Visitor {
  std::string session;  // SessionRecord::id
  std::string user;     // their name
  // What they may do: the scope is admin, so that their account alone says so.
  std::shared_ptr<const auth::Principal> principal;
};

class Sessions {
 public:
  static constexpr std::chrono::hours kLife{12};  // whatever is done meanwhile

  // Everything given must outlive this.
  Sessions(SessionCatalog& catalog, AccountCatalog& accounts, TokenCache& cache, const Clock& clock,
           UseNotes& uses)
      : catalog_(catalog), accounts_(accounts), cache_(cache), clock_(clock), uses_(uses) {}

  // Always another one: what the browser sent before it signed in counts for nothing then.
  // `device` of what is returned is empty: see sign_in.h. Fails: kUnauthenticated: the account is
  // gone or disabled; as the catalog.
  Task<StartedSession> Start(AccountRecord account, std::string method, Browser browser);
  // Who sends this cookie; that it was used is noted. While the catalog is away, as it was known
  // within access.offline_grace. Fails: kUnauthenticated: nobody, it has ended, or the account is
  // disabled; as the catalog.
  Task<Visitor> Find(std::string cookie);
  // The same, as far as it is known without asking the catalog, and as long as access.offline_grace
  // lets it count: for what a page offers, and for nothing that is given. nullopt: it is not known,
  // or is not good any more. Never waits, and notes nothing.
  std::optional<Visitor> Known(std::string_view cookie) const;
  // The same of the session that a capability URL was made for. Fails: kForbidden: it is not good
  // any more.
  Task<Visitor> FindBearer(auth::CapabilityBearer bearer);
  // The same, when it is known without asking the catalog; else nullopt. Never waits.
  std::optional<Result<Visitor>> RecogniseBearer(const auth::CapabilityBearer& bearer);
  // Whose session that is, good or not: to name them when they are refused, and for nothing that is
  // given. Fails: kUnauthenticated: nobody's; as the catalog.
  Task<std::shared_ptr<const auth::Principal>> FindHolder(auth::CapabilityBearer bearer);
  // Whose cookie that is signs out. One that has ended already does no harm.
  Task<void> End(Browser browser, std::string cookie);

  // One's own take no scope of whoever asks; an administrator is one with the scope admin alone, as
  // sessions have.

  // Those of `by`, newest first; of an administrator: everybody's, or those of `user` if one is
  // named. Fails: kForbidden: `user` is somebody else; kUnauthenticated: `by` is no account's;
  // kNotFound: the user; kInvalid: no user's name.
  Task<std::vector<SessionRecord>> List(auth::Principal by, std::string user);
  // One of their own; of an administrator: anybody's. Fails: kUnauthenticated (as above),
  // kNotFound.
  Task<void> EndById(auth::Principal by, std::string id);
  // Fails: kForbidden (administrators only), kNotFound, kInvalid (no user's name).
  Task<std::uint64_t> EndAllOf(auth::Principal by, std::string user);

 private:
  Status Admit(const KnownToken& known);
  // What was found, known from now on; what was not found is not.
  Task<std::shared_ptr<const KnownToken>> Know(TokenCache::Ticket ticket,
                                               Result<SessionRecord> record);
  // Whose sessions `by` means; "": everybody's. Fails: as List.
  Task<std::string> AccountOf(auth::Principal by, std::string user);

  SessionCatalog& catalog_;
  AccountCatalog& accounts_;
  TokenCache& cache_;
  const Clock& clock_;
  UseNotes& uses_;
};

}  // namespace koya::service
