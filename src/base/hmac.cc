#include "base/hmac.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <memory>
#include <new>
#include <stdexcept>

namespace koya {
namespace {

struct FreeMacContext {
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};
using MacContext = std::unique_ptr<EVP_MAC_CTX, FreeMacContext>;

MacContext MakeHmacContext() {
  static EVP_MAC* const kHmac = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  MacContext context(EVP_MAC_CTX_new(kHmac));
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
      OSSL_PARAM_construct_end()};
  if (!context || EVP_MAC_CTX_set_params(context.get(), parameters) != 1) throw std::bad_alloc();
  return context;
}

}  // namespace

Sha256Bytes HmacSha256(std::span<const std::byte> key,
                       std::initializer_list<std::string_view> parts) {
  // A context costs more to make than a short text to authenticate.
  thread_local const MacContext kContext = MakeHmacContext();
  EVP_MAC_CTX* const context = kContext.get();
  auto bytes_of = [](const void* data) { return static_cast<const unsigned char*>(data); };
  // No key at all would mean the key before.
  const unsigned char* const key_bytes = key.empty() ? bytes_of("") : bytes_of(key.data());
  bool good = EVP_MAC_init(context, key_bytes, key.size(), nullptr) == 1;
  for (std::string_view part : parts) {
    good = good && EVP_MAC_update(context, bytes_of(part.data()), part.size()) == 1;
  }
  Sha256Bytes mac{};
  std::size_t size = 0;
  good = good && EVP_MAC_final(context, reinterpret_cast<unsigned char*>(mac.data()), &size,
                               mac.size()) == 1;
  if (!good || size != mac.size()) throw std::runtime_error("OpenSSL cannot make an HMAC-SHA-256");
  return mac;
}

}  // namespace koya
