// The mathematics of signatures of documents (RFC 4880 §5.2.4), over OpenSSL.
#include <fmt/format.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <optional>

#include "signing/key_ring.h"
#include "signing/packets.h"

namespace koya::signing {
namespace {

using HashContext = Handle<EVP_MD_CTX, EVP_MD_CTX_free>;
using KeyContext = Handle<EVP_PKEY_CTX, EVP_PKEY_CTX_free>;
using HashMethod = Handle<EVP_MD, EVP_MD_free>;

struct Hash {
  std::uint8_t id;  // RFC 4880 §9.4
  const char* name;
  const char* openssl_name;
  bool is_weak;
};

constexpr Hash kHashes[] = {
    {1, "MD5", "MD5", true},
    {2, "SHA1", "SHA1", true},
    {3, "RIPEMD160", "RIPEMD160", true},
    {8, "SHA256", "SHA2-256", false},
    {9, "SHA384", "SHA2-384", false},
    {10, "SHA512", "SHA2-512", false},
    {11, "SHA224", "SHA2-224", false},
    {12, "SHA3-256", "SHA3-256", false},
    {14, "SHA3-512", "SHA3-512", false},
};

const Hash* FindHash(std::uint8_t id) {
  const auto* found = std::ranges::find(kHashes, id, &Hash::id);
  return found == std::ranges::end(kHashes) ? nullptr : found;
}

const unsigned char* BytesToCheck(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// Line ends as CR LF, as clients do: an LF alone gets its CR.
void UpdateAsText(EVP_MD_CTX* context, std::string_view data) {
  std::string text;
  text.reserve(data.size() + data.size() / 32);
  char last = 0;
  for (const char c : data) {
    if (c == '\n' && last != '\r') text += '\r';
    text += c;
    last = c;
  }
  EVP_DigestUpdate(context, text.data(), text.size());
}

std::string HashOf(const EVP_MD* method, const SignaturePacket& signature, std::string_view data) {
  const HashContext context(EVP_MD_CTX_new());
  EVP_DigestInit_ex(context.get(), method, nullptr);
  if (signature.of_text) {
    UpdateAsText(context.get(), data);
  } else {
    EVP_DigestUpdate(context.get(), data.data(), data.size());
  }
  const std::string_view part = signature.signed_part;
  EVP_DigestUpdate(context.get(), part.data(), part.size());
  std::string trailer = "\x04\xFF";
  for (const int shift : {24, 16, 8, 0}) trailer += static_cast<char>(part.size() >> shift);
  EVP_DigestUpdate(context.get(), trailer.data(), trailer.size());
  std::string digest(static_cast<std::size_t>(EVP_MD_get_size(method)), '\0');
  EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr);
  return digest;
}

// With zeros before it, to `size` bytes; nullopt when it has more.
std::optional<std::string> Padded(std::string_view digits, std::size_t size) {
  if (digits.size() > size) return std::nullopt;
  return std::string(size - digits.size(), '\0') + std::string(digits);
}

// The numbers r and s as DER, which OpenSSL takes for ECDSA and DSA.
std::optional<std::string> DerOf(std::string_view r, std::string_view s) {
  const Handle<ECDSA_SIG, ECDSA_SIG_free> pair(ECDSA_SIG_new());
  BIGNUM* r_number = BN_bin2bn(BytesToCheck(r), static_cast<int>(r.size()), nullptr);
  BIGNUM* s_number = BN_bin2bn(BytesToCheck(s), static_cast<int>(s.size()), nullptr);
  if (ECDSA_SIG_set0(pair.get(), r_number, s_number) != 1) {
    BN_free(r_number);
    BN_free(s_number);
    return std::nullopt;
  }
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(pair.get(), &der);
  if (size <= 0) return std::nullopt;
  std::string bytes(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return bytes;
}

// The signature as OpenSSL takes it; nullopt when it cannot be one of this key.
std::optional<std::string> SignatureBytes(EVP_PKEY* key, std::string_view numbers) {
  constexpr std::size_t kEd25519Half = 32;
  FieldReader fields(numbers);
  const std::string_view first = fields.Mpi();
  std::optional<std::string> bytes;
  if (EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA) {
    bytes = Padded(first, static_cast<std::size_t>(EVP_PKEY_get_size(key)));
  } else {
    const std::string_view second = fields.Mpi();
    if (EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519) {
      const auto r = Padded(first, kEd25519Half);
      const auto s = Padded(second, kEd25519Half);
      if (r && s) bytes = *r + *s;
    } else {
      bytes = DerOf(first, second);
    }
  }
  return fields.ok() && fields.rest().empty() ? bytes : std::nullopt;
}

bool VerifiesHash(EVP_PKEY* key, const EVP_MD* method, std::string_view hash,
                  std::string_view signature) {
  if (EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519) {
    const HashContext context(EVP_MD_CTX_new());
    return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key) == 1 &&
           EVP_DigestVerify(context.get(), BytesToCheck(signature), signature.size(),
                            BytesToCheck(hash), hash.size()) == 1;
  }
  const KeyContext context(EVP_PKEY_CTX_new(key, nullptr));
  if (context == nullptr || EVP_PKEY_verify_init(context.get()) != 1) return false;
  if (EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA &&
      (EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_PKCS1_PADDING) != 1 ||
       EVP_PKEY_CTX_set_signature_md(context.get(), method) != 1)) {
    return false;
  }
  return EVP_PKEY_verify(context.get(), BytesToCheck(signature), signature.size(),
                         BytesToCheck(hash), hash.size()) == 1;
}

// RSA has three numbers for one algorithm.
bool SameAlgorithm(std::uint8_t a, std::uint8_t b) {
  auto plain = [](std::uint8_t id) { return id == 3 ? 1 : id; };
  return plain(a) == plain(b);
}

}  // namespace

std::string HashName(std::uint8_t hash_algorithm) {
  const Hash* hash = FindHash(hash_algorithm);
  return hash == nullptr ? fmt::format("hash {}", hash_algorithm) : hash->name;
}

bool IsWeakHash(std::uint8_t hash_algorithm) {
  const Hash* hash = FindHash(hash_algorithm);
  return hash != nullptr && hash->is_weak;
}

bool Verifies(const PublicKeyPacket& key, const SignaturePacket& signature, std::string_view data) {
  const Hash* hash = FindHash(signature.hash_algorithm);
  if (key.key == nullptr || hash == nullptr || signature.has_unknown_demand) return false;
  if (!SameAlgorithm(key.algorithm_id, signature.key_algorithm)) return false;
  if (key.created_at > signature.created_at) return false;
  const HashMethod method(EVP_MD_fetch(nullptr, hash->openssl_name, nullptr));
  if (method == nullptr) return false;
  const std::string digest = HashOf(method.get(), signature, data);
  // Clients compare these two bytes, too.
  if (!digest.starts_with(signature.hash_begins)) return false;
  const auto bytes = SignatureBytes(key.key.get(), signature.numbers);
  const bool verifies = bytes && VerifiesHash(key.key.get(), method.get(), digest, *bytes);
  ERR_clear_error();  // a refusal leaves errors in the queue of the thread
  return verifies;
}

}  // namespace koya::signing
