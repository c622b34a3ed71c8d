#include "base/hkdf.h"

#include <algorithm>
#include <array>

#include "base/hmac.h"
#include "base/secrets.h"

namespace koya {
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
