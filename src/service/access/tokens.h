// Manages API tokens: creates, lists, rotates and revokes them, and authenticates callers.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "domain/credential_record.h"
#include "domain/page.h"
#include "service/access/token_cache.h"

namespace koya {
class AccountCatalog;
class TokenCatalog;
}  // namespace koya

namespace koya::service {

class LastUsedTracker;

inline constexpr std::chrono::days kUsualTokenLife{90};
// How long before their expiry tokens end soon, and how long unused ones were not used.
inline constexpr std::chrono::days kTokenEndsSoon{14};
inline constexpr std::chrono::days kTokenUnusedAfter{90};

struct NewToken {
  std::string name;
  Scope scope = Scope::kRead;
  std::vector<std::string> namespaces;
  // From now; nullopt: kUsualTokenLife, or until the creator's own token expires, if that is
  // earlier.
  std::optional<std::chrono::seconds> expires;
  // The service account that the token acts for; "": the account of the creator's own token.
  std::string service = {};
  bool never_ends = false;  // instead of `expires`; at most as long as the creator's own token
};

struct CreatedToken {
  TokenRecord record;
  std::string text;  // shown once, stored nowhere
};

class Tokens {
 public:
  // All arguments must outlive this.
  Tokens(TokenCatalog& catalog, AccountCatalog& accounts, TokenCache& cache, const Clock& clock,
         LastUsedTracker& uses)
      : catalog_(catalog), accounts_(accounts), cache_(cache), clock_(clock), uses_(uses) {}

  // Callers cannot give, see or revoke more rights than they have: see auth::Principal. `by`: the
  // caller.

  // Creates a token. Only administrators create tokens of service accounts. Fails: kInvalid (name,
  // pattern, expiry), kForbidden (more rights than `by` has), kNotFound (the service account),
  // kConflict (the name is taken).
  Task<CreatedToken> Create(auth::Principal by, NewToken token);
  // Tokens of the caller's account whose rights do not exceed those of `by`; for administrators
  // tokens of all accounts.
  Task<std::vector<TokenRecord>> List(auth::Principal by);
  // Tokens of all accounts, for administrators: by name, at most 1000. Fails: kForbidden.
  Task<Page<TokenRecord>> Browse(auth::Principal by, TokenFilter filter, PageRequest page);
  // Tokens of `by`'s own account, among those of List, that expire between these moments,
  // inclusive; the earliest first, at most TokenCatalog::kMostEndingTokens. Empty if `by` acts for
  // no account.
  Task<std::vector<TokenRecord>> ListEnding(auth::Principal by, UnixSeconds from,
                                            UnixSeconds until);
  // Replaces the token's text; the old one is invalid from then on. The token expires at `expires`
  // from now; nullopt: after as long a time as when it was created, or with `by`'s own token if
  // that is earlier.
  // Fails: kInvalid (expiry), kNotFound (no such token, or it was replaced meanwhile), kForbidden
  // (a token that List(by) omits, or a later expiry than that of `by`'s own token), kConflict (a CI
  // job's token, which cannot be rotated; or no administrator would remain, as
  // TokenCatalog::ReplaceToken).
  Task<CreatedToken> Rotate(auth::Principal by, std::string name,
                            std::optional<std::chrono::seconds> expires);
  // Fails: kNotFound, kForbidden; kConflict, as TokenCatalog::RevokeToken.
  Task<void> Revoke(auth::Principal by, std::string name);
  // Revokes the token with this text: possession of it is the only authorization required. The
  // audit log names its owner, and the address of the request in `from`. Returns the token's name;
  // nullopt: there is no such token. Fails: kConflict, as TokenCatalog::RevokeToken.
  Task<std::optional<std::string>> RevokePresented(Actor from, std::string text);
  // Creates a token with the admin scope for the operator who started this server: valid as long as
  // this object lives, and stored nowhere. REQUIRES: called before the server accepts requests.
  std::string MakeOwn();
  // Authenticates an Authorization header, and records the use of its token. Fails:
  // kUnauthenticated: no token, or one that is unknown, expired, or of a disabled account. `from`,
  // here and below: the address of the request, recorded with the use; "": unknown.
  Task<auth::Principal> Authenticate(std::string authorization, std::string from = {});
  // The same from the cache; nullopt: the catalog must be asked. Never waits.
  using Presenter = std::shared_ptr<const auth::Principal>;
  std::optional<Result<Presenter>> Recognise(std::string_view authorization,
                                             std::string_view from = {});
  // The same for the bearer of a capability URL. Does not handle URLs made for a session: see
  // sign_in/sessions.h. Fails: kForbidden: it is no longer valid.
  Task<auth::Principal> AuthenticateBearer(auth::CapabilityBearer bearer, std::string from = {});
  std::optional<Result<Presenter>> RecogniseBearer(const auth::CapabilityBearer& bearer,
                                                   std::string_view from = {});
  // Owner of a token, valid or not: only to name a caller who is denied, never to authorize. Null:
  // unknown. Holder() knows the tokens that Authenticate has just looked up, and never waits.
  Presenter Holder(std::string_view authorization);
  // Fails: kUnauthenticated: unknown; as the catalog.
  Task<Presenter> FindHolder(auth::CapabilityBearer bearer);

 private:
  Status Admit(const KnownToken& known, std::string_view from);
  // Adds the current rights of the token's account. Fails: kUnauthenticated: the account was
  // deleted.
  Task<auth::Principal> WithRights(TokenRecord record);
  // Caches the token that was found, with its owner; an unknown token is not cached.
  Task<std::shared_ptr<const KnownToken>> Know(TokenCache::Ticket ticket,
                                               Result<TokenRecord> record);
  // The cached token, for use while the catalog, which was asked for it, is down. Null: none.
  std::shared_ptr<const KnownToken> KnownOffline(const Result<TokenRecord>& asked,
                                                 std::string_view text);
  // Whether this is the token of MakeOwn().
  bool IsOwn(std::string_view text) const;
  // The account that a new token acts for; without an id: none. Fails: kForbidden, kNotFound.
  Task<AccountRecord> AccountOfNew(auth::Principal by, std::string service);
  // A token that `by` may give and revoke. Fails: kNotFound, kForbidden.
  Task<TokenRecord> FindHeld(auth::Principal by, std::string name);

  TokenCatalog& catalog_;
  AccountCatalog& accounts_;
  TokenCache& cache_;
  const Clock& clock_;
  LastUsedTracker& uses_;
  std::optional<Digest> own_;
  Presenter operator_;
};

}  // namespace koya::service
