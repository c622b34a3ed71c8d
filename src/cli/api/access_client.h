// Clients of the API of who may do what: one function per call, documents decoded. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "domain/account_record.h"
#include "domain/namespace_record.h"
#include "wire/accounts.h"
#include "wire/identity_providers.h"
#include "wire/namespaces.h"
#include "wire/sign_in.h"
#include "wire/tokens.h"
#include "wire/trust.h"

namespace koya::cli {

// Users, service accounts, groups, namespaces and grants. Every function fails as ApiClient::Call
// does.
class AccessClient {
 public:
  explicit AccessClient(RegistryClientOptions options) : api_(std::move(options)) {}

  // `admin` applies to users only.
  Result<wire::Account> CreateAccount(AccountKind kind, const std::string& name, bool admin);
  Result<std::vector<wire::Account>> ListAccounts(AccountKind kind);
  Result<wire::Account> DisableAccount(AccountKind kind, std::string_view name);
  Result<wire::Account> EnableAccount(AccountKind kind, std::string_view name);
  Status DeleteAccount(AccountKind kind, std::string_view name);

  // Creates the first administrator of a server that has none.
  Result<wire::Account> SetUp(const wire::SetupRequest& request);
  Status PutLanguage(std::string_view user, std::string_view language);
  Status PutPassword(std::string_view user, const wire::PasswordRequest& request);
  // "": sessions of the token's own account; with an administrator's token, those of all users.
  Result<std::vector<wire::Session>> ListSessions(std::string_view user);
  Status EndSession(std::string_view id);
  Result<std::uint64_t> EndSessionsOf(std::string_view user);

  Result<wire::Group> CreateGroup(std::string_view name);
  Result<std::vector<wire::Group>> ListGroups();
  Status DeleteGroup(std::string_view name);
  Result<std::vector<wire::GroupMember>> ListMembers(std::string_view group);
  Status AddMember(std::string_view group, AccountKind kind, std::string_view name);
  Status RemoveMember(std::string_view group, AccountKind kind, std::string_view name);

  struct NamespaceOutcome {
    wire::Namespace ns;
    bool created = false;  // false: it existed
  };
  Result<NamespaceOutcome> SetNamespace(std::string_view ns, const wire::NamespaceRequest& request);
  Result<std::vector<wire::Namespace>> ListNamespaces();
  Result<wire::Namespace> ShowNamespace(std::string_view ns);
  Result<wire::Grant> PutGrant(std::string_view ns, GranteeKind kind, std::string_view name,
                               std::string_view role);
  Result<std::vector<wire::Grant>> ListGrants(std::string_view ns);
  Status RemoveGrant(std::string_view ns, GranteeKind kind, std::string_view name);

 private:
  ApiClient api_;
};

// Sign-in providers and trusted publishing. Every function fails as ApiClient::Call does.
class IdentityClient {
 public:
  explicit IdentityClient(RegistryClientOptions options) : api_(std::move(options)) {}

  Result<wire::IdentityProvider> AddProvider(const wire::IdentityProvider& provider);
  Result<std::vector<wire::IdentityProvider>> ListProviders();
  Result<wire::IdentityProviderReport> TestProvider(std::string_view name);
  Status RemoveProvider(std::string_view name);

  Result<wire::Trust> AddTrust(std::string_view ns, const wire::TrustRequest& request);
  Result<std::vector<wire::Trust>> ListTrust(std::string_view ns);
  Status RemoveTrust(std::string_view ns, std::string_view id);
  Result<std::vector<wire::Token>> ListJobTokens(std::string_view ns);
  Status EndJobToken(std::string_view ns, std::string_view name);
  // Exchanges a CI's token for a token to publish with.
  Result<wire::ExchangedToken> Exchange(const wire::TokenExchange& exchange);

 private:
  ApiClient api_;
};

}  // namespace koya::cli
