// A signed token of an issuer, verified with the keys that the issuer publishes.
#pragma once

#include <memory>
#include <string>

#include "base/task.h"
#include "upstream/openid/issuer_client.h"

namespace koya::oidc {
class Claims;
struct Expectations;
}  // namespace koya::oidc

namespace koya::service {

// No keys are fetched for a token that is refused whatever they are: for another audience, expired,
// with an algorithm that is not taken. Keys are fetched anew when the token's is not among them:
// issuers rotate theirs. `issuers` must outlive the call. Fails: kUnauthenticated, saying which
// rule was broken; as IssuerClient.
Task<oidc::Claims> VerifyIssuerToken(upstream::IssuerClient& issuers, upstream::IssuerTrust trust,
                                     std::string token, oidc::Expectations expected);

}  // namespace koya::service
