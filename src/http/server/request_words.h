// Small things that each request needs: the fields that every response has, the request's id, and
// whose it is behind proxies, by a field of it or by the PROXY protocol.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/address_range.h"
#include "http/server/message.h"

namespace koya::http {

// The header fields that every response has, rendered once a second.
//
// "Server: koya\r\nX-Content-Type-Options: nosniff\r\nDate: Sat, 21 Nov 2026 16:41:10 GMT\r\n
// X-Request-Id: ", where the request's ID follows. Browsers never take JSON or an archive for a
// page. Belongs to one thread.
class DateCache {
 public:
  // `strict_transport`: responses to secure requests also make browsers use only TLS with this host
  // from then on (RFC 6797).
  DateCache(std::string_view server_name, bool strict_transport);
  std::string_view Fields(std::time_t now, bool secure);

 private:
  std::string fields_;
  std::size_t plain_at_ = 0;  // behind the fields for secure requests only
  std::size_t date_at_ = 0;
  std::time_t rendered_ = -1;
};

// Whole seconds of the coarse clock, which takes a few nanoseconds to read.
std::time_t CoarseSeconds();

// "Sat, 21 Nov 2026 16:41:10 GMT" (RFC 9110 §5.6.7).
std::string FormatHttpDate(std::time_t time);

// True if a client's own id may be adopted: 1 to 64 characters of [A-Za-z0-9._-].
bool IsSaneRequestId(std::string_view id);

// Makes globally unique ids: random prefix, then a counter. Belongs to one thread.
class RequestIdSource {
 public:
  static constexpr std::size_t kSize = 24;
  using Id = std::array<char, kSize>;

  RequestIdSource();
  void Next(Id& id);

 private:
  std::array<char, 16> prefix_{};
  std::uint32_t count_ = 0;
};

// Where a request comes from.
struct Origin {
  std::string_view remote;
  bool secure = false;
};

// `direct` is the connection itself. X-Forwarded-For and X-Forwarded-Proto are used only if its
// address is trusted. Of X-Forwarded-For the rightmost address that is not trusted counts: any
// client can forge the addresses left of it. The result's view points into `direct` or `fields`.
Origin ResolveOrigin(Origin direct, std::span<const Field> fields,
                     const std::vector<AddressRange>& trusted);

// The header of the PROXY protocol, version 2 (HAProxy's proxy-protocol.txt, §2.2), by which a
// balancer that passes bytes on names the client of a connection. Extensions (TLVs) are skipped.
constexpr std::size_t kProxyHeaderStart = 16;       // bytes of which the header's size is known
constexpr std::size_t kProxyHeaderMost = 4 * 1024;  // a longer one is refused

// The size of the whole header; nullopt: these bytes do not begin one that is accepted.
std::optional<std::size_t> ProxyHeaderSize(std::span<const char, kProxyHeaderStart> start);
// The client's address in a whole header; "": the balancer speaks for itself (a health check);
// nullopt: it is malformed, or not about TCP over IPv4 or IPv6.
std::optional<std::string> ProxiedClient(std::string_view header);

}  // namespace koya::http
