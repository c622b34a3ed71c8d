// Which tokens of an issuer are trusted, for publishing from CI: patterns for claims, all of which
// must match.
//
// An issuer of CI signs tokens for whoever runs a job there. So a set of rules must hold fast whose
// jobs are meant, and what would trust strangers is refused when it is written down, not found out
// later.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "oidc/claims.h"

namespace koya::oidc {

inline constexpr std::string_view kGitHubIssuer = "https://token.actions.githubusercontent.com";
inline constexpr std::string_view kGitLabIssuer = "https://gitlab.com";

// Jobs of GitHub Actions. A GitHub of one's own has an issuer of its own.
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
  // With a ref: whether it need not be protected. Who may push to a project makes refs that are
  // not.
  bool unprotected = false;
};

// For whom an issuer signs: that of one organisation's own CI for its jobs alone, others for all
// their customers, who choose some of the claims. Unless it is known (claim_rules.cc has a table),
// only those who write the rules can tell.
enum class IssuerUse { kMaybeShared, kOwn };

class ClaimRules {
 public:
  static constexpr std::size_t kMaxRules = 16;
  static constexpr std::size_t kMaxName = 128;     // bytes
  static constexpr std::size_t kMaxPattern = 256;  // bytes

  // `rules`: "NAME=PATTERN", with patterns as of base/glob.h. Letter case counts, but for the names
  // of owners, repositories and projects, in which forges ignore it themselves. Fails: kInvalid,
  // saying what is wrong with a rule, or whom the rules would trust.
  static Result<ClaimRules> Parse(std::string_view issuer, const std::vector<std::string>& rules,
                                  IssuerUse use = IssuerUse::kMaybeShared);
  // The same of rules that were taken before: whom they would trust is not asked again.
  static Result<ClaimRules> ParseKept(std::string_view issuer,
                                      const std::vector<std::string>& rules);
  static Result<ClaimRules> ForGitHub(const GitHubTrust& trust);
  static Result<ClaimRules> ForGitLab(const GitLabTrust& trust);

  const std::string& issuer() const { return issuer_; }
  // As Parse takes them.
  std::vector<std::string> texts() const;

  // Whether these are jobs of a forge, on any branch and tag, in any environment.
  bool TakesAnyRef() const;

  // Whether a token that was verified is trusted. A claim that is absent, empty or no text matches
  // nothing, "*" included. What started the job must be among what those do who may push
  // (event_name at GitHub, pipeline_source at GitLab), unless a rule for that claim says otherwise;
  // and where a ref is asked for, the job must run for that branch or tag, not for a merge request
  // from a branch of that name. Fails: kForbidden, naming the claim, and not the pattern.
  Status Judge(const Claims& claims) const;

 private:
  struct Rule {
    std::string name;
    std::string pattern;
  };
  ClaimRules() = default;
  static Result<Rule> ParseRule(std::string_view text);
  bool HasRuleFor(std::string_view name) const;
  // Whether the rule alone holds fast whose jobs are meant.
  bool Identifies(const Rule& rule, IssuerUse use) const;
  Status CheckStart(const Claims& claims) const;
  Status CheckRefPath(const Claims& claims) const;

  std::string issuer_;
  std::vector<Rule> rules_;
};

}  // namespace koya::oidc
