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
  Tokens(TokenCatalog& catalog, const Clock& clock) : catalog_(catalog), clock_(clock) {}

  // Fails: kInvalid (name, pattern, expiry), kConflict (the name is taken).
  Task<CreatedToken> Create(NewToken token);
  Task<std::vector<TokenRecord>> List();
  // Fails: kNotFound.
  Task<void> Revoke(std::string name);
  // Who presents this Authorization field. Fails: kUnauthenticated: none, unknown, expired.
  Task<auth::Principal> Authenticate(std::string authorization);

 private:
  TokenCatalog& catalog_;
  const Clock& clock_;
};

}  // namespace koya::service
