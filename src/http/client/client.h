// A blocking HTTP(S) client over libcurl, for programs that talk to one server at a time.
//
// It follows no redirects (callers decide where a credential may go), retries nothing, always
// verifies certificates (by their issuer, or by their key alone), and limits the size and time of
// every response: the heads of an exchange to kMaxHeadBytes and kMaxFields, its body as the request
// says. Proxies come from the environment as libcurl reads it, except that loopback hosts are never
// reached through one. A Client belongs to one thread at a time; it keeps its connections between
// requests.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace koya::http {

inline constexpr std::size_t kMaxHeadBytes = 128 << 10;  // including interim responses and trailers
inline constexpr std::size_t kMaxFields = 1000;
inline constexpr std::size_t kMaxPiece = 512 << 10;
// For the body of a response that is not 2xx: later bytes are not waited for.
inline constexpr std::uint64_t kMaxFailureBody = 64 << 10;

// The PEM file with the root certificates of this machine, where Debian, Red Hat, SUSE or Alpine
// keep it; "" when there is none. Looked for once a process.
const std::string& SystemCaFile();

struct ClientOptions {
  std::string user_agent = "koya";
  // PEM file that replaces the system's root certificates; empty: SystemCaFile. The command line
  // passes SSL_CERT_FILE here, because libcurl does not read it.
  std::string ca_file = {};
  // A folder of hashed certificates that are trusted too; empty: the system's.
  std::string ca_directory = {};
  // "sha256//BASE64" of public keys (SubjectPublicKeyInfo), separated by ";". Unless empty, a
  // server is authenticated only by having one of these keys: issuer, name and dates are ignored.
  // Then TLS 1.3 is required, and no proxy is used.
  std::string pinned_keys = {};
  // Advice to the user, appended to "the certificate … is not trusted: …".
  std::string trust_hint = {};
  std::chrono::milliseconds connect_timeout{10'000};
  // Maximum time without a byte either way; checked about once a second. 0: none.
  std::chrono::milliseconds stall_timeout{120'000};
  std::chrono::milliseconds total_timeout{0};  // for a whole exchange; 0: none
  // Called before each connection: may this numeric address be connected to? If no address of a
  // host may, Send fails with the error of this function. Behind a proxy of the environment, which
  // the operator has chosen, the proxy resolves names: then only an address that is written in the
  // URL is checked. Empty: every address may.
  std::function<Status(const std::string& address)> check_address = {};
  // Never uses a proxy: for services that only this machine can reach.
  bool direct = false;
};

// A file as a request's body. The descriptor is read with pread, so its offset does not matter; the
// caller keeps ownership.
struct FileUpload {
  int descriptor = -1;
  std::uint64_t size = 0;
  // Called now and then while bytes are sent. May be empty.
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
  // Sends nothing beyond what the request gives: HTTP/1.1, the path unchanged, always
  // Content-Length where there may be a body, no content coding, no Expect, no Content-Type (nor
  // one in `fields`).
  bool plain = false;
  bool new_connection = false;           // do not reuse an idle connection
  std::uint64_t max_body = 16ULL << 20;  // of a 2xx response, unpacked; more: kTooLarge
  // If set, receives the bytes of a 2xx response as they arrive, with the content coding of the
  // server; ClientResponse::body stays empty.
  std::function<Status(std::span<const std::byte>)> sink = {};
  // Unless 0: bytes for `sink` are gathered into pieces of up to this size (kMaxPiece at most), as
  // long as more bytes are available. The first bytes are passed on at once, and no bytes are held
  // back while waiting for the server.
  std::size_t piece_bytes = 0;
  // Called once for a 2xx response that goes to `sink`, before its first byte.
  std::function<Status(const ClientResponse& head)> on_head = {};
  std::chrono::milliseconds total_timeout{0};  // for this exchange; 0: the client's
  std::chrono::milliseconds stall_timeout{0};  // the same
  // From when the request can be sent to the first byte of the response; 0: no limit.
  std::chrono::milliseconds first_byte_timeout{0};
  // Bytes a second, either way, that must have moved on average in each `rate_window`; 0: no
  // minimum. Time spent in the callbacks does not count.
  std::uint64_t min_rate = 0;
  std::chrono::milliseconds rate_window{60'000};
  LimitName min_rate_name = {};  // in the error when that rate was not reached
  // Once stop is requested, by any thread, Send returns at once.
  std::stop_token stop = {};
};

struct ClientResponse {
  unsigned status = 0;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;
  std::string address;  // of the responder, a server or a proxy: "192.0.2.1", "2001:db8::1"

  // The value of the first field called `name` (letter case ignored), or nothing.
  std::optional<std::string_view> Get(std::string_view name) const;
};

class Client {
 public:
  explicit Client(ClientOptions options = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Sends one request and waits for the whole response. Every status is a success here. Fails:
  // kUnavailable (host unknown, connection refused, certificate not trusted, connection broken,
  // cancelled by `stop`), kTimeout, kTooLarge, kInvalid (not a URL this client fetches), or the
  // error of `sink`, `on_head` or `check_address`. Messages name the origin and never the path's
  // query or a header.
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
// True when `error` came from Send because the connection was refused: no listener on the port.
bool IsRefusedConnection(const Error& error);

// Thread-safe. Creates as many clients as are in use at once, and keeps kMaxIdle of them.
class ClientPool {
 public:
  static constexpr std::size_t kMaxIdle = 32;

  explicit ClientPool(ClientOptions options) : options_(std::move(options)) {}

  // Returns the client to the pool when destroyed.
  class Lease {
   public:
    Lease(ClientPool& pool, std::unique_ptr<Client> client)
        : pool_(pool), client_(std::move(client)) {}
    ~Lease() { pool_.GiveBack(std::move(client_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Client& operator*() { return *client_; }
    Client* operator->() { return client_.get(); }

   private:
    ClientPool& pool_;
    std::unique_ptr<Client> client_;
  };

  Lease Take() {
    std::unique_lock lock(mutex_);
    if (idle_.empty()) {
      lock.unlock();
      return Lease(*this, std::make_unique<Client>(options_));
    }
    // The client used last: its connections are most likely still open.
    std::unique_ptr<Client> client = std::move(idle_.back());
    idle_.pop_back();
    return Lease(*this, std::move(client));
  }

 private:
  void GiveBack(std::unique_ptr<Client> client) {
    std::lock_guard lock(mutex_);
    if (idle_.size() < kMaxIdle) idle_.push_back(std::move(client));
  }

  const ClientOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Client>> idle_;
};

}  // namespace koya::http
