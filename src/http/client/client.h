// A blocking HTTP(S) client over libcurl, for programs that talk to one server at a time.
//
// It follows no redirect (callers decide where a credential may go), retries nothing, verifies
// certificates always (by their issuer, or by their key alone), and holds every answer to a size
// and a time limit: of the heads of an exchange at most kMaxHeadBytes and kMaxFields, of its body
// as the request says. Proxies come from the environment as libcurl reads it, except that loopback
// hosts are never sent through one. A Client belongs to one thread at a time; it keeps its
// connections between requests.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"

namespace koya::http {

inline constexpr std::size_t kMaxHeadBytes = 128 << 10;  // interim answers and trailers included
inline constexpr std::size_t kMaxFields = 1000;
inline constexpr std::size_t kMaxPiece = 512 << 10;
// Of the body of an answer that is no 2xx: what follows is not waited for.
inline constexpr std::uint64_t kMaxFailureBody = 64 << 10;

struct ClientOptions {
  std::string user_agent = "koya";
  // PEM file that replaces the system's root certificates; empty: the system's. The command line
  // passes SSL_CERT_FILE on, which libcurl does not read by itself.
  std::string ca_file = {};
  // A folder of hashed certificates that is asked too; empty: the system's.
  std::string ca_directory = {};
  // "sha256//BASE64" of public keys (SubjectPublicKeyInfo), separated by ";". Unless empty, a
  // server is known by having one of them and by nothing else: neither issuer, name nor dates
  // count. Then TLS 1.3 is spoken, and no proxy is used.
  std::string pinned_keys = {};
  // Said after "the certificate … is not trusted: …": how a user of this program mends it.
  std::string trust_hint = {};
  std::chrono::milliseconds connect_timeout{10'000};
  // No byte either way for so long; looked at about once a second. 0: none.
  std::chrono::milliseconds stall_timeout{120'000};
  std::chrono::milliseconds total_timeout{0};  // for one whole exchange; 0: none
  // Asked before each connection whether this numeric address may be connected to. When no address
  // of a host may, Send fails with what this failed with. Behind a proxy of the environment, which
  // whoever runs the program has chosen, the proxy resolves names: then only an address that is
  // written out in the URL is asked about. Empty: every address may.
  std::function<Status(const std::string& address)> check_address = {};
  // Never through a proxy: for services that only this machine can reach.
  bool direct = false;
};

// A file as a request's body. The descriptor is read with pread, so its offset does not matter,
// and stays the caller's.
struct FileUpload {
  int descriptor = -1;
  std::uint64_t size = 0;
  // Called every so often while bytes are sent. May be empty.
  std::function<void(std::uint64_t sent)> on_progress = {};
  std::uint64_t offset = 0;  // where in the file the `size` bytes begin
};

struct ClientResponse;

struct ClientRequest {
  std::string method = "GET";
  std::string url = {};
  std::vector<std::pair<std::string, std::string>> fields = {};
  std::string body = {};  // sent when `upload` is absent and this is not empty
  // Sent with "Expect: 100-continue", unless `plain`.
  std::optional<FileUpload> upload = {};
  // Nothing is said that was not asked for: HTTP/1.1, the path as it is, always Content-Length
  // where there may be a body, no content coding, no Expect, no Content-Type (nor one in `fields`).
  bool plain = false;
  bool new_connection = false;           // the kept ones are left alone
  std::uint64_t max_body = 16ULL << 20;  // of a 2xx answer, unpacked; more: kTooLarge
  // When set, the bytes of a 2xx answer go here as they arrive, with the content coding that the
  // server gave them, and ClientResponse::body stays empty.
  std::function<Status(std::span<const std::byte>)> sink = {};
  // Unless 0: what goes to `sink` is gathered into pieces of up to so many bytes (kMaxPiece at
  // most), as long as more is at hand. The first bytes go there at once, and nothing is held back
  // while the server is waited for.
  std::size_t piece_bytes = 0;
  // Called once for a 2xx answer that goes to `sink`, before its first byte.
  std::function<Status(const ClientResponse& head)> on_head = {};
  std::chrono::milliseconds total_timeout{0};  // of this exchange; 0: the client's
  std::chrono::milliseconds stall_timeout{0};  // the same
  // From when the request can be sent to the first byte of an answer; 0: any.
  std::chrono::milliseconds first_byte_timeout{0};
  // Bytes a second, either way, that must have moved on average in each `rate_window`; 0: any.
  // What the callbacks themselves take is not counted.
  std::uint64_t min_rate = 0;
  std::chrono::milliseconds rate_window{60'000};
  LimitName min_rate_name = {};  // in the error when that was not reached
  // Once stop is requested, by any thread, Send ends at once.
  std::stop_token stop = {};
};

struct ClientResponse {
  unsigned status = 0;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;
  std::string address;  // of who answered: a server's, or a proxy's; "192.0.2.1", "2001:db8::1"

  // The value of the first field called `name` (letter case ignored), or nothing.
  std::optional<std::string_view> Get(std::string_view name) const;
};

class Client {
 public:
  explicit Client(ClientOptions options = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Sends one request and waits for the whole answer. Every status is a success here. Fails:
  // kUnavailable (host unknown, nothing listens, certificate not trusted, connection broken, given
  // up by `stop`), kTimeout, kTooLarge, kInvalid (not a URL this client fetches), or what `sink`,
  // `on_head` or `check_address` failed with.
  // Messages name the origin and never the path's query or a header.
  Result<ClientResponse> Send(const ClientRequest& request);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// True when `error` came from Send because the certificate was not trusted or the TLS handshake
// failed.
bool IsTlsError(const Error& error);

// True when `error` came from Send because of ClientRequest::first_byte_timeout.
bool IsFirstByteTimeout(const Error& error);
// True when `error` came from Send because the connection was refused: nobody listens at the port.
bool IsRefusedConnection(const Error& error);

}  // namespace koya::http
