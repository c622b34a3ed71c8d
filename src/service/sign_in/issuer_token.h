// Verifies an issuer's signed token with the keys that the issuer publishes.
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

// Verifies a token. No keys are fetched for a token that is invalid under any key: for another
// audience, expired, or with an unsupported algorithm. Keys are fetched again when the token's key
// is not among them: issuers rotate theirs. `issuers` must outlive the call. Fails:
// kUnauthenticated, naming the broken rule; as IssuerClient.
Task<oidc::Claims> VerifyIssuerToken(upstream::IssuerClient& issuers, upstream::IssuerTrust trust,
                                     std::string token, oidc::Expectations expected);

}  // namespace koya::service
