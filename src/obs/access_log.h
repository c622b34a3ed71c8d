// Writes one JSON line for every request that was answered or cut off.
//
// Called on the event loops, for every request: it formats into a buffer on the stack and copies
// the line into LineWriter's memory, without allocating and without waiting. The path has no query,
// since queries contain signatures; no Authorization field ever reaches this code.
//
//   {"time":"…","level":"info","message":"request","request_id":"…","remote":"192.0.2.7",
//    "method":"GET","path":"/v1/modules/…","route":"/v1/modules/{namespace}/…","status":200,
//    "bytes_in":0,"bytes_out":1520,"duration_us":84,"user_agent":"OpenTofu/1.8.1"}
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "obs/line_writer.h"

namespace koya {

// Views are used during the call only.
struct AccessLogEntry {
  std::string_view request_id{};  // letters, digits and . _ -, as the server checks
  std::string_view trace_id{};    // omitted when empty
  std::string_view remote{};      // a numeric address
  std::string_view method{};
  std::string_view path{};   // without the query
  std::string_view route{};  // the pattern, a literal of this program; omitted when empty
  std::string_view user_agent{};
  std::string_view detail{};  // omitted when empty
  unsigned status = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t bytes_sent = 0;
  std::chrono::nanoseconds duration{};
  bool cut_off = false;  // the connection broke before the response was complete
  bool http2 = false;    // "protocol":"h2"; without it, HTTP/1.1 is not mentioned
};

class AccessLog {
 public:
  // `writer` must outlive the log.
  explicit AccessLog(LineWriter& writer) : writer_(writer) {}
  // May be called from any thread.
  void Write(const AccessLogEntry& entry);

 private:
  LineWriter& writer_;
};

}  // namespace koya
