#include "http/server/request_words.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <ranges>

#include "http/server/characters.h"

namespace koya::http {

// Not strftime: it would follow the process's locale.
std::string FormatHttpDate(std::time_t time) {
  constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm parts{};
  gmtime_r(&time, &parts);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     kDays[static_cast<std::size_t>(parts.tm_wday)], parts.tm_mday,
                     kMonths[static_cast<std::size_t>(parts.tm_mon)], parts.tm_year + 1900,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::time_t CoarseSeconds() {
  std::timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now.tv_sec;
}

DateCache::DateCache(std::string_view server_name, bool strict_transport) {
  if (strict_transport) fields_ = "Strict-Transport-Security: max-age=31536000\r\n";
  plain_at_ = fields_.size();
  if (!server_name.empty()) fields_ += fmt::format("Server: {}\r\n", server_name);
  fields_ += "X-Content-Type-Options: nosniff\r\nDate: ";
  date_at_ = fields_.size();
}

std::string_view DateCache::Fields(std::time_t now, bool secure) {
  if (now != rendered_) {
    rendered_ = now;
    fields_.resize(date_at_);
    fields_ += FormatHttpDate(now);
    fields_ += "\r\nX-Request-Id: ";
  }
  return secure ? fields_ : std::string_view(fields_).substr(plain_at_);
}

namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

void WriteHex(std::uint64_t value, char* end, std::size_t digits) {
  for (std::size_t i = 0; i < digits; ++i, value >>= 4) *--end = kDigits[value & 15];
}

}  // namespace

bool IsSaneRequestId(std::string_view id) {
  if (id.empty() || id.size() > 64) return false;
  return std::ranges::all_of(id, [](char c) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || IsDigit(c) || c == '.' || c == '_' || c == '-';
  });
}

RequestIdSource::RequestIdSource() {
  std::random_device random;
  std::uint64_t prefix = (std::uint64_t{random()} << 32) | random();
  WriteHex(prefix, prefix_.data() + prefix_.size(), prefix_.size());
}

void RequestIdSource::Next(Id& id) {
  std::ranges::copy(prefix_, id.begin());
  WriteHex(++count_, id.data() + id.size(), id.size() - prefix_.size());
}

namespace {

// Takes the last element off a comma-separated list.
std::string_view LastElement(std::string_view& list) {
  std::size_t comma = list.rfind(',');
  bool only = comma == std::string_view::npos;
  std::string_view element = TrimSpace(only ? list : list.substr(comma + 1));
  list = only ? std::string_view() : list.substr(0, comma);
  return element;
}

// Walks one field from the right. Returns false once the walk is over.
bool WalkBack(std::string_view list, std::string_view& remote,
              const std::vector<AddressRange>& trusted) {
  while (!list.empty()) {
    std::string_view hop = LastElement(list);
    if (!Address::Parse(hop)) return false;  // what stands here is no address: believe no further
    remote = hop;
    if (!AnyContains(trusted, hop)) return false;
  }
  return true;
}

}  // namespace

Origin ResolveOrigin(Origin direct, std::span<const Field> fields,
                     const std::vector<AddressRange>& trusted) {
  if (trusted.empty() || !AnyContains(trusted, direct.remote)) return direct;
  Origin origin = direct;
  bool walking = true;
  bool proto_seen = false;
  for (const Field& field : fields | std::views::reverse) {
    if (walking && IsIgnoringCase(field.name, "x-forwarded-for")) {
      walking = WalkBack(field.value, origin.remote, trusted);
    }
    if (!proto_seen && IsIgnoringCase(field.name, "x-forwarded-proto")) {
      std::string_view list = field.value;
      origin.secure = IsIgnoringCase(LastElement(list), "https");
      proto_seen = true;
    }
  }
  return origin;
}

namespace {

constexpr std::string_view kProxySignature("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr char kProxyLocal = 0x20;  // version 2, and the command
constexpr char kProxyProxied = 0x21;
constexpr char kProxyUnknown = 0x00;  // family and protocol
constexpr char kProxyTcp4 = 0x11;
constexpr char kProxyTcp6 = 0x21;

}  // namespace

std::optional<std::size_t> ProxyHeaderSize(std::span<const char, kProxyHeaderStart> start) {
  const std::string_view text(start.data(), start.size());
  if (!text.starts_with(kProxySignature)) return std::nullopt;
  if (text[12] != kProxyLocal && text[12] != kProxyProxied) return std::nullopt;
  const std::size_t rest = static_cast<std::size_t>(static_cast<unsigned char>(text[14])) << 8 |
                           static_cast<unsigned char>(text[15]);
  const std::size_t size = kProxyHeaderStart + rest;
  if (size > kProxyHeaderMost) return std::nullopt;
  return size;
}

std::optional<std::string> ProxiedClient(std::string_view header) {
  constexpr std::size_t kSize4 = 12;  // both addresses and ports
  constexpr std::size_t kSize6 = 36;
  if (header.size() < kProxyHeaderStart) return std::nullopt;
  const auto size =
      ProxyHeaderSize(std::span<const char, kProxyHeaderStart>(header.data(), kProxyHeaderStart));
  if (size != header.size()) return std::nullopt;
  const char family = header[13];
  const std::string_view addresses = header.substr(kProxyHeaderStart);
  if (header[12] == kProxyLocal || family == kProxyUnknown) return "";
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (family == kProxyTcp4 && addresses.size() >= kSize4) {
    inet_ntop(AF_INET, addresses.data(), text.data(), text.size());
  } else if (family == kProxyTcp6 && addresses.size() >= kSize6) {
    in6_addr address{};
    std::memcpy(&address, addresses.data(), sizeof address);
    // A client on a dual-stack listener is the same as on one of IPv4.
    const bool mapped = IN6_IS_ADDR_V4MAPPED(&address);
    inet_ntop(mapped ? AF_INET : AF_INET6, address.s6_addr + (mapped ? 12 : 0), text.data(),
              text.size());
  } else {
    return std::nullopt;
  }
  return text.data();
}

}  // namespace koya::http
