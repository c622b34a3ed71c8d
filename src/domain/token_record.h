// A stored API token: everything except the token itself.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/account_record.h"
#include "domain/digest.h"
#include "domain/scope.h"

namespace koya {

// Lifetime of a token that a CI job gets for its own. No token with provenance lasts longer.
inline constexpr std::chrono::minutes kJobTokenLife{15};

struct TokenRecord {
  std::string name;  // unique
  Digest secret;     // SHA-256 of the token's text; the token itself is never stored
  Scope scope = Scope::kRead;
  std::vector<std::string> namespaces;  // patterns; empty = all
  // The account that the token acts for, whose permissions limit its own. "": none: the token's
  // scope alone decides.
  std::string account_id = {};
  // The account's name and kind. Read only: ignored when a token is added or replaced.
  std::string account_name = {};
  std::optional<AccountKind> account_kind = {};
  UnixSeconds created_at = 0;
  std::string created_by;  // the principal's name
  std::optional<UnixSeconds> expires_at;
  std::optional<UnixSeconds> last_used_at;
  std::string last_used_from = {};  // the address of that use; "": not known
  std::string provenance = {};      // the claims of the CI identity that got it, as JSON; "": none
  std::string trust_id = {};        // TrustRecord::id of the trust for that identity
};

// The proof that a CI's job exchanged for a token: it is valid once in a namespace.
struct JobProof {
  Digest digest;
  UnixSeconds expires_at = 0;  // remembered until then
};

}  // namespace koya
