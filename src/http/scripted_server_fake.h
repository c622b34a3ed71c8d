// A small HTTP/1.1 server for tests of clients: it answers what the test says, and keeps what
// arrived. One connection at a time, one request per connection, on a free loopback port.
#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace koya::http {

struct ScriptedRequest {
  std::string method;
  std::string target;
  std::map<std::string, std::string> fields;  // names in lower case
  std::string body;
};

struct ScriptedAnswer {
  unsigned status = 200;
  std::vector<std::pair<std::string, std::string>> fields = {};
  std::string body = {};
  std::string raw = {};  // when not empty, sent instead of all the above

  bool silent = false;  // nothing of it is sent
  // Afterwards the connection stays open, with nothing said, until the client closes it.
  bool held = false;
  std::chrono::milliseconds pause{0};  // before each byte of the body, or of `raw`

  static ScriptedAnswer Json(unsigned status, std::string body) {
    return {.status = status,
            .fields = {{"Content-Type", "application/json"}},
            .body = std::move(body)};
  }
};

class ScriptedServer {
 public:
  using Respond = std::function<ScriptedAnswer(const ScriptedRequest&)>;

  // Listens at once. `respond` is called on the server's thread. With `tls` (not owned), speaks
  // TLS.
  explicit ScriptedServer(Respond respond, SSL_CTX* tls = nullptr);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::uint16_t port() const;
  std::string url() const;  // "http://127.0.0.1:PORT", or https with TLS
  std::vector<ScriptedRequest> requests() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya::http
