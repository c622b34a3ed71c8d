#include "peers/peer_keys.h"

#include <fmt/format.h>
#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/encoding.h"
#include "base/handle.h"
#include "base/secrets.h"
#include "base/sha256.h"

namespace koya::peers {
namespace {

using Number = Handle<BIGNUM, BN_clear_free>;
using Group = Handle<EC_GROUP, EC_GROUP_free>;
using Point = Handle<EC_POINT, EC_POINT_free>;
using PublicAndPrivate = Handle<EVP_PKEY, EVP_PKEY_free>;
using SelfSigned = Handle<X509, X509_free>;
using Memory = Handle<BIO, BIO_free_all>;

constexpr std::string_view kCertificatePurpose = "koya peer certificate, 1";
// 128 bits more than the order of P-256 has: the remainder of the division is practically uniform
// (FIPS 186-5, A.2.1).
constexpr std::size_t kSeedSize = 48;

Failure PeerKeyFailure(std::string_view what) {
  std::array<char, 256> reason{};
  ERR_error_string_n(ERR_get_error(), reason.data(), reason.size());
  ERR_clear_error();
  return Fail(ErrorKind::kInternal, "the certificate for other servers could not be created",
              std::string(what) + ": " + reason.data());
}

// 1 + seed mod (order - 1): what a private key may be, and never another for the same secret.
Number PrivateNumber(std::string_view server_secret, const EC_GROUP* group) {
  std::array<std::byte, kSeedSize> seed{};
  DeriveKey(server_secret, kCertificatePurpose, seed);
  Number number(
      BN_bin2bn(reinterpret_cast<const unsigned char*>(seed.data()), seed.size(), nullptr));
  WipeSecret(std::span<std::byte>(seed));
  Number most(BN_dup(EC_GROUP_get0_order(group)));
  Handle<BN_CTX, BN_CTX_free> scratch(BN_CTX_new());
  if (!number || !most || !scratch || BN_sub_word(most.get(), 1) != 1 ||
      BN_mod(number.get(), number.get(), most.get(), scratch.get()) != 1 ||
      BN_add_word(number.get(), 1) != 1) {
    return nullptr;
  }
  BN_set_flags(number.get(), BN_FLG_CONSTTIME);
  return number;
}

std::vector<unsigned char> PublicPoint(const BIGNUM* number, const EC_GROUP* group) {
  Point point(EC_POINT_new(group));
  if (!point || EC_POINT_mul(group, point.get(), number, nullptr, nullptr, nullptr) != 1) return {};
  std::vector<unsigned char> bytes(1 + 2 * 32);
  std::size_t size = EC_POINT_point2oct(group, point.get(), POINT_CONVERSION_UNCOMPRESSED,
                                        bytes.data(), bytes.size(), nullptr);
  if (size != bytes.size()) return {};
  return bytes;
}

PublicAndPrivate KeyOf(const BIGNUM* number, const std::vector<unsigned char>& point) {
  Handle<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free> parts(OSSL_PARAM_BLD_new());
  if (!parts ||
      OSSL_PARAM_BLD_push_utf8_string(parts.get(), OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) != 1 ||
      OSSL_PARAM_BLD_push_BN(parts.get(), OSSL_PKEY_PARAM_PRIV_KEY, number) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(parts.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                       point.size()) != 1) {
    return nullptr;
  }
  Handle<OSSL_PARAM, OSSL_PARAM_free> parameters(OSSL_PARAM_BLD_to_param(parts.get()));
  Handle<EVP_PKEY_CTX, EVP_PKEY_CTX_free> context(
      EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
  EVP_PKEY* made = nullptr;
  if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_KEYPAIR, parameters.get()) != 1) {
    return nullptr;
  }
  return PublicAndPrivate(made);
}

PublicAndPrivate DerivedKey(std::string_view server_secret) {
  Group group(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1));
  if (!group) return nullptr;
  Number number = PrivateNumber(server_secret, group.get());
  if (!number) return nullptr;
  std::vector<unsigned char> point = PublicPoint(number.get(), group.get());
  if (point.empty()) return nullptr;
  return KeyOf(number.get(), point);
}

// RFC 5280 §4.1.2.5 defines a date for certificates that do not expire. It is never checked: clocks
// may be wrong.
SelfSigned CertificateOf(EVP_PKEY* key) {
  SelfSigned certificate(X509_new());
  if (!certificate) return nullptr;
  X509* made = certificate.get();
  X509_NAME* name = X509_get_subject_name(made);
  const auto* text = reinterpret_cast<const unsigned char*>("koya peer");
  bool good = X509_set_version(made, X509_VERSION_3) == 1 &&
              ASN1_INTEGER_set(X509_get_serialNumber(made), 1) == 1 &&
              ASN1_TIME_set_string(X509_getm_notBefore(made), "20200101000000Z") == 1 &&
              ASN1_TIME_set_string(X509_getm_notAfter(made), "99991231235959Z") == 1 &&
              X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, text, -1, -1, 0) == 1 &&
              X509_set_issuer_name(made, name) == 1 && X509_set_pubkey(made, key) == 1 &&
              X509_sign(made, key, EVP_sha256()) != 0;
  if (!good) return nullptr;
  return certificate;
}

std::string TextOf(BIO* memory) {
  char* data = nullptr;
  long size = BIO_get_mem_data(memory, &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

std::string PinOf(EVP_PKEY* key) {
  unsigned char* bytes = nullptr;
  int size = i2d_PUBKEY(key, &bytes);
  if (size <= 0) return {};
  std::string text(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return "sha256//" + Base64Encode(Sha256(text));
}

}  // namespace

Result<PeerCertificate> MakePeerCertificate(std::string_view server_secret) {
  PublicAndPrivate key = DerivedKey(server_secret);
  if (!key) return PeerKeyFailure("derive the key");
  SelfSigned certificate = CertificateOf(key.get());
  if (!certificate) return PeerKeyFailure("sign the certificate");
  Memory certificate_text(BIO_new(BIO_s_mem()));
  Memory key_text(BIO_new(BIO_s_secmem()));
  if (!certificate_text || !key_text ||
      PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                    nullptr) != 1) {
    return PeerKeyFailure("write PEM");
  }
  return PeerCertificate{TextOf(certificate_text.get()), TextOf(key_text.get()), PinOf(key.get())};
}

namespace {

constexpr std::string_view kRequestPurpose = "koya peer requests, 1";
constexpr std::size_t kMostMacs = 2;
constexpr std::size_t kMacLength = 2 * std::tuple_size_v<Sha256Bytes>;

// No part but the last may hold a line's end, and that one is a number.
std::string MacOf(const Sha256Bytes& key, const PeerRequest& request) {
  std::string claim =
      fmt::format("{}\n{}\n{}\n{}", request.method, request.path, request.offset, request.time);
  return HexEncode(HmacSha256(key, {claim}));
}

}  // namespace

Result<PeerKeys> PeerKeys::Derive(std::string_view server_secret, std::string_view previous) {
  PeerKeys keys;
  for (std::string_view secret : {server_secret, previous}) {
    if (secret.empty()) continue;
    ASSIGN_OR_RETURN(PeerCertificate made, MakePeerCertificate(secret));
    if (keys.certificate_.empty()) {
      keys.certificate_ = std::move(made.certificate);
      keys.key_ = std::move(made.key);
    }
    keys.pins_ += (keys.pins_.empty() ? "" : ";") + made.pin;
    DeriveKey(secret, kRequestPurpose, keys.mac_keys_.emplace_back());
  }
  return keys;
}

std::string PeerKeys::Sign(const PeerRequest& request) const {
  std::string macs;
  for (const Sha256Bytes& key : mac_keys_) {
    if (!macs.empty()) macs += ' ';
    macs += MacOf(key, request);
  }
  return macs;
}

bool PeerKeys::Accepts(const PeerRequest& request, std::string_view macs, UnixSeconds now) const {
  if (request.time < now - kWindow || request.time > now + kWindow) return false;
  bool accepted = false;
  for (std::size_t given = 0; given < kMostMacs && !macs.empty(); ++given) {
    std::string_view mac = macs.substr(0, macs.find(' '));
    macs.remove_prefix(std::min(macs.size(), mac.size() + 1));
    if (mac.size() != kMacLength) return false;
    for (const Sha256Bytes& key : mac_keys_) {
      if (EqualSecrets(MacOf(key, request), mac)) accepted = true;
    }
  }
  return accepted && macs.empty();
}

}  // namespace koya::peers
