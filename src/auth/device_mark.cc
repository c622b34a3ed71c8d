#include "auth/device_mark.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>

#include "base/base64.h"
#include "base/secrets.h"
#include "base/sha256.h"
#include "base/text.h"

namespace koya::auth {
namespace {

// Keeps this key apart from whatever else is derived from server.secret.
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

Sha256Bytes DeviceKey(std::string_view server_secret) {
  return HmacSha256(std::as_bytes(std::span(server_secret)), {kDevicePurpose});
}

}  // namespace

DeviceMarks::DeviceMarks(std::string_view server_secret, std::string_view previous)
    : key_(DeviceKey(server_secret)) {
  if (!previous.empty()) previous_ = DeviceKey(previous);
}

DeviceMarks::~DeviceMarks() {
  WipeSecret(key_);
  if (previous_) WipeSecret(*previous_);
}

std::string DeviceMarks::Make(std::string_view user, UnixSeconds now) const {
  if (sodium_init() < 0) throw std::runtime_error("libsodium cannot be initialised");
  std::array<std::byte, kDeviceMarkSize> mark;
  randombytes_buf(mark.data(), kDeviceIdSize);
  const auto end = static_cast<std::uint64_t>(now + std::chrono::seconds(kLife).count());
  for (std::size_t i = 0; i < kDeviceEndSize; ++i) {
    mark[kDeviceIdSize + i] = static_cast<std::byte>(end >> 8 * (kDeviceEndSize - 1 - i));
  }
  const DeviceSaid said = std::span(mark).first<kDeviceSaidSize>();
  std::ranges::copy(DeviceMac(key_, said, user), mark.begin() + kDeviceSaidSize);
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
  if (!made_with(key_) && !(previous_ && made_with(*previous_))) return std::nullopt;
  if (DeviceEnd(said) <= now) return std::nullopt;
  return Base64UrlEncode(said.first<kDeviceIdSize>());
}

}  // namespace koya::auth
