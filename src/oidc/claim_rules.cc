#include "oidc/claim_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/text.h"
#include "oidc/discovery_document.h"

namespace koya::oidc {
namespace {

using Names = std::initializer_list<std::string_view>;

bool IsOneOf(std::string_view name, Names names) {
  return std::ranges::find(names, name) != names.end();
}

// What every token has, and is checked whatever the rules say.
bool IsCheckedAnyway(std::string_view name) {
  return IsOneOf(name, {"iss", "aud", "azp", "exp", "nbf", "iat", "jti", "nonce", "auth_time"});
}

// Claims that begin with an owner, whom a "/" ends: "acme/infra", "acme/infra/.github/…@…".
bool BeginsWithOwner(std::string_view name) {
  return IsOneOf(name, {"repository", "project_path", "workflow_ref"});
}

// Claims that are an owner or what belongs to one, by name or number, and nothing else.
bool IsOwner(std::string_view name) {
  return IsOneOf(name, {"repository_owner", "repository_owner_id", "repository_id", "project_id",
                        "namespace_id"});
}

// Claims that jobs of different owners can have in common. A workflow's name, a branch, an
// environment: all free to choose. The called workflow may belong to a different owner than the
// calling job.
bool IsCommonplace(std::string_view name) {
  return IsOneOf(name, {"ref", "ref_type", "ref_path", "ref_protected", "head_ref", "base_ref",
                        "environment", "environment_protected", "deployment_tier", "event_name",
                        "pipeline_source", "workflow", "job_workflow_ref", "runner_environment",
                        "repository_visibility", "project_visibility"});
}

bool FoldsLetterCase(std::string_view name) {
  return IsOneOf(name, {"repository", "repository_owner", "project_path", "namespace_path"});
}

bool CoversClaim(std::string_view name, std::string_view pattern, std::string_view text) {
  return FoldsLetterCase(name) ? MatchesGlob(pattern, text) : MatchesGlobExactly(pattern, text);
}

// Issuers that sign for everyone with an account, and the claims that identify the owner of the
// jobs. For forges these are the claims that contain the owner (NamesOwner).
struct SharedIssuer {
  std::string_view url;
  std::string_view claims;  // with ", " between them
};
constexpr SharedIssuer kSharedIssuers[] = {
    {kGitHubIssuer, ""},
    {kGitLabIssuer, ""},
    {"https://accounts.google.com", "sub, hd"},
    {"https://agent.buildkite.com", "organization_id, organization_slug"},
    {"https://app.terraform.io", "terraform_organization_id, terraform_organization_name"},
    {"https://oidc.codefresh.io", "account_id"},
};

// Services whose issuers have the customer in their address, and sign for that customer alone.
constexpr std::string_view kIssuersOfOneCustomer[] = {
    "https://api.bitbucket.org/2.0/workspaces/",
    "https://login.microsoftonline.com/",
    "https://oidc.circleci.com/org/",
    "https://sts.windows.net/",
    "https://vstoken.dev.azure.com/",
};
// Of those, this one signs for all of them.
constexpr std::string_view kEveryTenant = "https://login.microsoftonline.com/common";

bool HasWord(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find_first_of(" ,"), words.size());
    if (end > 0 && words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

// An enterprise may have GitHub put its name behind the issuer's.
bool IsAt(std::string_view issuer, std::string_view url) {
  return issuer == url || issuer.starts_with(std::string(url) + "/");
}

const SharedIssuer* FindSharedIssuer(std::string_view issuer) {
  const auto* found = std::ranges::find_if(
      kSharedIssuers, [issuer](const SharedIssuer& each) { return IsAt(issuer, each.url); });
  return found == std::end(kSharedIssuers) ? nullptr : found;
}

bool IsOfOneCustomer(std::string_view issuer) {
  return !issuer.starts_with(kEveryTenant) &&
         std::ranges::any_of(kIssuersOfOneCustomer, [issuer](std::string_view prefix) {
           return issuer.starts_with(prefix) && issuer.size() > prefix.size();
         });
}

// What starts a job, at a forge; and what may without being named: only those who may push, or are
// let manage the project, do these.
struct Start {
  std::string_view issuer;
  std::string_view claim;
  std::string_view trusted;  // with blanks between them
};
constexpr Start kStarts[] = {
    {kGitHubIssuer, "event_name",
     "push create release schedule workflow_dispatch repository_dispatch merge_group deployment"},
    {kGitLabIssuer, "pipeline_source", "push web schedule api trigger pipeline parent_pipeline"},
};

bool HasStar(std::string_view pattern) { return pattern.contains('*'); }

// "acme/…": an owner, held fast, and something after it. "https://…" has none.
bool HoldsOwner(std::string_view pattern) {
  const std::size_t slash = pattern.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < pattern.size() &&
         pattern.substr(0, slash).find_first_of("*:") == std::string_view::npos;
}

// "acme", "acme/…".
bool HoldsNamespace(std::string_view pattern) { return !HasStar(pattern) || HoldsOwner(pattern); }

// Prefixes of subjects: GitHub's, GitLab's. Other subjects may begin with freely chosen text.
constexpr std::string_view kOwnersSubjects[] = {"repo:", "project_path:"};

bool SubjectHoldsOwner(std::string_view pattern) {
  for (const std::string_view prefix : kOwnersSubjects) {
    if (pattern.starts_with(prefix)) return HoldsOwner(pattern.substr(prefix.size()));
  }
  return false;
}

// Whether the claim says whose jobs they are at a forge. REQUIRES: CheckPattern took the pattern.
bool NamesOwner(std::string_view name, std::string_view pattern) {
  return BeginsWithOwner(name) || IsOwner(name) || name == "namespace_path" ||
         (name == "sub" && SubjectHoldsOwner(pattern));
}

// Whether the claim holds a branch, a tag or an environment.
bool NamesRef(std::string_view name, std::string_view pattern) {
  if (IsOneOf(name, {"ref", "ref_path", "environment"})) return pattern != "*";
  if (name == "sub") return pattern.contains(":ref:") || pattern.contains(":environment:");
  return IsOneOf(name, {"workflow_ref", "job_workflow_ref"}) && pattern.contains('@') &&
         !pattern.ends_with("@*");
}

Failure BadRule(std::string_view name, std::string_view why) {
  return FailInvalid("the rule for the claim \"{}\" {}", name, why);
}

Status CheckName(std::string_view name) {
  const bool plain = std::ranges::all_of(name, [](char c) { return c > ' ' && c < '\x7f'; });
  if (name.empty() || name.size() > ClaimRules::kMaxName || !plain) {
    return FailInvalid(
        "a rule is NAME=PATTERN, for example repository=acme/infra; the name is that of a "
        "claim of the token, up to 128 letters, digits and signs without spaces");
  }
  if (IsCheckedAnyway(name)) {
    return BadRule(name, "has no effect: it is always checked; leave it out");
  }
  return {};
}

Status CheckPattern(std::string_view name, std::string_view pattern) {
  if (pattern.empty() || pattern.size() > ClaimRules::kMaxPattern || !IsPlainText(pattern) ||
      pattern.find_first_of("\n\t\r") != std::string_view::npos) {
    return BadRule(name, "needs a pattern of 1 to 256 bytes, without control characters");
  }
  if (BeginsWithOwner(name) && !HoldsOwner(pattern)) {
    return BadRule(name,
                   "would trust jobs of others: write OWNER/NAME, with the owner in full; \"*\" is "
                   "allowed only after the \"/\", for all of the owner's");
  }
  if (name == "namespace_path" && !HoldsNamespace(pattern)) {
    return BadRule(name,
                   "would trust jobs of others: write GROUP or GROUP/*, with the group in full");
  }
  if (IsOwner(name) && HasStar(pattern)) {
    return BadRule(name, "would trust jobs of others: write it in full, without \"*\"");
  }
  if (name == "sub" && pattern.find_first_not_of('*') == std::string_view::npos) {
    return BadRule(name, "would trust all jobs: every token has one");
  }
  return {};
}

constexpr std::string_view kBranches = "refs/heads/";
constexpr std::string_view kTags = "refs/tags/";

// "refs/heads/main" of "main".
Result<std::string> FullRef(std::string_view ref) {
  if (!ref.starts_with("refs/")) return std::string(kBranches) + std::string(ref);
  for (const std::string_view kind : {kBranches, kTags}) {
    if (ref.starts_with(kind) && ref.size() > kind.size()) return std::string(ref);
  }
  return FailInvalid(
      "a ref is a branch (main, refs/heads/main) or a tag (refs/tags/v*); for others, give "
      "a rule for the claim \"ref\"");
}

// Names with "/" between them, as they stand in a repository's address.
Status CheckPath(std::string_view what, std::string_view path) {
  constexpr std::string_view kPunctuation = "._-*/";
  const bool plain = std::ranges::all_of(path, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           kPunctuation.contains(c);
  });
  if (!plain || !HoldsOwner(path) || path.ends_with('/') || path.contains("//")) {
    return FailInvalid(
        "\"{}\" is not a {}: write its path alone, with the owner in full; "
        "\"*\" is allowed only after the first \"/\"",
        Printable(path), what);
  }
  return {};
}

}  // namespace

Result<ClaimRules::Rule> ClaimRules::ParseRule(std::string_view text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string_view::npos) return std::unexpected(CheckName("").error());
  Rule rule{std::string(text.substr(0, sign)), std::string(text.substr(sign + 1))};
  RETURN_IF_ERROR(CheckName(rule.name));
  RETURN_IF_ERROR(CheckPattern(rule.name, rule.pattern));
  return rule;
}

bool ClaimRules::HasRuleFor(std::string_view name) const {
  return std::ranges::find(rules_, name, &Rule::name) != rules_.end();
}

bool ClaimRules::Identifies(const Rule& rule, IssuerUse use) const {
  const SharedIssuer* shared = FindSharedIssuer(issuer_);
  if (shared != nullptr && !shared->claims.empty()) {
    return HasWord(shared->claims, rule.name) && !HasStar(rule.pattern);
  }
  if (NamesOwner(rule.name, rule.pattern)) return true;
  if (shared != nullptr || IsCommonplace(rule.name) || HasStar(rule.pattern)) return false;
  return rule.name == "sub" || use == IssuerUse::kOwn || IsOfOneCustomer(issuer_);
}

Result<ClaimRules> ClaimRules::ParseKept(std::string_view issuer,
                                         const std::vector<std::string>& rules) {
  RETURN_IF_ERROR(CheckIssuer(issuer));
  if (rules.size() > kMaxRules) {
    return FailInvalid("a trust can have at most {} rules", kMaxRules);
  }
  ClaimRules out;
  out.issuer_ = issuer;
  for (const std::string& text : rules) {
    ASSIGN_OR_RETURN(Rule rule, ParseRule(text));
    if (out.HasRuleFor(rule.name)) {
      return BadRule(rule.name,
                     "appears twice: all rules must match; add a second trust for the other one");
    }
    out.rules_.push_back(std::move(rule));
  }
  return out;
}

Result<ClaimRules> ClaimRules::Parse(std::string_view issuer, const std::vector<std::string>& rules,
                                     IssuerUse use) {
  ASSIGN_OR_RETURN(ClaimRules out, ParseKept(issuer, rules));
  const bool identified = std::ranges::any_of(
      out.rules_, [&out, use](const Rule& rule) { return out.Identifies(rule, use); });
  if (identified) return out;
  const SharedIssuer* shared = FindSharedIssuer(issuer);
  std::string wanted =
      "one that names the owner, for example repository=OWNER/NAME (GitHub), "
      "project_path=GROUP/PROJECT (GitLab), or the full subject (sub=…). If the issuer signs only "
      "for your jobs, say so (--own-issuer, \"own_issuer\": true), and any claim without \"*\" "
      "that other jobs lack is enough";
  if (shared != nullptr && !shared->claims.empty()) {
    wanted =
        fmt::format("one without \"*\" for a claim that names the owner there: {}", shared->claims);
  }
  return FailInvalid("these rules would trust all jobs at {}: add {}", issuer, wanted);
}

Result<ClaimRules> ClaimRules::ForGitHub(const GitHubTrust& trust) {
  RETURN_IF_ERROR(CheckPath("repository of GitHub (OWNER/NAME)", trust.repository));
  if (std::ranges::count(trust.repository, '/') != 1) {
    return FailInvalid("\"{}\" is not a repository of GitHub: write OWNER/NAME", trust.repository);
  }
  std::vector<std::string> rules{"repository=" + trust.repository};
  if (!trust.ref.empty()) {
    ASSIGN_OR_RETURN(const std::string ref, FullRef(trust.ref));
    rules.push_back("ref=" + ref);
  }
  if (!trust.environment.empty()) rules.push_back("environment=" + trust.environment);
  return Parse(trust.issuer, rules);
}

// GitLab's "ref" is only the name: without "ref_type", a pushed tag "main" would be taken for the
// branch of that name.
Result<ClaimRules> ClaimRules::ForGitLab(const GitLabTrust& trust) {
  RETURN_IF_ERROR(CheckPath("project of GitLab (GROUP/PROJECT)", trust.project));
  std::vector<std::string> rules{"project_path=" + trust.project};
  if (!trust.ref.empty()) {
    ASSIGN_OR_RETURN(const std::string ref, FullRef(trust.ref));
    const bool is_tag = ref.starts_with(kTags);
    rules.push_back("ref=" + ref.substr((is_tag ? kTags : kBranches).size()));
    rules.push_back(is_tag ? "ref_type=tag" : "ref_type=branch");
    if (!trust.unprotected) rules.push_back("ref_protected=true");
  }
  if (!trust.environment.empty()) rules.push_back("environment=" + trust.environment);
  return Parse(trust.issuer, rules);
}

std::vector<std::string> ClaimRules::texts() const {
  std::vector<std::string> out;
  out.reserve(rules_.size());
  for (const Rule& rule : rules_) out.push_back(rule.name + "=" + rule.pattern);
  return out;
}

Status ClaimRules::CheckClaims(const Claims& claims) const {
  if (claims.issuer() != issuer_) {
    return FailForbidden("the token's issuer is not trusted here");
  }
  for (const Rule& rule : rules_) {
    const auto text = claims.Text(rule.name);
    if (!text || text->empty()) {
      return FailForbidden(
          "the token has no claim \"{}\" with a text in it, which must match the trusted value",
          rule.name);
    }
    if (!CoversClaim(rule.name, rule.pattern, *text)) {
      return FailForbidden("the token's claim \"{}\" is \"{}\", which is not trusted here",
                           rule.name, Printable(*text));
    }
  }
  RETURN_IF_ERROR(CheckStart(claims));
  return CheckRefPath(claims);
}

Status ClaimRules::CheckStart(const Claims& claims) const {
  for (const Start& start : kStarts) {
    if (HasRuleFor(start.claim)) continue;
    const std::string_view started_by = claims.Text(start.claim).value_or("");
    // Self-managed forges say it as well; issuers that are none do not.
    if (started_by.empty() && !IsAt(issuer_, start.issuer)) continue;
    if (HasWord(start.trusted, started_by)) continue;
    return FailForbidden(
        "the trigger of the job, \"{}\", is not trusted: others can start some "
        "jobs. To trust it, add a rule (--claim {}=…)",
        Printable(started_by, 80), start.claim);
  }
  return {};
}

// In a pipeline of a merge request GitLab's "ref" is the source branch, in whatever project that
// is.
Status ClaimRules::CheckRefPath(const Claims& claims) const {
  const auto path = claims.Text("ref_path");
  if (!path || !HasRuleFor("ref") || HasRuleFor("ref_path")) return {};
  const bool is_tag = claims.Text("ref_type") == "tag";
  const std::string ref(claims.Text("ref").value_or(""));
  if (*path == std::string(is_tag ? kTags : kBranches) + ref) return {};
  return FailForbidden(
      "the job runs for \"{}\", which is not the trusted branch or tag (the "
      "token's claim \"ref_path\")",
      Printable(*path, 200));
}

bool ClaimRules::TakesAnyRef() const {
  return std::ranges::any_of(
             rules_, [](const Rule& rule) { return NamesOwner(rule.name, rule.pattern); }) &&
         std::ranges::none_of(rules_,
                              [](const Rule& rule) { return NamesRef(rule.name, rule.pattern); });
}

}  // namespace koya::oidc
