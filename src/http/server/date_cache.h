// The header fields that every response has, rendered once a second.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

namespace koya::http {

// "Server: koya\r\nX-Content-Type-Options: nosniff\r\nDate: Sat, 21 Nov 2026 16:41:10 GMT\r\n":
// browsers never take JSON or an archive for a page. Belongs to one thread.
class DateCache {
 public:
  // `strict_transport`: responses to secure requests also make browsers use only TLS with this host
  // from then on (RFC 6797).
  DateCache(std::string_view server_name, bool strict_transport);
  std::string_view Fields(std::time_t now, bool secure);

 private:
  const bool strict_transport_;
  std::string fields_;
  std::size_t date_at_ = 0;
  std::size_t secure_at_ = 0;  // where the fields for secure requests only begin
  std::time_t rendered_ = -1;
};

// Whole seconds of the coarse clock, which takes a few nanoseconds to read.
std::time_t CoarseSeconds();

// "Sat, 21 Nov 2026 16:41:10 GMT" (RFC 9110 §5.6.7).
std::string FormatHttpDate(std::time_t time);

}  // namespace koya::http
