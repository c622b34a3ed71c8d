// API tokens: making, listing, replacing, revoking, and telling who presents one.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/principal.h"
#include "base/clock.h"
#include "catalog/catalog.h"
#include "service/token_cache.h"
#include "service/use_notes.h"

namespace koya::service {

struct NewToken {
  std::string name;
  Scope scope = Scope::kRead;
  std::vector<std::string> namespaces;
  std::optional<std::chrono::seconds> expires;  // from now
};

struct CreatedToken {
  TokenRecord record;
  std::string text;  // shown once, stored nowhere
};

class Tokens {
 public:
  // Everything given must outlive this.
  Tokens(TokenCatalog& catalog, TokenCache& cache, const Clock& clock, UseNotes& uses)
      : catalog_(catalog), cache_(cache), clock_(clock), uses_(uses) {}

  // Nobody gives, sees or takes away more than they hold: see auth::Principal. `by`: who asks.

  // Fails: kInvalid (name, pattern, expiry), kForbidden (more than `by` holds), kConflict (the name
  // is taken).
  Task<CreatedToken> Create(auth::Principal by, NewToken token);
  // Those with no more rights than `by` has.
  Task<std::vector<TokenRecord>> List(auth::Principal by);
  // The same token with another text, from now on the only one. It ends at `expires` from now; when
  // that is not said it lasts as long as it did when it was made, if `by` does.
  // Fails: kNotFound, kForbidden, kInvalid (expiry).
  Task<CreatedToken> Rotate(auth::Principal by, std::string name,
                            std::optional<std::chrono::seconds> expires);
  // Fails: kNotFound, kForbidden.
  Task<void> Revoke(auth::Principal by, std::string name);
  // A token with the admin scope for whoever started this server: it is good as long as this lives,
  // and is stored nowhere. REQUIRES: called before the server answers anybody.
  std::string MakeOwn();
  // Who presents this Authorization field; that it was used is noted. Fails: kUnauthenticated:
  // none, unknown, expired.
  Task<auth::Principal> Authenticate(std::string authorization);
  // Whether it would say who, when that is known without asking the catalog; else nullopt. A use is
  // noted, too. Never waits.
  std::optional<Status> Recognise(std::string_view authorization);

 private:
  Status Admit(const KnownToken& known);
  // One that `by` may give and take away. Fails: kNotFound, kForbidden.
  Task<TokenRecord> FindHeld(auth::Principal by, std::string name);

  TokenCatalog& catalog_;
  TokenCache& cache_;
  const Clock& clock_;
  UseNotes& uses_;
  std::optional<Digest> own_;
};

}  // namespace koya::service
