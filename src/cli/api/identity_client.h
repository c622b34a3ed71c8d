// IdentityClient calls the API of sign-in providers and of trusted publishing. One thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "wire/identity_providers.h"
#include "wire/tokens.h"
#include "wire/trust.h"

namespace koya::cli {

// Every function fails as ApiClient::Call does.
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
