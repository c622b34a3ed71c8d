#include "oidc/jwks.h"

#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <algorithm>
#include <expected>
#include <utility>

#include "base/base64.h"
#include "base/text.h"
#include "oidc/handle.h"
#include "wire/openid.h"

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

const unsigned char* KeyBytes(std::string_view bytes) {
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
  const BigNumber modulus_number(BN_bin2bn(KeyBytes(n), static_cast<int>(n.size()), nullptr));
  if (BN_num_bits(modulus_number.get()) < KeySet::kLeastRsaBits) {
    return Reason(fmt::format("it has fewer than {} bits", KeySet::kLeastRsaBits));
  }
  const BigNumber exponent_number(
      BN_bin2bn(KeyBytes(e), static_cast<int>(std::min(e.size(), kMostExponentBytes)), nullptr));
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
  EvpKey key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, KeyBytes(*x), x->size()));
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

}  // namespace koya::oidc
