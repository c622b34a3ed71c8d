#include "signing/sealer.h"
#include "base/encoding.h"

#include <sodium.h>

#include <stdexcept>
#include <vector>

namespace koya::signing {
namespace {

// Sealed text is base64 of: this version, a random nonce, the ciphertext with its tag.
constexpr unsigned char kVersion = 1;
constexpr std::size_t kNonce = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTag = crypto_aead_xchacha20poly1305_ietf_ABYTES;
constexpr std::size_t kOverhead = 1 + kNonce + kTag;
// Keeps this key apart from whatever else is derived from server.secret.
constexpr std::string_view kPurpose = "koya sealed secrets, 1";

const unsigned char* BytesOf(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

using SecretKey = std::array<unsigned char, crypto_aead_xchacha20poly1305_ietf_KEYBYTES>;

SecretKey DeriveKey(std::string_view server_secret) {
  if (sodium_init() < 0) throw std::runtime_error("libsodium cannot start: no random numbers");
  SecretKey key;
  crypto_generichash(key.data(), key.size(), BytesOf(server_secret), server_secret.size(),
                     BytesOf(kPurpose), kPurpose.size());
  return key;
}

// Nullopt: it was sealed with another key or context, or was changed.
std::optional<std::string> OpenWith(const SecretKey& key, std::string_view context,
                                    std::string_view sealed) {
  std::optional<std::string> bytes = Base64Decode(sealed);
  if (!bytes || bytes->size() < kOverhead || static_cast<unsigned char>((*bytes)[0]) != kVersion) {
    return std::nullopt;
  }
  const std::size_t size = bytes->size();
  const unsigned char* nonce = BytesOf(*bytes) + 1;
  std::string plain(size - kOverhead, '\0');
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(
          reinterpret_cast<unsigned char*>(plain.data()), nullptr, nullptr, nonce + kNonce,
          size - 1 - kNonce, BytesOf(context), context.size(), nonce, key.data()) != 0) {
    return std::nullopt;
  }
  return plain;
}

Failure CannotOpen(std::string_view context) {
  return Fail(
      ErrorKind::kCorrupt,
      "a sealed secret cannot be opened: server.secret may have been replaced, or the catalog was "
      "changed; set server.secret or server.secret_previous to its former value",
      "open sealed " + std::string(context));
}

}  // namespace

Sealer::Sealer(std::string_view server_secret, std::string_view previous)
    : key_(DeriveKey(server_secret)) {
  if (!previous.empty()) previous_ = DeriveKey(previous);
}

Sealer::~Sealer() {
  sodium_memzero(key_.data(), key_.size());
  if (previous_) sodium_memzero(previous_->data(), previous_->size());
}

std::string Sealer::Seal(std::string_view context, std::string_view plain) const {
  std::vector<unsigned char> sealed(kOverhead + plain.size());
  sealed[0] = kVersion;
  unsigned char* nonce = sealed.data() + 1;
  randombytes_buf(nonce, kNonce);
  crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + kNonce, nullptr, BytesOf(plain), plain.size(),
                                             BytesOf(context), context.size(), nullptr, nonce,
                                             key_.data());
  return Base64Encode(std::as_bytes(std::span(sealed)));
}

Result<std::string> Sealer::Unseal(std::string_view context, std::string_view sealed) const {
  std::optional<std::string> plain = OpenWith(key_, context, sealed);
  if (!plain && previous_) plain = OpenWith(*previous_, context, sealed);
  if (!plain) return CannotOpen(context);
  return *std::move(plain);
}

Result<std::optional<std::string>> Sealer::Renew(std::string_view context,
                                                 std::string_view sealed) const {
  if (OpenWith(key_, context, sealed)) return std::nullopt;
  ASSIGN_OR_RETURN(std::string plain, Unseal(context, sealed));
  return Seal(context, plain);
}

}  // namespace koya::signing
