#include "oidc/issuer_fake.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <array>
#include <span>
#include <stdexcept>

#include "base/encoding.h"
#include "base/handle.h"

namespace koya::oidc {
namespace {

void MustWork(bool works, const char* what) {
  if (!works) throw std::runtime_error(what);
}

const unsigned char* BytesToSign(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* WritableBytes(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

const EVP_MD* HashNamed(std::string_view alg) {
  if (alg == "EdDSA") return nullptr;
  return alg.ends_with("384") ? EVP_sha384() : alg.ends_with("512") ? EVP_sha512() : EVP_sha256();
}

// `size`: with leading zeros; 0: as few bytes as there are.
std::string NumberBytes(EVP_PKEY* key, const char* name, int size) {
  BIGNUM* number = nullptr;
  MustWork(EVP_PKEY_get_bn_param(key, name, &number) == 1, name);
  const Handle<BIGNUM, BN_free> owner(number);
  std::string out(static_cast<std::size_t>(size == 0 ? BN_num_bytes(number) : size), '\0');
  BN_bn2binpad(number, WritableBytes(out), static_cast<int>(out.size()));
  return out;
}

}  // namespace

FakeKey::FakeKey(evp_pkey_st* key) : key_(key, EVP_PKEY_free) {
  MustWork(key != nullptr, "cannot make a key");
  if (EVP_PKEY_get_base_id(key) == EVP_PKEY_EC) half_ = (EVP_PKEY_get_bits(key) + 7) / 8;
}

FakeKey FakeKey::Rsa(int bits) { return FakeKey(EVP_RSA_gen(static_cast<unsigned>(bits))); }

FakeKey FakeKey::Curve(const std::string& curve) { return FakeKey(EVP_EC_gen(curve.c_str())); }

FakeKey FakeKey::Ed25519(char seed) {
  const std::string bytes(32, seed);
  return FakeKey(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, BytesToSign(bytes), bytes.size()));
}

std::string FakeKey::Member(std::string_view name) const {
  EVP_PKEY* key = key_.get();
  if (name == "n") return InBase64Url(NumberBytes(key, OSSL_PKEY_PARAM_RSA_N, 0));
  if (name == "e") return InBase64Url(NumberBytes(key, OSSL_PKEY_PARAM_RSA_E, 0));
  if (name == "y") return InBase64Url(NumberBytes(key, OSSL_PKEY_PARAM_EC_PUB_Y, half_));
  if (half_ > 0) return InBase64Url(NumberBytes(key, OSSL_PKEY_PARAM_EC_PUB_X, half_));
  std::string raw(32, '\0');
  std::size_t size = raw.size();
  MustWork(EVP_PKEY_get_raw_public_key(key, WritableBytes(raw), &size) == 1, "x");
  return InBase64Url(raw);
}

std::string FakeKey::Jwk(std::string_view kid, std::string_view more) const {
  std::string out;
  const int type = EVP_PKEY_get_base_id(key_.get());
  if (type == EVP_PKEY_RSA) {
    out = R"({"kty":"RSA","n":")" + Member("n") + R"(","e":")" + Member("e");
  } else if (type == EVP_PKEY_EC) {
    const std::string curve = half_ == 32 ? "P-256" : half_ == 48 ? "P-384" : "P-521";
    out =
        R"({"kty":"EC","crv":")" + curve + R"(","x":")" + Member("x") + R"(","y":")" + Member("y");
  } else {
    out = R"({"kty":"OKP","crv":"Ed25519","x":")" + Member("x");
  }
  if (!kid.empty()) out += R"(","kid":")" + std::string(kid);
  return out + "\"" + std::string(more) + "}";
}

// `salt`: -1 for as many bytes as the digest has.
std::string FakeKey::SignPlain(std::string_view alg, std::string_view text, int salt) const {
  const Handle<EVP_MD_CTX, EVP_MD_CTX_free> context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* options = nullptr;
  const bool hashes_itself = EVP_PKEY_get_base_id(key_.get()) == EVP_PKEY_ED25519;
  MustWork(EVP_DigestSignInit(context.get(), &options, hashes_itself ? nullptr : HashNamed(alg),
                              nullptr, key_.get()) == 1,
           "cannot sign");
  if (alg.starts_with("PS")) {
    EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING);
    EVP_PKEY_CTX_set_rsa_pss_saltlen(options, salt);
  }
  std::size_t size = 0;
  EVP_DigestSign(context.get(), nullptr, &size, BytesToSign(text), text.size());
  std::string out(size, '\0');
  MustWork(
      EVP_DigestSign(context.get(), WritableBytes(out), &size, BytesToSign(text), text.size()) == 1,
      "cannot sign");
  out.resize(size);
  return out;
}

std::string FakeKey::SignWithSalt(std::string_view alg, std::string_view text, int salt) const {
  return SignPlain(alg, text, salt);
}

std::string FakeKey::SignInDer(std::string_view alg, std::string_view text) const {
  return SignPlain(alg, text);
}

std::string FakeKey::Sign(std::string_view alg, std::string_view text) const {
  std::string signature = SignPlain(alg, text);
  if (half_ == 0) return signature;
  const unsigned char* der = BytesToSign(signature);
  const Handle<ECDSA_SIG, ECDSA_SIG_free> pair(
      d2i_ECDSA_SIG(nullptr, &der, static_cast<long>(signature.size())));
  std::string out(static_cast<std::size_t>(half_) * 2, '\0');
  BN_bn2binpad(ECDSA_SIG_get0_r(pair.get()), WritableBytes(out), half_);
  BN_bn2binpad(ECDSA_SIG_get0_s(pair.get()), WritableBytes(out) + half_, half_);
  return out;
}

std::string FakeKey::PublicPem() const {
  const Handle<BIO, BIO_free_all> memory(BIO_new(BIO_s_mem()));
  MustWork(PEM_write_bio_PUBKEY(memory.get(), key_.get()) == 1, "cannot write a key");
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

std::string Jwks(const std::vector<std::string>& keys) {
  std::string out = R"({"keys":[)";
  for (const std::string& key : keys) out += (out.back() == '[' ? "" : ",") + key;
  return out + "]}";
}

std::string InBase64Url(std::string_view bytes) {
  return Base64UrlEncode(std::as_bytes(std::span(bytes)));
}

std::string SignToken(const FakeKey& key, std::string_view alg, std::string_view header,
                      std::string_view payload) {
  const std::string text = InBase64Url(header) + "." + InBase64Url(payload);
  return text + "." + InBase64Url(key.Sign(alg, text));
}

std::string SignedToken(const FakeKey& key, std::string_view alg, std::string_view kid,
                        std::string_view payload) {
  std::string header = R"({"alg":")" + std::string(alg);
  if (!kid.empty()) header += R"(","kid":")" + std::string(kid);
  return SignToken(key, alg, header + "\"}", payload);
}

std::string HmacToken(std::string_view secret, std::string_view header, std::string_view payload) {
  const std::string text = InBase64Url(header) + "." + InBase64Url(payload);
  std::array<char, EVP_MAX_MD_SIZE> mac{};
  unsigned size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), BytesToSign(text), text.size(),
       reinterpret_cast<unsigned char*>(mac.data()), &size);
  return text + "." + InBase64Url({mac.data(), size});
}

}  // namespace koya::oidc
