// The fields that every answer carries, whoever gives it, rendered once a second.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

namespace koya::http {

// "Server: koya\r\nX-Content-Type-Options: nosniff\r\nDate: Sat, 21 Nov 2026 16:41:10 GMT\r\n":
// what is said to be JSON or an archive is never taken for a page. Belongs to one thread.
class DateCache {
 public:
  // `strict_transport`: answers to secure requests say, too, that browsers ask this host over TLS
  // only from then on (RFC 6797).
  DateCache(std::string_view server_name, bool strict_transport);
  std::string_view Fields(std::time_t now, bool secure);

 private:
  const bool strict_transport_;
  std::string fields_;
  std::size_t date_at_ = 0;
  std::size_t secure_at_ = 0;  // where those begin that only answers to secure requests have
  std::time_t rendered_ = -1;
};

// Whole seconds from the coarse clock, which costs a few nanoseconds to read.
std::time_t CoarseSeconds();

// "Sat, 21 Nov 2026 16:41:10 GMT" (RFC 9110 §5.6.7).
std::string FormatHttpDate(std::time_t time);

}  // namespace koya::http
