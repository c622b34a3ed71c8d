// For tests: issuers without a network, and a catalog of providers in memory.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "catalog/sign_in_catalog.h"
#include "domain/account_record.h"
#include "domain/audit_record.h"
#include "domain/identity_record.h"
#include "oidc/issuer_fake.h"
#include "upstream/openid/issuer_client.h"

namespace koya::service {

// One issuer, whose answers the test sets. Not thread-safe.
class FakeIssuerClient final : public upstream::IssuerClient {
 public:
  // "https://id.example.com", with the key "one".
  FakeIssuerClient() {
    document.issuer = "https://id.example.com";
    document.jwks_uri = "https://id.example.com/jwks";
    document.authorization_endpoint = "https://id.example.com/authorize";
    document.token_endpoint = "https://id.example.com/token";
  }

  Task<std::shared_ptr<const oidc::DiscoveryDocument>> Discover(
      std::string issuer, upstream::IssuerTrust trust) override {
    asked.push_back("discover " + issuer);
    trusts.push_back(trust);
    if (down || issuer != document.issuer) co_return Down(issuer);
    co_return std::make_shared<const oidc::DiscoveryDocument>(document);
  }
  Task<std::shared_ptr<const oidc::KeySet>> Keys(std::string issuer, upstream::IssuerTrust trust,
                                                 bool refresh) override {
    asked.push_back((refresh ? "keys refresh " : "keys ") + issuer);
    trusts.push_back(trust);
    if (down || issuer != document.issuer) co_return Down(issuer);
    if (refresh) kept_keys = current_keys;
    co_return std::make_shared<const oidc::KeySet>(*oidc::KeySet::Parse(kept_keys));
  }
  Task<std::string> PostForm(std::string url, upstream::IssuerTrust trust, std::string form,
                             std::string authorization) override {
    asked.push_back("post " + url);
    trusts.push_back(trust);
    forms.push_back({std::move(form), std::move(authorization)});
    co_return answer;
  }
  void DropDocuments(const std::string& issuer) override { asked.push_back("forget " + issuer); }

  static Failure Down(const std::string& issuer) {
    return Fail(ErrorKind::kBadUpstream, issuer + " does not answer");
  }

  // A token of this issuer.
  std::string Token(std::string_view claims, std::string_view kid = "one") const {
    return oidc::SignedToken(key, "EdDSA", kid, claims);
  }

  oidc::FakeKey key = oidc::FakeKey::Ed25519();
  oidc::DiscoveryDocument document;
  std::string kept_keys = oidc::Jwks({key.Jwk("one")});
  std::string current_keys = kept_keys;
  Result<std::string> answer = std::string("{}");
  bool down = false;

  struct Form {
    std::string body;
    std::string authorization;
  };
  std::vector<Form> forms;
  std::vector<std::string> asked;
  std::vector<upstream::IssuerTrust> trusts;
};

// Providers alone, by the rules of sign_in_catalog.h; the groups of ours are those in `groups`.
class FakeIdentityCatalog final : public IdentityCatalog {
 public:
  Task<void> AddIdentityProvider(Actor /*by*/, IdentityProviderRecord provider) override {
    if (Slot(provider.name) != providers.end()) co_return FailConflict("taken");
    for (const GroupMapping& mapping : provider.groups) {
      if (std::ranges::find(groups, mapping.ours) == groups.end()) {
        co_return FailNotFound("no such group");
      }
    }
    providers.push_back(std::move(provider));
    co_return Status();
  }
  Task<IdentityProviderRecord> FindIdentityProvider(std::string name) override {
    auto slot = Slot(name);
    if (slot == providers.end()) co_return FailNotFound("no such provider");
    co_return *slot;
  }
  Task<std::vector<IdentityProviderRecord>> ListIdentityProviders() override {
    co_return providers;
  }
  Task<void> SetProviderEnabled(Actor /*by*/, std::string name, bool enabled) override {
    auto slot = Slot(name);
    if (slot == providers.end()) co_return FailNotFound("no such provider");
    slot->enabled = enabled;
    co_return Status();
  }
  Task<void> RemoveIdentityProvider(Actor /*by*/, std::string name) override {
    auto slot = Slot(name);
    if (slot == providers.end()) co_return FailNotFound("no such provider");
    providers.erase(slot);
    co_return Status();
  }
  Task<void> ResealIdentityProvider(Actor /*by*/, IdentityProviderRecord provider,
                                    std::string sealed_secret) override {
    auto slot = Slot(provider.name);
    if (slot == providers.end() || *slot != provider) {
      co_return FailConflict("another");
    }
    slot->sealed_secret = std::move(sealed_secret);
    co_return Status();
  }
  Task<AccountRecord> RecordIdentity(Actor /*by*/, IdentityClaim claim, UnixSeconds at) override {
    recorded.push_back(claim);
    co_return AccountRecord{.id = "id of " + claim.subject,
                            .name = claim.wanted_name,
                            .created_at = at,
                            .created_by = {},
                            .disabled_at = {}};
  }

  std::vector<IdentityProviderRecord> providers;
  std::vector<std::string> groups;
  std::vector<IdentityClaim> recorded;

 private:
  std::vector<IdentityProviderRecord>::iterator Slot(std::string_view name) {
    return std::ranges::find_if(
        providers, [name](const auto& each) { return EqualsIgnoreCase(each.name, name); });
  }
};

}  // namespace koya::service
