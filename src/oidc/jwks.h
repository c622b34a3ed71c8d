// Parses the public keys of an issuer: a fetched JSON Web Key Set (RFC 7517).
//
// An unusable key does not invalidate the others: keys of unknown types, for encryption, too weak
// or too large, malformed, or with a published secret half are skipped, and listed in left_out().
//
// Verifies signatures of tokens with them (RFC 7518 §3, RFC 8037 §3.1): only this folder does.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "oidc/algorithm.h"

struct evp_pkey_st;  // OpenSSL's EVP_PKEY

namespace koya::oidc {

struct EvpKeyFree {
  void operator()(evp_pkey_st* key) const;
};
using EvpKey = std::unique_ptr<evp_pkey_st, EvpKeyFree>;

struct VerificationKey {
  std::string kid;                     // "" when it has none
  std::optional<Algorithm> algorithm;  // its only permitted algorithm, if it states one
  KeyKind kind = KeyKind::kRsa;
  EvpKey key;

  bool Fits(Algorithm wanted) const {
    return kind == KindFor(wanted) && (!algorithm || *algorithm == wanted);
  }
};

// Move-only. Reading is thread-safe.
class KeySet {
 public:
  static constexpr std::size_t kMaxBytes = 256 << 10;
  static constexpr std::size_t kMaxKeys = 100;
  static constexpr int kLeastRsaBits = 2048;
  static constexpr int kMostRsaBits = 8192;

  // No keys at all.
  KeySet() = default;

  // Accepts RSA, EC with P-256 or P-384, and OKP with Ed25519. A set without any usable key is
  // accepted: nothing verifies with it. Fails: kInvalid when `document` is malformed, or over a
  // limit.
  static Result<KeySet> Parse(std::string_view document);

  // The keys with this kid, in the order of the document, also when several have the same one. "":
  // every key. They live as long as the set.
  std::vector<const VerificationKey*> WithId(std::string_view kid) const;

  std::size_t size() const { return keys_.size(); }
  // A sentence for each skipped key, for the administrator who configures the provider.
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  std::vector<VerificationKey> keys_;
  std::vector<std::string> left_out_;
};

// The length of the signatures of ES256, ES384 and EdDSA, in bytes; 0 for RSA, whose signatures are
// as long as the key.
std::size_t SignatureSize(Algorithm algorithm);

// Whether `signature` is by `key` over `text`. REQUIRES: key.Fits(algorithm). Any thread.
bool VerifySignature(Algorithm algorithm, const VerificationKey& key, std::string_view text,
                     std::string_view signature);

}  // namespace koya::oidc
