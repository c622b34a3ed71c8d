#include "signing/sealer.h"

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
constexpr int kBase64 = sodium_base64_VARIANT_ORIGINAL;
// Keeps this key apart from whatever else is derived from server.secret.
constexpr std::string_view kPurpose = "koya sealed secrets, 1";

const unsigned char* BytesOf(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Failure CannotOpen(std::string_view context) {
  return Fail(ErrorKind::kCorrupt,
              "a sealed secret cannot be opened: server.secret may have been replaced, or the "
              "catalog was changed; set server.secret to the value that it had",
              "open sealed " + std::string(context));
}

}  // namespace

Sealer::Sealer(std::string_view server_secret) : key_{} {
  static_assert(std::tuple_size_v<decltype(key_)> == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);
  if (sodium_init() < 0) throw std::runtime_error("libsodium cannot start: no random numbers");
  crypto_generichash(key_.data(), key_.size(), BytesOf(server_secret), server_secret.size(),
                     BytesOf(kPurpose), kPurpose.size());
}

Sealer::~Sealer() { sodium_memzero(key_.data(), key_.size()); }

std::string Sealer::Seal(std::string_view context, std::string_view plain) const {
  std::vector<unsigned char> sealed(kOverhead + plain.size());
  sealed[0] = kVersion;
  unsigned char* nonce = sealed.data() + 1;
  randombytes_buf(nonce, kNonce);
  crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + kNonce, nullptr, BytesOf(plain), plain.size(),
                                             BytesOf(context), context.size(), nullptr, nonce,
                                             key_.data());
  std::string text(sodium_base64_encoded_len(sealed.size(), kBase64), '\0');
  sodium_bin2base64(text.data(), text.size(), sealed.data(), sealed.size(), kBase64);
  text.pop_back();  // the terminating NUL is counted
  return text;
}

Result<std::string> Sealer::Open(std::string_view context, std::string_view sealed) const {
  if (sealed.empty()) return CannotOpen(context);
  std::vector<unsigned char> bytes(sealed.size());
  std::size_t size = 0;
  if (sodium_base642bin(bytes.data(), bytes.size(), sealed.data(), sealed.size(), nullptr, &size,
                        nullptr, kBase64) != 0 ||
      size < kOverhead || bytes[0] != kVersion) {
    return CannotOpen(context);
  }
  const unsigned char* nonce = bytes.data() + 1;
  std::string plain(size - kOverhead, '\0');
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(
          reinterpret_cast<unsigned char*>(plain.data()), nullptr, nullptr, nonce + kNonce,
          size - 1 - kNonce, BytesOf(context), context.size(), nonce, key_.data()) != 0) {
    return CannotOpen(context);
  }
  return plain;
}

}  // namespace koya::signing
