// An API token as it is kept: everything but the token.
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

// How long a token lasts that a CI job gets for its own. Nothing with provenance lasts longer.
inline constexpr std::chrono::minutes kJobTokenLife{15};

struct TokenRecord {
  std::string name;  // unique
  Digest secret;     // SHA-256 of the token's text; the token itself is never stored
  Scope scope = Scope::kRead;
  std::vector<std::string> namespaces;  // patterns; empty = all
  // The account that it acts for, whose rights bound its own. "": none, so it is one of its own:
  // what it says is what it may do.
  std::string account_id = {};
  // What that account is called, and what it is. Read only: what is added or replaced need not say.
  std::string account_name = {};
  std::optional<AccountKind> account_kind = {};
  UnixSeconds created_at = 0;
  std::string created_by;  // the principal's name; "" when that was not noted
  std::optional<UnixSeconds> expires_at;
  std::optional<UnixSeconds> last_used_at;
  std::string last_used_from = {};  // the address of that use; "": not known
  std::string provenance = {};  // the claims of the CI identity that got it, as JSON; "": none did
  std::string trust_id = {};    // TrustRecord::id: what such an identity is trusted by
};

// What a CI's job showed for a token: it is good once in a namespace.
struct JobProof {
  Digest digest;
  UnixSeconds expires_at = 0;  // remembered until then
};

}  // namespace koya
