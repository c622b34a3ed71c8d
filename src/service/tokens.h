// API tokens: making, listing, replacing, revoking, and telling who presents one.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "domain/token_record.h"
#include "service/token_cache.h"

namespace koya {
class AccountCatalog;
class TokenCatalog;
}  // namespace koya

namespace koya::service {

class UseNotes;

inline constexpr std::chrono::days kUsualTokenLife{90};

struct NewToken {
  std::string name;
  Scope scope = Scope::kRead;
  std::vector<std::string> namespaces;
  // From now; not said: in kUsualTokenLife, or with the maker's own token if that ends before.
  std::optional<std::chrono::seconds> expires;
  // The service account that it acts for; "": whom the maker's own token acts for.
  std::string service = {};
  bool never_ends = false;  // in place of `expires`; as long as the maker's own at most
};

struct CreatedToken {
  TokenRecord record;
  std::string text;  // shown once, stored nowhere
};

class Tokens {
 public:
  // Everything given must outlive this.
  Tokens(TokenCatalog& catalog, AccountCatalog& accounts, TokenCache& cache, const Clock& clock,
         UseNotes& uses)
      : catalog_(catalog), accounts_(accounts), cache_(cache), clock_(clock), uses_(uses) {}

  // Nobody gives, sees or takes away more than they hold: see auth::Principal. `by`: who asks.

  // For a service account: administrators only. Fails: kInvalid (name, pattern, expiry), kForbidden
  // (more than `by` holds), kNotFound (the service account), kConflict (the name is taken).
  Task<CreatedToken> Create(auth::Principal by, NewToken token);
  // Those with no more rights than `by` has, of the same account; administrators see everybody's.
  Task<std::vector<TokenRecord>> List(auth::Principal by);
  // Those of `by`'s own account that List has of them and that end between these moments, both
  // included: what ends first comes first, TokenCatalog::kMostEndingTokens at most. Of who acts for
  // no account, none.
  Task<std::vector<TokenRecord>> ListEnding(auth::Principal by, UnixSeconds from,
                                            UnixSeconds until);
  // The same token with another text, from now on the only one. It ends at `expires` from now; when
  // that is not said it lasts as long as it did when it was made, if `by` does.
  // Fails: kNotFound, kForbidden, kInvalid (expiry).
  Task<CreatedToken> Rotate(auth::Principal by, std::string name,
                            std::optional<std::chrono::seconds> expires);
  // Fails: kNotFound, kForbidden.
  Task<void> Revoke(auth::Principal by, std::string name);
  // Whoever has the text itself ends the token; the audit log names whose it is, and where the
  // request came `from`. Its name; nullopt: there is none such. Fails:
  // kConflict, as TokenCatalog::RevokeToken.
  Task<std::optional<std::string>> RevokePresented(Actor from, std::string text);
  // A token with the admin scope for whoever started this server: it is good as long as this lives,
  // and is stored nowhere. REQUIRES: called before the server answers anybody.
  std::string MakeOwn();
  // Who presents this Authorization field; that it was used is noted. Fails: kUnauthenticated:
  // none, unknown, expired, or of an account that is disabled. `from`, here and below: the address
  // that it came from, which is noted with the use; "": not known.
  Task<auth::Principal> Authenticate(std::string authorization, std::string from = {});
  // The same, when it is known without asking the catalog; else nullopt. Never waits.
  using Presenter = std::shared_ptr<const auth::Principal>;
  std::optional<Result<Presenter>> Recognise(std::string_view authorization,
                                             std::string_view from = {});
  // The same of whom a capability URL was made for. One that was made for a session is not known
  // here: see sign_in/sessions.h. Fails: kForbidden: it is not good any more.
  Task<auth::Principal> AuthenticateBearer(auth::CapabilityBearer bearer, std::string from = {});
  std::optional<Result<Presenter>> RecogniseBearer(const auth::CapabilityBearer& bearer,
                                                   std::string_view from = {});
  // Whose token it is, good or not: to name them when they are refused, and for nothing that is
  // given. Null: nobody's. The first knows whom Authenticate has just looked up, and never waits.
  Presenter Holder(std::string_view authorization);
  // Fails: kUnauthenticated: nobody's; as the catalog.
  Task<Presenter> FindHolder(auth::CapabilityBearer bearer);

 private:
  Status Admit(const KnownToken& known, std::string_view from);
  // With the rights of its account, as the catalog says. Fails: kUnauthenticated: the account is
  // gone.
  Task<auth::Principal> WithRights(TokenRecord record);
  // Who has the token that was found, known from now on; what was not found is not known here.
  Task<std::shared_ptr<const KnownToken>> Know(TokenCache::Ticket ticket,
                                               Result<TokenRecord> record);
  // What counts of it while the catalog, which was asked for it, is away. Null: nothing.
  std::shared_ptr<const KnownToken> KnownOffline(const Result<TokenRecord>& asked,
                                                 const Digest& secret);
  // The account that a new token acts for; without an id: none. Fails: kForbidden, kNotFound.
  Task<AccountRecord> AccountOfNew(auth::Principal by, std::string service);
  // One that `by` may give and take away. Fails: kNotFound, kForbidden.
  Task<TokenRecord> FindHeld(auth::Principal by, std::string name);

  TokenCatalog& catalog_;
  AccountCatalog& accounts_;
  TokenCache& cache_;
  const Clock& clock_;
  UseNotes& uses_;
  std::optional<Digest> own_;
  Presenter operator_;
};

}  // namespace koya::service
