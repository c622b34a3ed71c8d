#include "base/sha256.h"

#include <openssl/evp.h>

#include <new>

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

}  // namespace koya
