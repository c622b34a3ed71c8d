// Options of a server, and its observer.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/server/page_cache.h"

namespace koya {
class SpanSink;
class WorkerPool;
}  // namespace koya

namespace koya::http {

struct TlsOptions {
  std::string certificate_file;  // PEM chain, leaf first
  std::string key_file;          // PEM
  // In place of the files: PEM in memory, one certificate and its key.
  std::string certificate = {};
  std::string key = {};
  bool only_newest = false;  // TLS 1.3 alone
  bool http2 = false;        // offer HTTP/2 to clients, besides HTTP/1.1
};

// A ticker that runs four times a second enforces durations: they hold within 0.3 s.
struct ServerOptions {
  using Milliseconds = std::chrono::milliseconds;

  std::string listen = "127.0.0.1:8443";          // HOST:PORT, "[::1]:0"; port 0 picks a free one
  std::optional<TlsOptions> tls = {};             // nullopt: plain HTTP
  unsigned threads = 0;                           // 0: one per core
  std::vector<std::string> trusted_proxies = {};  // CIDRs whose X-Forwarded-For/-Proto are trusted
  // Connections of trusted proxies begin with a PROXY protocol v2 header, which names the client.
  bool proxy_protocol = false;
  // Receives the spans of requests with a traceparent field. Outlives the server. Null: none is
  // made.
  SpanSink* spans = nullptr;
  std::string server_name = "koya";  // the Server field
  bool strict_transport = false;     // secure responses have Strict-Transport-Security, for a year

  std::size_t max_header_bytes = 16 * 1024;  // more: 431; of the target alone: 414
  Milliseconds header_deadline{10000};       // absolute, from the first byte: 408
  Milliseconds handshake_deadline{10000};
  Milliseconds idle_timeout{75000};        // between requests: closed silently
  Milliseconds body_stall_timeout{20000};  // no byte of a body for this long: 408
  std::uint64_t min_body_rate = 1024;      // bytes a second, averaged after 20 s: 408
  Milliseconds send_stall_timeout{30000};  // a client that reads nothing is cut off
  std::size_t max_connections = 10000;     // beyond: refused at accept
  std::size_t max_connections_per_address = 1000;
  Milliseconds drain_deadline{10000};             // Stop(): time for running requests
  Milliseconds certificate_check_interval{2000};  // how soon changed TLS files are loaded

  // Reads parts of files that are not in memory, so that a slow disk delays only their own
  // requests. Outlives the server. Null: the loops read them.
  WorkerPool* disk = nullptr;
  // Detects which parts are in memory; tests simulate disks that are slower than theirs.
  bool (*is_in_memory)(const FileSlice&) = IsInMemory;
  // Called, on any thread, when accept() finds no descriptor: releases some that are not essential,
  // and returns whether there were any.
  std::function<bool()> free_descriptors = {};
};

// The outcome of one request. Views are valid during the call only.
struct RequestRecord {
  std::string_view method;
  std::string_view path;   // without the query: queries may hold signatures
  std::string_view route;  // the pattern, or "" if none matched
  std::string_view remote;
  std::string_view request_id;
  std::string_view trace_id;  // of a W3C traceparent field; "": there is none
  std::string_view user_agent;
  std::string_view detail;
  LimitName limit{};  // the limit that was reached, if any
  unsigned status = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t bytes_sent = 0;
  std::chrono::nanoseconds duration{};
  bool cut_off = false;  // the connection broke before the response was complete
  bool http2 = false;
};

// Receives all events of the server; called on the loops (OnTlsReloaded: on a thread of its own),
// so it must be thread-safe and must not block.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void OnRequest(const RequestRecord& record) = 0;
  virtual void OnConnectionOpened() {}
  virtual void OnConnectionClosed() {}
  virtual void OnConnectionRefused(std::string_view /*reason*/) {}
  virtual void OnTlsReloaded(const Status& /*outcome*/) {}
  // An exception reached the request boundary: the response is 500.
  virtual void OnInternalError(std::string_view /*request_id*/, std::string_view /*what*/) {}
};

}  // namespace koya::http
