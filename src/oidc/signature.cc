#include "oidc/signature.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <string>

#include "oidc/handle.h"

namespace koya::oidc {
namespace {

using DigestContext = Handle<EVP_MD_CTX, EVP_MD_CTX_free>;
using EcSignature = Handle<ECDSA_SIG, ECDSA_SIG_free>;
using BigInteger = Handle<BIGNUM, BN_free>;

const unsigned char* TextBytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// Nullptr: the algorithm hashes by itself.
const EVP_MD* HashFor(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kRs256:
    case Algorithm::kPs256:
    case Algorithm::kEs256:
      return EVP_sha256();
    case Algorithm::kRs384:
    case Algorithm::kPs384:
    case Algorithm::kEs384:
      return EVP_sha384();
    case Algorithm::kRs512:
    case Algorithm::kPs512:
      return EVP_sha512();
    case Algorithm::kEdDsa:
      return nullptr;
  }
  return nullptr;
}

bool IsPss(Algorithm algorithm) {
  return algorithm == Algorithm::kPs256 || algorithm == Algorithm::kPs384 ||
         algorithm == Algorithm::kPs512;
}

// Tokens hold the two numbers of an ECDSA signature side by side; OpenSSL wants them in DER.
// "" when they cannot be such numbers. Their range is OpenSSL's to check.
std::string DerOf(std::string_view signature) {
  const int half = static_cast<int>(signature.size() / 2);
  BigInteger r(BN_bin2bn(TextBytes(signature), half, nullptr));
  BigInteger s(BN_bin2bn(TextBytes(signature) + half, half, nullptr));
  const EcSignature pair(ECDSA_SIG_new());
  if (!r || !s || !pair || ECDSA_SIG_set0(pair.get(), r.get(), s.get()) != 1) return {};
  (void)r.release();  // the pair's own now
  (void)s.release();
  const int size = i2d_ECDSA_SIG(pair.get(), nullptr);
  if (size <= 0) return {};
  std::string der(static_cast<std::size_t>(size), '\0');
  auto* out = reinterpret_cast<unsigned char*>(der.data());
  return i2d_ECDSA_SIG(pair.get(), &out) == size ? der : std::string();
}

bool Verify(Algorithm algorithm, EVP_PKEY* key, std::string_view text, std::string_view signature) {
  const DigestContext context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* options = nullptr;  // the context's own
  if (!context ||
      EVP_DigestVerifyInit(context.get(), &options, HashFor(algorithm), nullptr, key) != 1) {
    return false;
  }
  // The salt is as long as the digest (RFC 7518 §3.5), and the mask made with the same hash, which
  // is what OpenSSL takes when nothing is said.
  if (IsPss(algorithm) &&
      (EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) != 1 ||
       EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) != 1)) {
    return false;
  }
  return EVP_DigestVerify(context.get(), TextBytes(signature), signature.size(), TextBytes(text),
                          text.size()) == 1;
}

}  // namespace

std::size_t SignatureSize(Algorithm algorithm) {
  switch (KindFor(algorithm)) {
    case KeyKind::kP256:
    case KeyKind::kEd25519:
      return 64;
    case KeyKind::kP384:
      return 96;
    case KeyKind::kRsa:
      return 0;
  }
  return 0;
}

bool VerifySignature(Algorithm algorithm, const VerificationKey& key, std::string_view text,
                     std::string_view signature) {
  std::size_t size = SignatureSize(algorithm);
  // OpenSSL would take one without the zero that it begins with (RFC 8017 §8.1.2, step 1).
  if (size == 0) size = static_cast<std::size_t>(EVP_PKEY_get_size(key.key.get()));
  if (signature.empty() || signature.size() != size) return false;
  const bool is_pair = key.kind == KeyKind::kP256 || key.kind == KeyKind::kP384;
  const std::string der = is_pair ? DerOf(signature) : std::string();
  const bool holds =
      (!is_pair || !der.empty()) &&
      Verify(algorithm, key.key.get(), text, is_pair ? std::string_view(der) : signature);
  ERR_clear_error();
  return holds;
}

}  // namespace koya::oidc
