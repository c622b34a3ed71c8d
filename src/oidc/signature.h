// Verifies a token's signature (RFC 7518 §3, RFC 8037 §3.1). Private to this folder.
#pragma once

#include <string_view>

#include "oidc/jwks.h"

namespace koya::oidc {

// The length of the signatures of ES256, ES384 and EdDSA, in bytes; 0 for RSA, whose signatures are
// as long as the key.
std::size_t SignatureSize(Algorithm algorithm);

// Whether `signature` is by `key` over `text`. REQUIRES: key.Fits(algorithm). Any thread.
bool VerifySignature(Algorithm algorithm, const VerificationKey& key, std::string_view text,
                     std::string_view signature);

}  // namespace koya::oidc
