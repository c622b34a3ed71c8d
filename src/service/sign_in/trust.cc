#include "service/sign_in/trust.h"

#include <algorithm>
#include <utility>

#include "auth/principal.h"
#include "auth/token.h"
#include "base/text.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/token_catalog.h"
#include "domain/credential_record.h"
#include "domain/identity_record.h"
#include "domain/name_rules.h"
#include "oidc/claim_rules.h"

namespace koya::service {
namespace {

Result<std::string> TrustingNamespace(const auth::Principal& by, std::string_view ns) {
  ASSIGN_OR_RETURN(std::string name, ParseNamespaceName(ns));
  RETURN_IF_ERROR(by.RequireOwnership(name));
  return name;
}

oidc::IssuerUse UseOf(const NewTrust& trust) {
  return trust.own_issuer ? oidc::IssuerUse::kOwn : oidc::IssuerUse::kMaybeShared;
}

Result<oidc::ClaimRules> PresetOf(const NewTrust& trust) {
  if (!trust.github.empty()) {
    oidc::GitHubTrust preset{
        .repository = trust.github, .ref = trust.ref, .environment = trust.environment};
    if (!trust.issuer.empty()) preset.issuer = trust.issuer;
    return oidc::ClaimRules::ForGitHub(preset);
  }
  // A claim about it that is given decides.
  const bool says = std::ranges::any_of(
      trust.claims, [](const std::string& claim) { return claim.starts_with("ref_protected="); });
  oidc::GitLabTrust preset{.project = trust.gitlab,
                           .ref = trust.ref,
                           .environment = trust.environment,
                           .unprotected = trust.unprotected || says};
  if (!trust.issuer.empty()) preset.issuer = trust.issuer;
  return oidc::ClaimRules::ForGitLab(preset);
}

}  // namespace

Result<oidc::ClaimRules> RulesOf(const NewTrust& trust) {
  if (!trust.github.empty() && !trust.gitlab.empty()) {
    return FailInvalid(
        "a job runs at GitHub or at GitLab: name one of them, and add a second trust for "
        "the other");
  }
  if (!trust.github.empty() || !trust.gitlab.empty()) {
    ASSIGN_OR_RETURN(oidc::ClaimRules preset, PresetOf(trust));
    std::vector<std::string> rules = preset.texts();
    rules.insert(rules.end(), trust.claims.begin(), trust.claims.end());
    return oidc::ClaimRules::Parse(preset.issuer(), rules, UseOf(trust));
  }
  if (!trust.ref.empty() || !trust.environment.empty() || trust.unprotected) {
    return FailInvalid(
        "a ref and an environment need a repository of GitHub or a project of GitLab; "
        "elsewhere give the claims themselves, for example ref=main");
  }
  if (trust.issuer.empty()) {
    return FailInvalid(
        "name what to trust: a repository of GitHub, a project of GitLab, or an issuer "
        "with claims");
  }
  return oidc::ClaimRules::Parse(trust.issuer, trust.claims, UseOf(trust));
}

bool TakesAnyRef(const TrustRecord& trust) {
  auto rules = oidc::ClaimRules::ParseKept(trust.issuer, trust.rules);
  return rules && rules->TakesAnyRef();
}

Task<TrustRecord> Trust::Add(auth::Principal by, std::string ns, NewTrust trust) {
  ASSIGN_OR_CO_RETURN(std::string name, TrustingNamespace(by, ns));
  ASSIGN_OR_CO_RETURN(oidc::ClaimRules rules, RulesOf(trust));
  ASSIGN_OR_CO_RETURN(std::vector<TrustRecord> all, co_await catalog_.ListTrust(name));
  if (all.size() >= kMost) {
    co_return FailConflict(
        "the namespace \"{}\" already has {} trusts, the limit: remove "
        "unused ones, or let one pattern cover several",
        name, all.size());
  }
  TrustRecord record{.id = auth::RandomId(),
                     .ns = std::move(name),
                     .issuer = rules.issuer(),
                     .rules = rules.texts(),
                     .created_at = clock_.Now(),
                     .created_by = by.name};
  CO_RETURN_IF_ERROR(co_await catalog_.AddTrust(std::move(by.actor), record));
  co_return record;
}

Task<std::vector<TrustRecord>> Trust::List(auth::Principal by, std::string ns) {
  ASSIGN_OR_CO_RETURN(std::string name, TrustingNamespace(by, ns));
  co_return co_await catalog_.ListTrust(std::move(name));
}

Task<void> Trust::Remove(auth::Principal by, std::string ns, std::string id) {
  ASSIGN_OR_CO_RETURN(std::string name, TrustingNamespace(by, ns));
  co_return co_await catalog_.RemoveTrust(std::move(by.actor), std::move(name), std::move(id));
}

Task<std::vector<TokenRecord>> Trust::ListTokens(auth::Principal by, std::string ns) {
  ASSIGN_OR_CO_RETURN(std::string name, TrustingNamespace(by, ns));
  co_return co_await tokens_.ListJobTokens(std::move(name));
}

Task<void> Trust::EndToken(auth::Principal by, std::string ns, std::string name) {
  ASSIGN_OR_CO_RETURN(std::vector<TokenRecord> all, co_await ListTokens(by, ns));
  auto token = std::ranges::find(all, name, &TokenRecord::name);
  if (token == all.end()) {
    co_return FailNotFound(
        "no job has a token named \"{}\" in that namespace: list the tokens "
        "of its jobs to see their names",
        Printable(name));
  }
  co_return co_await tokens_.RevokeToken(std::move(by.actor), std::move(name), token->secret);
}

}  // namespace koya::service
