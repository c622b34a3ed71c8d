#include "app/identity_parts.h"

#include <string>
#include <utility>

#include "app/mirror_parts.h"
#include "service/sign_in/identity_providers.h"
#include "service/sign_in/provider_sign_in.h"
#include "service/sign_in/token_exchange.h"
#include "service/sign_in/trust.h"
#include "upstream/openid/http_issuer_client.h"

namespace koya {

struct IdentityParts::Impl {
  Impl(Catalog& catalog, std::unique_ptr<ExchangeClock> with_clock,
       std::unique_ptr<upstream::HttpIssuerClient> with, const signing::Sealer& sealer,
       const Clock& clock, std::string given_audience)
      : exchange_clock(std::move(with_clock)),
        issuers(std::move(with)),
        providers(catalog, *issuers, sealer, clock),
        sign_in(providers, catalog, *issuers, sealer, clock),
        trust(catalog, catalog, clock),
        exchange(catalog, catalog, catalog, *issuers, clock),
        audience(std::move(given_audience)) {}

  std::unique_ptr<ExchangeClock> exchange_clock;
  std::unique_ptr<upstream::HttpIssuerClient> issuers;
  service::IdentityProviders providers;
  service::ProviderSignIn sign_in;
  service::Trust trust;
  service::TokenExchange exchange;
  const std::string audience;
};

Result<std::unique_ptr<IdentityParts>> IdentityParts::Create(const Settings& settings,
                                                             const Stores& stores,
                                                             const signing::Sealer& sealer,
                                                             const Clock& clock) {
  auto exchange_clock = std::make_unique<SystemExchangeClock>();
  ASSIGN_OR_RETURN(
      std::unique_ptr<upstream::HttpIssuerClient> issuers,
      upstream::HttpIssuerClient::Create(UpstreamOptionsOf(settings), *exchange_clock));
  auto impl = std::make_unique<Impl>(*stores.catalog, std::move(exchange_clock), std::move(issuers),
                                     sealer, clock, settings.access.oidc_audience);
  return std::unique_ptr<IdentityParts>(new IdentityParts(std::move(impl)));
}

IdentityParts::IdentityParts(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
IdentityParts::~IdentityParts() { Stop(); }

api::IdentityServices IdentityParts::services() {
  return {.providers = impl_->providers,
          .sign_in = impl_->sign_in,
          .trust = impl_->trust,
          .exchange = impl_->exchange,
          .audience = impl_->audience};
}

void IdentityParts::Stop() { impl_->issuers->Stop(); }

}  // namespace koya
