#include "base/hmac.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "base/secrets.h"

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

const unsigned char* HmacBytes(const void* data) { return static_cast<const unsigned char*>(data); }

// One thread's context, with the last key: to make one, or to take another key, costs more than to
// authenticate a short text.
class KeyedContext {
 public:
  KeyedContext() = default;
  ~KeyedContext() { WipeSecret(key_); }
  KeyedContext(const KeyedContext&) = delete;
  KeyedContext& operator=(const KeyedContext&) = delete;

  // Ready for a text; nullptr: OpenSSL refuses.
  EVP_MAC_CTX* Begin(std::string_view key) {
    const bool same = keyed_ && EqualSecrets(key, key_);
    // To OpenSSL, no key is the key before.
    const unsigned char* const bytes = same ? nullptr : HmacBytes(key.empty() ? "" : key.data());
    keyed_ = EVP_MAC_init(context_.get(), bytes, same ? 0 : key.size(), nullptr) == 1;
    if (!keyed_) return nullptr;
    if (!same) {
      WipeSecret(key_);
      key_ = key;
    }
    return context_.get();
  }

 private:
  const MacContext context_ = MakeHmacContext();
  bool keyed_ = false;
  std::string key_;
};

}  // namespace

Sha256Bytes HmacSha256(std::span<const std::byte> key,
                       std::initializer_list<std::string_view> parts) {
  thread_local KeyedContext keyed;
  EVP_MAC_CTX* const context = keyed.Begin({reinterpret_cast<const char*>(key.data()), key.size()});
  bool good = context != nullptr;
  for (std::string_view part : parts) {
    good = good && EVP_MAC_update(context, HmacBytes(part.data()), part.size()) == 1;
  }
  Sha256Bytes mac{};
  std::size_t size = 0;
  good = good && EVP_MAC_final(context, reinterpret_cast<unsigned char*>(mac.data()), &size,
                               mac.size()) == 1;
  if (!good || size != mac.size()) throw std::runtime_error("OpenSSL cannot make an HMAC-SHA-256");
  return mac;
}

}  // namespace koya
