#include "cli/api/identity_client.h"

#include <fmt/format.h>

namespace koya::cli {
namespace {

std::string ProviderPath(std::string_view name) {
  return "/api/v1/idps/" + http::PercentEncode(name);
}
std::string TrustPath(std::string_view ns) {
  return fmt::format("/api/v1/namespaces/{}/trust", http::PercentEncode(ns));
}

}  // namespace

Result<wire::IdentityProvider> IdentityClient::AddProvider(const wire::IdentityProvider& provider) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", "/api/v1/idps", wire::EncodeIdentityProvider(provider)));
  return wire::DecodeIdentityProvider(response.body);
}

Result<std::vector<wire::IdentityProvider>> IdentityClient::ListProviders() {
  ASSIGN_OR_RETURN(std::string body, api_.Get("/api/v1/idps"));
  return wire::DecodeIdentityProviderList(body);
}

Result<wire::IdentityProviderReport> IdentityClient::TestProvider(std::string_view name) {
  ASSIGN_OR_RETURN(http::ClientResponse response, api_.Send("POST", ProviderPath(name) + "/test"));
  return wire::DecodeIdentityProviderReport(response.body);
}

Status IdentityClient::RemoveProvider(std::string_view name) {
  auto response = api_.Send("DELETE", ProviderPath(name));
  return response ? Status() : Failure(std::move(response).error());
}

Result<wire::Trust> IdentityClient::AddTrust(std::string_view ns,
                                             const wire::TrustRequest& request) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", TrustPath(ns), wire::EncodeTrustRequest(request)));
  return wire::DecodeTrust(response.body);
}

Result<std::vector<wire::Trust>> IdentityClient::ListTrust(std::string_view ns) {
  ASSIGN_OR_RETURN(std::string body, api_.Get(TrustPath(ns)));
  return wire::DecodeTrustList(body);
}

Result<std::vector<wire::Token>> IdentityClient::ListJobTokens(std::string_view ns) {
  ASSIGN_OR_RETURN(std::string body, api_.Get(TrustPath(ns) + "/tokens"));
  return wire::DecodeTokenList(body);
}

Status IdentityClient::EndJobToken(std::string_view ns, std::string_view name) {
  auto response =
      api_.Send("DELETE", fmt::format("{}/tokens/{}", TrustPath(ns), http::PercentEncode(name)));
  return response ? Status() : Failure(std::move(response).error());
}

Status IdentityClient::RemoveTrust(std::string_view ns, std::string_view id) {
  auto response = api_.Send("DELETE", fmt::format("{}/{}", TrustPath(ns), http::PercentEncode(id)));
  return response ? Status() : Failure(std::move(response).error());
}

Result<wire::ExchangedToken> IdentityClient::Exchange(const wire::TokenExchange& exchange) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", "/api/v1/oidc/exchange", wire::EncodeTokenExchange(exchange)));
  return wire::DecodeExchangedToken(response.body);
}

}  // namespace koya::cli
