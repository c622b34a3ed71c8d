// Manages trusted publishing: the CI identities that a namespace's owners trust.
// Threads: any.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/task.h"

namespace koya {
class Clock;
class TokenCatalog;
class TrustCatalog;
struct TokenRecord;
struct TrustRecord;
}  // namespace koya
namespace koya::auth {
struct Principal;
}
namespace koya::oidc {
class ClaimRules;
}

namespace koya::service {

// A new trust: in the jobs of a repository or project (a preset), or in jobs whose claims match;
// with both, all must match.
struct NewTrust {
  std::string issuer = {};               // "": that of the preset
  std::vector<std::string> claims = {};  // "NAME=PATTERN"
  std::string github = {};               // "OWNER/REPO"
  std::string gitlab = {};               // "GROUP/PROJECT"
  std::string ref = {};                  // of a preset: a branch, or "refs/tags/v*"
  std::string environment = {};          // of a preset
  bool unprotected = false;              // of GitLab, with a ref: oidc::GitLabTrust
  bool own_issuer = false;               // the issuer signs for one organisation's jobs alone
};

// Builds the rules of a trust. Fails: kInvalid: contradictory or malformed input, and rules that
// would trust other people's jobs.
Result<oidc::ClaimRules> RulesOf(const NewTrust& trust);

// True if jobs on any branch and tag are trusted, in any environment: worth a warning.
bool TakesAnyRef(const TrustRecord& trust);

class Trust {
 public:
  static constexpr std::size_t kMost = 100;  // in a namespace

  // All arguments must outlive this.
  Trust(TrustCatalog& catalog, TokenCatalog& tokens, const Clock& clock)
      : catalog_(catalog), tokens_(tokens), clock_(clock) {}

  // All methods require ownership of the namespace.

  // Fails: kForbidden; kInvalid (RulesOf); kNotFound: the namespace; kConflict: it is trusted
  // already, or kMost are.
  Task<TrustRecord> Add(auth::Principal by, std::string ns, NewTrust trust);
  // Lists trusts by time; none for an unknown namespace. Fails: kForbidden, kInvalid.
  Task<std::vector<TrustRecord>> List(auth::Principal by, std::string ns);
  // Removes a trust and the tokens of its jobs. Fails: kForbidden, kInvalid, kNotFound.
  Task<void> Remove(auth::Principal by, std::string ns, std::string id);
  // Lists the tokens of jobs, newest first; an expired token is listed for a day. Fails:
  // kForbidden, kInvalid.
  Task<std::vector<TokenRecord>> ListTokens(auth::Principal by, std::string ns);
  // Ends one of those tokens by its name. Fails: kForbidden, kInvalid, kNotFound.
  Task<void> EndToken(auth::Principal by, std::string ns, std::string name);

 private:
  TrustCatalog& catalog_;
  TokenCatalog& tokens_;
  const Clock& clock_;
};

}  // namespace koya::service
