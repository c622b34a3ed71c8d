#include "service/sign_in/identity_providers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "auth/principal.h"
#include "base/text.h"
#include "catalog/sign_in_catalog.h"
#include "domain/name_rules.h"
#include "oidc/authorization_code.h"
#include "signing/sealer.h"
#include "upstream/openid/issuer_client.h"

namespace koya::service {
namespace {

using Findings = IdentityProviders::Findings;

constexpr std::size_t kMostProviderText = 256;  // bytes of a client's id, of a claim, of a group
constexpr std::size_t kMostClientSecret = 4096;

Status RequireAdministrator(const auth::Principal& by) {
  RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  return by.RequireAllNamespaces();
}

Status CheckProviderText(std::string_view what, std::string_view text) {
  const bool one_line = IsPlainText(text) && text.find_first_of("\n\r\t") == std::string_view::npos;
  if (!text.empty() && text.size() <= kMostProviderText && one_line) return {};
  return FailInvalid("{} must be 1 to {} bytes without control characters", what,
                     kMostProviderText);
}

Status CheckProviderName(std::string_view name) {
  if (Status checked = CheckAccountName(AccountKind::kService, name); checked) return {};
  return FailInvalid(
      "the provider's name \"{}\" is not allowed: use 1 to 64 letters, digits, "
      "\".\", \"_\" and \"-\", and not dots alone",
      Printable(name, 80));
}

Status CheckClientSecret(std::string_view secret) {
  const bool plain = std::ranges::all_of(secret, [](char c) { return c >= ' ' && c < '\x7f'; });
  if (plain && secret.size() <= kMostClientSecret) return {};
  return FailInvalid(
      "the client's secret must be up to {} letters, digits and signs of ASCII "
      "on one line",
      kMostClientSecret);
}

Status CheckMappings(const NewIdentityProvider& provider) {
  if (provider.groups.empty()) return {};
  if (provider.groups_claim.empty()) {
    return FailInvalid(
        "groups are mapped, but no claim lists a user's groups: name it, often it is \"groups\"");
  }
  if (provider.groups.size() > IdentityProviders::kMostMappings) {
    return FailInvalid("a provider can have at most {} mapped groups",
                       IdentityProviders::kMostMappings);
  }
  for (const GroupMapping& mapping : provider.groups) {
    RETURN_IF_ERROR(CheckProviderText("a group of the provider", mapping.theirs));
    RETURN_IF_ERROR(CheckGroupName(mapping.ours));
  }
  return {};
}

Status CheckNewProvider(const NewIdentityProvider& provider) {
  RETURN_IF_ERROR(CheckProviderName(provider.name));
  RETURN_IF_ERROR(oidc::CheckIssuer(provider.issuer));
  RETURN_IF_ERROR(CheckProviderText("the client's id", provider.client_id));
  RETURN_IF_ERROR(CheckClientSecret(provider.client_secret));
  if (!provider.groups_claim.empty()) {
    RETURN_IF_ERROR(CheckProviderText("the groups' claim", provider.groups_claim));
  }
  return CheckMappings(provider);
}

// Sealed under the name as it was given, so that a secret moved to another provider does not open.
std::string ProviderSealContext(const IdentityProviderRecord& provider) {
  return "identity-provider/" + AsciiLower(provider.name);
}

ProviderFinding Good(std::string text) { return {.good = true, .text = std::move(text)}; }
ProviderFinding Wrong(std::string text) { return {.good = false, .text = std::move(text)}; }

// What the issuer says of itself, against what signing in needs.
void JudgeDocument(const oidc::DiscoveryDocument& document, const IdentityProviderRecord& provider,
                   std::string_view secret, Findings& found) {
  found.push_back(Good(
      fmt::format("{} responds as \"{}\"", oidc::DiscoveryUrl(provider.issuer), document.issuer)));
  if (Status offers = oidc::CheckOffersSignIn(document); !offers) {
    found.push_back(Wrong(offers.error().message));
  } else if (document.code_challenge_methods.empty()) {
    found.push_back(Good("users can sign in; it does not say whether it supports PKCE"));
  } else {
    found.push_back(Good("users can sign in, with PKCE"));
  }
  oidc::ClientAtIssuer client{
      .id = provider.client_id, .secret = std::string(secret), .redirect_uri = {}};
  auto request = oidc::MakeTokenRequest(document, client, "", "");
  if (!request) {
    found.push_back(Wrong(request.error().message));
  } else if (secret.empty()) {
    found.push_back(Good("the client is a public one, without a secret"));
  } else {
    found.push_back(Good(request->authorization.empty()
                             ? "the client's secret is sent in a form (client_secret_post)"
                             : "the client's secret is sent by HTTP Basic (client_secret_basic)"));
  }
}

void JudgeKeys(const Result<std::shared_ptr<const oidc::KeySet>>& keys, Findings& found) {
  if (!keys) {
    found.push_back(Wrong(keys.error().message));
    return;
  }
  const oidc::KeySet& set = **keys;
  std::string count = fmt::format("{} of its keys can be used", set.size());
  found.push_back(set.size() > 0 ? Good(std::move(count)) : Wrong(std::move(count)));
  for (const std::string& left_out : set.left_out()) {
    found.push_back(Good("a key is left out: " + left_out));
  }
}

}  // namespace

Task<IdentityProviderRecord> IdentityProviders::Add(auth::Principal by,
                                                    NewIdentityProvider provider) {
  CO_RETURN_IF_ERROR(RequireAdministrator(by));
  CO_RETURN_IF_ERROR(CheckNewProvider(provider));
  ASSIGN_OR_CO_RETURN(std::vector<IdentityProviderRecord> all,
                      co_await catalog_.ListIdentityProviders());
  if (all.size() >= kMostProviders) {
    co_return FailConflict(
        "there are already {} sign-in providers, the limit: remove one that is no longer used",
        all.size());
  }
  IdentityProviderRecord record{.name = std::move(provider.name),
                                .issuer = std::move(provider.issuer),
                                .client_id = std::move(provider.client_id),
                                .sealed_secret = {},
                                .groups_claim = std::move(provider.groups_claim),
                                .groups = std::move(provider.groups),
                                .created_at = clock_.Now(),
                                .created_by = by.name,
                                .enabled = false};
  if (!provider.client_secret.empty()) {
    record.sealed_secret = sealer_.Seal(ProviderSealContext(record), provider.client_secret);
  }
  CO_RETURN_IF_ERROR(co_await catalog_.AddIdentityProvider(std::move(by.actor), record));
  co_return record;
}

Task<std::vector<IdentityProviderRecord>> IdentityProviders::List(auth::Principal by) {
  CO_RETURN_IF_ERROR(RequireAdministrator(by));
  co_return co_await catalog_.ListIdentityProviders();
}

Task<void> IdentityProviders::Remove(auth::Principal by, std::string name) {
  CO_RETURN_IF_ERROR(RequireAdministrator(by));
  co_return co_await catalog_.RemoveIdentityProvider(std::move(by.actor), std::move(name));
}

Task<Findings> IdentityProviders::Test(auth::Principal by, std::string name) {
  CO_RETURN_IF_ERROR(RequireAdministrator(by));
  ASSIGN_OR_CO_RETURN(IdentityProviderRecord provider, co_await FindProvider(name));
  const bool enabled = provider.enabled;
  ASSIGN_OR_CO_RETURN(Findings found, co_await AskIssuer(std::move(provider)));
  if (!enabled && std::ranges::all_of(found, &ProviderFinding::good)) {
    CO_RETURN_IF_ERROR(
        co_await catalog_.SetProviderEnabled(std::move(by.actor), std::move(name), true));
  }
  co_return found;
}

Task<IdentityProviderRecord> IdentityProviders::Disable(auth::Principal by, std::string name) {
  CO_RETURN_IF_ERROR(RequireAdministrator(by));
  CO_RETURN_IF_ERROR(co_await catalog_.SetProviderEnabled(std::move(by.actor), name, false));
  co_return co_await FindProvider(std::move(name));
}

Task<Findings> IdentityProviders::AskIssuer(IdentityProviderRecord provider) {
  Findings found;
  Result<std::string> secret = SecretOf(provider);
  if (!secret) found.push_back(Wrong(secret.error().message));
  issuers_.DropDocuments(provider.issuer);
  const auto administrators = upstream::IssuerTrust::Administrators();
  auto document = co_await issuers_.Discover(provider.issuer, administrators);
  if (!document) {
    found.push_back(Wrong(document.error().message));
    co_return found;
  }
  JudgeDocument(**document, provider, secret.value_or("unknown"), found);
  auto keys = co_await issuers_.Keys(provider.issuer, administrators, false);
  JudgeKeys(keys, found);
  co_return found;
}

Task<SigningKeys::Resealed> IdentityProviders::Reseal(auth::Principal by) {
  CO_RETURN_IF_ERROR(RequireAdministrator(by));
  ASSIGN_OR_CO_RETURN(std::vector<IdentityProviderRecord> all,
                      co_await catalog_.ListIdentityProviders());
  SigningKeys::Resealed done;
  for (const IdentityProviderRecord& provider : all) {
    if (provider.sealed_secret.empty()) continue;
    auto renewed = sealer_.Renew(ProviderSealContext(provider), provider.sealed_secret);
    if (!renewed) {
      done.lost.push_back("sign-in provider " + provider.name);
    } else if (!*renewed) {
      ++done.current;
    } else {
      Status stored = co_await catalog_.ResealIdentityProvider(by.actor, provider, **renewed);
      // A concurrent call removed the provider, or resealed its secret.
      const bool overtaken = !stored && (stored.error().kind == ErrorKind::kConflict ||
                                         stored.error().kind == ErrorKind::kNotFound);
      if (!stored && !overtaken) co_return Failure(std::move(stored).error());
      ++done.renewed;
    }
  }
  co_return done;
}

Task<std::vector<std::string>> IdentityProviders::Names() {
  ASSIGN_OR_CO_RETURN(std::vector<IdentityProviderRecord> all,
                      co_await catalog_.ListIdentityProviders());
  std::vector<std::string> names;
  for (IdentityProviderRecord& each : all) {
    if (each.enabled) names.push_back(std::move(each.name));
  }
  co_return names;
}

Task<IdentityProviderRecord> IdentityProviders::FindProvider(std::string name) {
  co_return co_await catalog_.FindIdentityProvider(std::move(name));
}

Result<std::string> IdentityProviders::SecretOf(const IdentityProviderRecord& provider) const {
  if (provider.sealed_secret.empty()) return std::string();
  return sealer_.Unseal(ProviderSealContext(provider), provider.sealed_secret);
}

}  // namespace koya::service
