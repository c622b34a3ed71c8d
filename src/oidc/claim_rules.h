// Rules for the trusted tokens of an issuer, for publishing from CI: patterns for claims, all of
// which must match.
//
// A CI issuer signs tokens for every job that runs there. So a set of rules must identify the owner
// of the jobs, and rules that would trust other people's jobs are rejected when they are written,
// not discovered later.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "oidc/claims.h"

namespace koya::oidc {

inline constexpr std::string_view kGitHubIssuer = "https://token.actions.githubusercontent.com";
inline constexpr std::string_view kGitLabIssuer = "https://gitlab.com";

// Jobs of GitHub Actions. A self-hosted GitHub has an issuer of its own.
struct GitHubTrust {
  std::string repository;  // "OWNER/NAME", "OWNER/*"
  // "": every branch, tag and pull request. "main" is a branch; "refs/tags/v*" are tags.
  std::string ref = {};
  std::string environment = {};  // "": with or without one
  std::string issuer = std::string(kGitHubIssuer);
};

// Jobs of GitLab CI. The issuer is the URL of the GitLab instance.
struct GitLabTrust {
  std::string project;           // "GROUP/PROJECT", "GROUP/SUBGROUP/PROJECT", "GROUP/*"
  std::string ref = {};          // as above
  std::string environment = {};  // as above
  std::string issuer = std::string(kGitLabIssuer);
  // With a ref: whether it need not be protected. Everyone who may push to a project can create
  // unprotected refs.
  bool unprotected = false;
};

// The issuer's users: an issuer of one organisation's own CI signs only for its jobs, others for
// all their customers, who choose some of the claims. Unless the issuer is known (claim_rules.cc
// has a table), only the author of the rules knows which it is.
enum class IssuerUse { kMaybeShared, kOwn };

class ClaimRules {
 public:
  static constexpr std::size_t kMaxRules = 16;
  static constexpr std::size_t kMaxName = 128;     // bytes
  static constexpr std::size_t kMaxPattern = 256;  // bytes

  // `rules`: "NAME=PATTERN", with patterns of MatchesGlob. Case-sensitive, except for the names
  // of owners, repositories and projects, for which forges ignore case themselves. Fails: kInvalid,
  // naming the fault of a rule, or whose jobs the rules would trust.
  static Result<ClaimRules> Parse(std::string_view issuer, const std::vector<std::string>& rules,
                                  IssuerUse use = IssuerUse::kMaybeShared);
  // The same for rules that were accepted before: does not check again whose jobs they trust.
  static Result<ClaimRules> ParseKept(std::string_view issuer,
                                      const std::vector<std::string>& rules);
  static Result<ClaimRules> ForGitHub(const GitHubTrust& trust);
  static Result<ClaimRules> ForGitLab(const GitLabTrust& trust);

  const std::string& issuer() const { return issuer_; }
  // In the form that Parse accepts.
  std::vector<std::string> texts() const;

  // Whether the rules accept a forge's jobs on any branch and tag, in any environment.
  bool TakesAnyRef() const;

  // Whether a verified token is trusted. A claim that is absent, empty or not text matches nothing,
  // not even "*". The job must have been started by an event that requires the right to push
  // (event_name at GitHub, pipeline_source at GitLab), unless a rule for that claim says otherwise;
  // and if there is a rule for a ref, the job must run for that branch or tag, not for a merge
  // request from a branch of that name. Fails: kForbidden, naming the claim, and not the pattern.
  Status CheckClaims(const Claims& claims) const;

 private:
  struct Rule {
    std::string name;
    std::string pattern;
  };
  ClaimRules() = default;
  static Result<Rule> ParseRule(std::string_view text);
  bool HasRuleFor(std::string_view name) const;
  // Whether the rule alone identifies the owner of the jobs.
  bool Identifies(const Rule& rule, IssuerUse use) const;
  Status CheckStart(const Claims& claims) const;
  Status CheckRefPath(const Claims& claims) const;

  std::string issuer_;
  std::vector<Rule> rules_;
};

}  // namespace koya::oidc
