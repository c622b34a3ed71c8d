// The public keys of an issuer: a JSON Web Key Set (RFC 7517) as it was fetched.
//
// What cannot be used costs nobody the other keys: of unknown kinds, for encryption, too weak or
// too large, malformed, or with its secret half published. It is left out, and said in left_out().
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
  std::optional<Algorithm> algorithm;  // the only one that it is for, when it says so
  KeyKind kind = KeyKind::kRsa;
  EvpKey key;

  bool Fits(Algorithm wanted) const {
    return kind == KindFor(wanted) && (!algorithm || *algorithm == wanted);
  }
};

// Moves, and is not copied. Whoever has it may read it on any thread.
class KeySet {
 public:
  static constexpr std::size_t kMaxBytes = 256 << 10;
  static constexpr std::size_t kMaxKeys = 100;
  static constexpr int kLeastRsaBits = 2048;
  static constexpr int kMostRsaBits = 8192;

  // No keys at all.
  KeySet() = default;

  // RSA, EC with P-256 or P-384, OKP with Ed25519. A set without any usable key is taken: nothing
  // verifies with it. Fails: kInvalid when `document` is none, or beyond a bound.
  static Result<KeySet> Parse(std::string_view document);

  // Those with this kid, in the order of the document; of several with one kid all. "": every key.
  // They live as long as this does.
  std::vector<const VerificationKey*> WithId(std::string_view kid) const;

  std::size_t size() const { return keys_.size(); }
  // A sentence for each key that was left out, for whoever sets a provider up.
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  std::vector<VerificationKey> keys_;
  std::vector<std::string> left_out_;
};

}  // namespace koya::oidc
