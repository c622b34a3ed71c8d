// Trusted publishing: which CI identities a namespace trusts, said by its owners.
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

// What is trusted: the jobs of a repository, of a project, or whatever claims say; of a preset and
// claims all must match.
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

// Fails: kInvalid: what cannot be, and what would trust strangers.
Result<oidc::ClaimRules> RulesOf(const NewTrust& trust);

// Whether jobs on any branch and tag are trusted, in any environment: worth a warning.
bool TakesAnyRef(const TrustRecord& trust);

class Trust {
 public:
  static constexpr std::size_t kMost = 100;  // in a namespace

  // Everything given must outlive this.
  Trust(TrustCatalog& catalog, TokenCatalog& tokens, const Clock& clock)
      : catalog_(catalog), tokens_(tokens), clock_(clock) {}

  // All for owners of the namespace.

  // Fails: kForbidden; kInvalid (RulesOf); kNotFound: the namespace; kConflict: it is trusted
  // already, or kMost are.
  Task<TrustRecord> Add(auth::Principal by, std::string ns, NewTrust trust);
  // By time. Of an unknown namespace: none. Fails: kForbidden, kInvalid.
  Task<std::vector<TrustRecord>> List(auth::Principal by, std::string ns);
  // With the tokens of its jobs. Fails: kForbidden, kInvalid, kNotFound.
  Task<void> Remove(auth::Principal by, std::string ns, std::string id);
  // Those of jobs, newest first; one that has expired is listed for a day. Fails: kForbidden,
  // kInvalid.
  Task<std::vector<TokenRecord>> ListTokens(auth::Principal by, std::string ns);
  // One of those, by its name. Fails: kForbidden, kInvalid, kNotFound.
  Task<void> EndToken(auth::Principal by, std::string ns, std::string name);

 private:
  TrustCatalog& catalog_;
  TokenCatalog& tokens_;
  const Clock& clock_;
};

}  // namespace koya::service
