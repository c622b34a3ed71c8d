#include "oidc/jwks.h"

#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <expected>
#include <string>
#include <utility>

#include "base/encoding.h"
#include "base/handle.h"
#include "base/text.h"
#include "wire/foreign/openid.h"

namespace koya::oidc {
namespace {

using BigNumber = Handle<BIGNUM, BN_free>;
using ParamBuilder = Handle<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free>;
using Params = Handle<OSSL_PARAM, OSSL_PARAM_free>;
using KeyContext = Handle<EVP_PKEY_CTX, EVP_PKEY_CTX_free>;

// Why a key is left out, if it is: the end of a sentence.
template <class T>
using OrReason = std::expected<T, std::string>;
using Reason = std::unexpected<std::string>;

constexpr std::size_t kMostExponentBytes = 4;  // more only makes verification slower

const unsigned char* BytesOf(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

std::string_view WithoutLeadingZeros(std::string_view bytes) {
  return bytes.substr(std::min(bytes.find_first_not_of('\0'), bytes.size()));
}

// Nullptr: these numbers are no key of that type.
EvpKey MakeKey(const char* type, OSSL_PARAM_BLD* builder) {
  const Params params(OSSL_PARAM_BLD_to_param(builder));
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  if (!params || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get()) != 1) {
    key = nullptr;
  }
  ERR_clear_error();
  return EvpKey(key);
}

OrReason<EvpKey> ReadRsaKey(const wire::JsonWebKey& written) {
  const auto modulus = Base64UrlDecode(written.n);
  const auto exponent = Base64UrlDecode(written.e);
  if (!modulus || !exponent) return Reason("its numbers are not base64url");
  const std::string_view n = WithoutLeadingZeros(*modulus);
  const std::string_view e = WithoutLeadingZeros(*exponent);
  if (n.size() * 8 > static_cast<std::size_t>(KeySet::kMostRsaBits)) {
    return Reason(fmt::format("it has more than {} bits", KeySet::kMostRsaBits));
  }
  const BigNumber modulus_number(BN_bin2bn(BytesOf(n), static_cast<int>(n.size()), nullptr));
  if (BN_num_bits(modulus_number.get()) < KeySet::kLeastRsaBits) {
    return Reason(fmt::format("it has fewer than {} bits", KeySet::kLeastRsaBits));
  }
  const BigNumber exponent_number(
      BN_bin2bn(BytesOf(e), static_cast<int>(std::min(e.size(), kMostExponentBytes)), nullptr));
  if (e.size() > kMostExponentBytes || !BN_is_odd(exponent_number.get()) ||
      BN_is_one(exponent_number.get()) || !BN_is_odd(modulus_number.get())) {
    return Reason("its numbers are not those of an RSA key");
  }
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, modulus_number.get());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, exponent_number.get());
  EvpKey key = MakeKey("RSA", builder.get());
  if (!key) return Reason("its numbers are not those of an RSA key");
  return key;
}

OrReason<EvpKey> ReadCurveKey(const wire::JsonWebKey& written, KeyKind kind) {
  const std::size_t size = kind == KeyKind::kP256 ? 32 : 48;
  const auto x = Base64UrlDecode(written.x);
  const auto y = Base64UrlDecode(written.y);
  if (!x || !y || x->size() != size || y->size() != size) {
    return Reason("its coordinates do not have the length of its curve");
  }
  const std::string point = "\x04" + *x + *y;  // uncompressed
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME,
                                  kind == KeyKind::kP256 ? "P-256" : "P-384", 0);
  OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                   point.size());
  EvpKey key = MakeKey("EC", builder.get());
  const KeyContext context(key ? EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr) : nullptr);
  const bool on_curve = context && EVP_PKEY_public_check(context.get()) == 1;
  ERR_clear_error();
  if (!on_curve) return Reason("its point is not on its curve");
  return key;
}

OrReason<EvpKey> ReadEdwardsKey(const wire::JsonWebKey& written) {
  const auto x = Base64UrlDecode(written.x);
  if (!x || x->size() != 32) return Reason("it does not have 32 bytes");
  EvpKey key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, BytesOf(*x), x->size()));
  ERR_clear_error();
  if (!key) return Reason("it is not an Ed25519 key");
  return key;
}

std::optional<KeyKind> KindOf(const wire::JsonWebKey& written) {
  if (written.kty == "RSA") return KeyKind::kRsa;
  if (written.kty == "EC" && written.crv == "P-256") return KeyKind::kP256;
  if (written.kty == "EC" && written.crv == "P-384") return KeyKind::kP384;
  if (written.kty == "OKP" && written.crv == "Ed25519") return KeyKind::kEd25519;
  return std::nullopt;
}

bool IsForSignatures(const wire::JsonWebKey& written) {
  return (written.use.empty() || written.use == "sig") &&
         (written.key_ops.empty() ||
          std::ranges::find(written.key_ops, "verify") != written.key_ops.end());
}

OrReason<EvpKey> ReadNumbers(const wire::JsonWebKey& written, KeyKind kind) {
  switch (kind) {
    case KeyKind::kRsa:
      return ReadRsaKey(written);
    case KeyKind::kP256:
    case KeyKind::kP384:
      return ReadCurveKey(written, kind);
    case KeyKind::kEd25519:
      return ReadEdwardsKey(written);
  }
  return Reason("its kind is not known");
}

OrReason<VerificationKey> ReadKey(const wire::JsonWebKey& written) {
  const std::optional<KeyKind> kind = KindOf(written);
  if (!kind) return Reason("it is none of RSA, EC with P-256 or P-384, OKP with Ed25519");
  if (!IsForSignatures(written)) return Reason("it is not for signatures");
  if (!written.d.empty()) return Reason("its secret half is published with it");
  const std::optional<Algorithm> algorithm = ParseAlgorithm(written.alg);
  if (!written.alg.empty() && (!algorithm || KindFor(*algorithm) != *kind)) {
    return Reason("its algorithm is not accepted, or not with such a key");
  }
  auto key = ReadNumbers(written, *kind);
  if (!key) return Reason(std::move(key).error());
  return VerificationKey{written.kid, algorithm, *kind, *std::move(key)};
}

using DigestContext = Handle<EVP_MD_CTX, EVP_MD_CTX_free>;
using EcSignature = Handle<ECDSA_SIG, ECDSA_SIG_free>;

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
  BigNumber r(BN_bin2bn(BytesOf(signature), half, nullptr));
  BigNumber s(BN_bin2bn(BytesOf(signature) + half, half, nullptr));
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
  return EVP_DigestVerify(context.get(), BytesOf(signature), signature.size(), BytesOf(text),
                          text.size()) == 1;
}

}  // namespace

void EvpKeyFree::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }

Result<KeySet> KeySet::Parse(std::string_view document) {
  if (document.size() > kMaxBytes) {
    return FailLimit(ErrorKind::kInvalid, "fixed.jwks_bytes",
                     fmt::format("the key set is larger than {} KiB", kMaxBytes >> 10));
  }
  ASSIGN_OR_RETURN(const wire::JsonWebKeys written, wire::DecodeJsonWebKeys(document));
  if (written.keys.size() + written.skipped > kMaxKeys) {
    return FailLimit(ErrorKind::kInvalid, "fixed.jwks_keys",
                     fmt::format("the key set has more than {} keys", kMaxKeys));
  }
  KeySet out;
  for (const wire::JsonWebKey& each : written.keys) {
    auto key = ReadKey(each);
    if (key) {
      out.keys_.push_back(*std::move(key));
    } else {
      out.left_out_.push_back(
          fmt::format("key \"{}\" is left out: {}", Printable(each.kid, 100), key.error()));
    }
  }
  if (written.skipped > 0) {
    out.left_out_.push_back(fmt::format("{} keys are malformed", written.skipped));
  }
  return out;
}

std::vector<const VerificationKey*> KeySet::WithId(std::string_view kid) const {
  std::vector<const VerificationKey*> found;
  for (const VerificationKey& each : keys_) {
    if (kid.empty() || each.kid == kid) found.push_back(&each);
  }
  return found;
}

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
