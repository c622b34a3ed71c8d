#include "service/sign_in/issuer_token.h"

#include <utility>

#include "oidc/jwt.h"

namespace koya::service {

Task<oidc::Claims> VerifyIssuerToken(upstream::IssuerClient& issuers, upstream::IssuerTrust trust,
                                     std::string token, oidc::Expectations expected) {
  CO_RETURN_IF_ERROR(oidc::CheckUnverified(token, expected));
  auto keys = co_await issuers.Keys(expected.issuer, trust, false);
  if (!keys) co_return Failure(std::move(keys).error());
  oidc::JwtOutcome outcome = oidc::VerifyJwt(token, **keys, expected);
  if (outcome.verdict != oidc::JwtVerdict::kUnknownKey) co_return std::move(outcome.claims);
  auto renewed = co_await issuers.Keys(expected.issuer, trust, true);
  if (!renewed) co_return Failure(std::move(renewed).error());
  oidc::JwtOutcome again = oidc::VerifyJwt(token, **renewed, expected);
  co_return std::move(again.claims);
}

}  // namespace koya::service
