#include "auth/browser_tokens.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>

#include "base/encoding.h"
#include "base/secrets.h"
#include "base/sha256.h"
#include "base/text.h"

namespace koya::auth {
namespace {

// Purposes keep keys apart from all else that is derived from server.secret.
constexpr std::string_view kFormPurpose = "koya forms, 1";

std::string FormTokenOf(const Sha256Bytes& key, std::string_view cookie) {
  return Base64UrlEncode(HmacSha256(key, {cookie}));
}

}  // namespace

BrowserKeys::BrowserKeys(std::string_view purpose, std::string_view server_secret,
                         std::string_view previous)
    : key(HmacSha256(std::as_bytes(std::span(server_secret)), {purpose})) {
  if (!previous.empty()) previous_key = HmacSha256(std::as_bytes(std::span(previous)), {purpose});
}

BrowserKeys::~BrowserKeys() {
  WipeSecret(key);
  if (previous_key) WipeSecret(*previous_key);
}

FormTokens::FormTokens(std::string_view server_secret, std::string_view previous)
    : keys_(kFormPurpose, server_secret, previous) {}

std::string FormTokens::For(std::string_view cookie) const {
  return FormTokenOf(keys_.key, cookie);
}

bool FormTokens::Check(std::string_view cookie, std::string_view token) const {
  if (cookie.empty()) return false;
  return keys_.AnyOf(
      [&](const Sha256Bytes& key) { return EqualSecrets(FormTokenOf(key, cookie), token); });
}

namespace {

constexpr std::string_view kDevicePurpose = "koya device marks, 1";

constexpr std::size_t kDeviceIdSize = 16;
constexpr std::size_t kDeviceEndSize = 8;
constexpr std::size_t kDeviceSaidSize = kDeviceIdSize + kDeviceEndSize;
constexpr std::size_t kDeviceMarkSize = kDeviceSaidSize + std::tuple_size_v<Sha256Bytes>;
constexpr std::size_t kDeviceMarkLength = (kDeviceMarkSize * 8 + 5) / 6;

using DeviceSaid = std::span<const std::byte, kDeviceSaidSize>;

// The name comes last, all before it is of a fixed length: no two marks are of the same bytes.
Sha256Bytes DeviceMac(const Sha256Bytes& key, DeviceSaid said, std::string_view user) {
  const std::string_view text(reinterpret_cast<const char*>(said.data()), said.size());
  return HmacSha256(key, {text, AsciiLower(user)});
}

UnixSeconds DeviceEnd(DeviceSaid said) {
  std::uint64_t end = 0;
  for (std::byte b : said.last<kDeviceEndSize>()) end = end << 8 | std::to_integer<unsigned>(b);
  return static_cast<UnixSeconds>(end);
}

}  // namespace

DeviceMarks::DeviceMarks(std::string_view server_secret, std::string_view previous)
    : keys_(kDevicePurpose, server_secret, previous) {}

std::string DeviceMarks::Make(std::string_view user, UnixSeconds now) const {
  if (sodium_init() < 0) throw std::runtime_error("libsodium cannot be initialised");
  std::array<std::byte, kDeviceMarkSize> mark;
  randombytes_buf(mark.data(), kDeviceIdSize);
  const auto end = static_cast<std::uint64_t>(now + std::chrono::seconds(kLife).count());
  for (std::size_t i = 0; i < kDeviceEndSize; ++i) {
    mark[kDeviceIdSize + i] = static_cast<std::byte>(end >> 8 * (kDeviceEndSize - 1 - i));
  }
  const DeviceSaid said = std::span(mark).first<kDeviceSaidSize>();
  std::ranges::copy(DeviceMac(keys_.key, said, user), mark.begin() + kDeviceSaidSize);
  return Base64UrlEncode(mark);
}

std::optional<std::string> DeviceMarks::Read(std::string_view mark, std::string_view user,
                                             UnixSeconds now) const {
  if (mark.size() != kDeviceMarkLength) return std::nullopt;
  const std::optional<std::string> decoded = Base64UrlDecode(mark);
  if (!decoded || decoded->size() != kDeviceMarkSize) return std::nullopt;
  const auto bytes = std::as_bytes(std::span(*decoded));
  const DeviceSaid said = bytes.first<kDeviceSaidSize>();
  auto made_with = [&](const Sha256Bytes& key) {
    return EqualSecrets(DeviceMac(key, said, user), bytes.subspan(kDeviceSaidSize));
  };
  if (!keys_.AnyOf(made_with)) return std::nullopt;
  if (DeviceEnd(said) <= now) return std::nullopt;
  return Base64UrlEncode(said.first<kDeviceIdSize>());
}

}  // namespace koya::auth
