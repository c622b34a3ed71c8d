#include "base/secrets.h"

#include <openssl/crypto.h>

namespace koya {

bool EqualSecrets(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool EqualSecrets(std::string_view a, std::string_view b) {
  return EqualSecrets(std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
}

void WipeSecret(std::span<std::byte> secret) { OPENSSL_cleanse(secret.data(), secret.size()); }

void WipeSecret(std::string& secret) {
  secret.resize(secret.capacity());  // bytes from when it was longer are still there
  OPENSSL_cleanse(secret.data(), secret.size());
  secret.clear();
}

}  // namespace koya
