// API tokens: making, listing, revoking, and telling who presents one.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/principal.h"
#include "base/clock.h"
#include "catalog/catalog.h"
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
  Tokens(TokenCatalog& catalog, const Clock& clock, UseNotes& uses)
      : catalog_(catalog), clock_(clock), uses_(uses) {}

  // Nobody gives, sees or takes away more than they hold: see auth::Principal. `by`: who asks.

  // Fails: kInvalid (name, pattern, expiry), kForbidden (more than `by` holds), kConflict (the name
  // is taken).
  Task<CreatedToken> Create(auth::Principal by, NewToken token);
  // Those with no more rights than `by` has.
  Task<std::vector<TokenRecord>> List(auth::Principal by);
  // Fails: kNotFound, kForbidden.
  Task<void> Revoke(auth::Principal by, std::string name);
  // A token with the admin scope for whoever started this server: it is good as long as this lives,
  // and is stored nowhere. REQUIRES: called before the server answers anybody.
  std::string MakeOwn();
  // Who presents this Authorization field; that it was used is noted. Fails: kUnauthenticated:
  // none, unknown, expired.
  Task<auth::Principal> Authenticate(std::string authorization);

 private:
  TokenCatalog& catalog_;
  const Clock& clock_;
  UseNotes& uses_;
  std::optional<Digest> own_;
};

}  // namespace koya::service
