#include "base/sha256.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "base/handle.h"
#include "base/secrets.h"

namespace koya {
namespace {

// Fetched once: a look-up per hash costs more than hashing a small text.
const EVP_MD* Algorithm() {
  static const EVP_MD* const kAlgorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return kAlgorithm;
}

}  // namespace

struct Sha256Hasher::Impl {
  Impl() : context(EVP_MD_CTX_new()) { Begin(); }
  ~Impl() { EVP_MD_CTX_free(context); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  void Begin() {
    if (context == nullptr || EVP_DigestInit_ex(context, Algorithm(), nullptr) != 1) {
      throw std::bad_alloc();
    }
  }
  EVP_MD_CTX* context;
};

Sha256Hasher::Sha256Hasher() : impl_(std::make_unique<Impl>()) {}
Sha256Hasher::~Sha256Hasher() = default;
Sha256Hasher::Sha256Hasher(Sha256Hasher&&) noexcept = default;
Sha256Hasher& Sha256Hasher::operator=(Sha256Hasher&&) noexcept = default;

void Sha256Hasher::Update(std::span<const std::byte> bytes) {
  EVP_DigestUpdate(impl_->context, bytes.data(), bytes.size());
}

void Sha256Hasher::Update(std::string_view text) { Update(std::as_bytes(std::span(text))); }

Sha256Bytes Sha256Hasher::Finish() {
  Sha256Bytes digest{};
  EVP_DigestFinal_ex(impl_->context, reinterpret_cast<unsigned char*>(digest.data()), nullptr);
  return digest;
}

void Sha256Hasher::Restart() { impl_->Begin(); }

Sha256Bytes Sha256(std::string_view text) {
  // To make one costs more than to hash a short text, as tokens are.
  thread_local Sha256Hasher hasher;
  hasher.Restart();
  hasher.Update(text);
  return hasher.Finish();
}

namespace {

using MacContext = Handle<EVP_MAC_CTX, EVP_MAC_CTX_free>;

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

namespace {

std::string_view TextOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void DeriveKey(std::string_view secret, std::string_view purpose, std::span<std::byte> key,
               std::string_view salt) {
  constexpr Sha256Bytes kNoSalt{};  // that many zeros (RFC 5869 §2.2)
  std::span<const std::byte> salted = std::as_bytes(std::span(salt));
  if (salt.empty()) salted = kNoSalt;
  Sha256Bytes extracted = HmacSha256(salted, {secret});
  Sha256Bytes block{};
  std::size_t block_size = 0;  // of the first, nothing goes before it
  char number = 1;
  while (!key.empty()) {
    block = HmacSha256(extracted, {TextOf(std::span(block).first(block_size)), purpose,
                                   std::string_view(&number, 1)});
    block_size = block.size();
    std::size_t taken = std::min(key.size(), block_size);
    std::ranges::copy(std::span(block).first(taken), key.begin());
    key = key.subspan(taken);
    ++number;
  }
  WipeSecret(std::span<std::byte>(extracted));
  WipeSecret(std::span<std::byte>(block));
}

}  // namespace koya
