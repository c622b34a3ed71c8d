#include "auth/token.h"

#include <sodium.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>

#include "base/encoding.h"
#include "base/text.h"

namespace koya::auth {
namespace {

constexpr std::string_view kScheme = "Bearer ";
constexpr std::string_view kBasic = "Basic";
constexpr std::string_view kPrefix = "koya_";
constexpr std::size_t kSecretLength = 43;
constexpr std::size_t kChecksumLength = 6;

bool IsTokenChar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
         c == '-';
}

// Letters and digits only: 62⁶ holds the 32 bits.
std::string Checksum(std::string_view text) {
  constexpr std::string_view kDigits =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::uint64_t rest =
      ::crc32_z(0, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  std::string digits(kChecksumLength, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    *digit = kDigits[rest % kDigits.size()];
    rest /= kDigits.size();
  }
  return digits;
}

// Of one that looks like a token.
bool IsWhole(std::string_view token) {
  constexpr std::size_t kSum = kPrefix.size() + kSecretLength;
  if (token.size() == kSum) return true;  // of an earlier version
  return token.size() == kSum + kChecksumLength &&
         token.substr(kSum) == Checksum(token.substr(0, kSum));
}

bool HasScheme(std::string_view authorization) {
  return authorization.size() > kScheme.size() &&
         EqualsIgnoreCase(authorization.substr(0, kScheme.size()), kScheme);
}

// REQUIRES: it has the scheme.
std::string_view WithoutScheme(std::string_view authorization) {
  authorization.remove_prefix(kScheme.size());
  while (authorization.starts_with(' ')) authorization.remove_prefix(1);
  return authorization;
}

void FillWithRandom(std::span<std::byte> bytes) {
  if (sodium_init() < 0) throw std::runtime_error("libsodium cannot be initialised");
  randombytes_buf(bytes.data(), bytes.size());
}

template <std::size_t kBytes>
std::string RandomText() {
  std::array<std::byte, kBytes> random{};
  FillWithRandom(random);
  return Base64UrlEncode(random);
}

}  // namespace

MintedToken MintToken() {
  std::string text = std::string(kPrefix) + RandomText<32>();
  text += Checksum(text);
  Digest secret = TokenSecret(text);
  return {std::move(text), secret};
}

std::string RandomId() {
  std::string id = RandomText<16>();
  while (id.starts_with('-')) id = RandomText<16>();
  return id;
}

std::string RandomSecret() { return RandomText<32>(); }

bool LooksLikeAToken(std::string_view text) {
  return text.starts_with(kPrefix) && std::ranges::all_of(text, IsTokenChar);
}

bool LooksLikeASecret(std::string_view text) {
  return text.size() == kSecretLength && std::ranges::all_of(text, IsTokenChar);
}

std::string RandomNameEnd() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  if (sodium_init() < 0) throw std::runtime_error("libsodium cannot be initialised");
  std::string end(8, ' ');
  for (char& c : end) c = kLetters[randombytes_uniform(kLetters.size())];
  return end;
}

Digest TokenSecret(std::string_view text) { return Digest::Of(text); }

TokenTextHasher::TokenTextHasher() {
  static_assert(sizeof(key_) == crypto_shorthash_siphashx24_KEYBYTES);
  FillWithRandom(key_);
}

TokenTextHasher::~TokenTextHasher() { sodium_memzero(key_.data(), key_.size()); }

TokenTextHasher::Hash TokenTextHasher::HashOf(std::string_view text) const {
  static_assert(std::tuple_size_v<Hash> == crypto_shorthash_siphashx24_BYTES);
  Hash hash;
  crypto_shorthash_siphashx24(reinterpret_cast<unsigned char*>(hash.data()),
                              reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                              reinterpret_cast<const unsigned char*>(key_.data()));
  return hash;
}

std::string_view BearerText(std::string_view authorization) {
  if (!HasScheme(authorization)) return {};
  std::string_view text = WithoutScheme(authorization);
  return text.size() <= kPrefix.size() + kSecretLength + kChecksumLength ? text : "";
}

Result<std::string_view> ParseBearer(std::string_view authorization) {
  if (authorization.empty()) {
    return FailUnauthenticated(
        "this needs a token: send \"Authorization: Bearer koya_…\" (koya: --token or "
        "KOYA_TOKEN)");
  }
  if (!HasScheme(authorization)) {
    return FailUnauthenticated(
        "the Authorization field must be \"Bearer koya_…\": other schemes are not supported");
  }
  std::string_view token = WithoutScheme(authorization);
  if (!LooksLikeAToken(token)) {
    return FailUnauthenticated(
        "that is not a token of this registry: its tokens begin with \"koya_\"; create one "
        "with koya token create");
  }
  if (!IsWhole(token)) {
    return FailUnauthenticated(
        "that token was not copied completely: its length or its checksum is wrong; copy "
        "it again, from \"koya_\" to its last character");
  }
  return token;
}

bool IsBasic(std::string_view authorization) {
  const std::string_view scheme = authorization.substr(0, kBasic.size());
  const std::string_view rest = authorization.substr(scheme.size());
  return EqualsIgnoreCase(scheme, kBasic) && (rest.empty() || rest.front() == ' ');
}

std::optional<std::string_view> BearerOfBasic(std::string_view authorization, BasicBuffer& buffer) {
  if (!IsBasic(authorization)) return std::nullopt;
  authorization.remove_prefix(kBasic.size());
  while (authorization.starts_with(' ')) authorization.remove_prefix(1);
  // The scheme is written before the password, over the user name and its colon: there is room for
  // it when the user name is empty, too.
  const auto pair = Base64Decode(authorization, std::span(buffer.bytes).subspan(kScheme.size()));
  if (!pair) return std::nullopt;
  const std::size_t colon = pair->find(':');
  if (colon == pair->npos || !pair->substr(colon + 1).starts_with(kPrefix)) return std::nullopt;
  char* const begin = buffer.bytes.data() + colon + 1;
  std::ranges::copy(kScheme, begin);
  return std::string_view(begin, kScheme.size() + pair->size() - colon - 1);
}

}  // namespace koya::auth
