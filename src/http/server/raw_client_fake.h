// For tests: a client that sends exactly the given bytes, plain or over TLS, and reads responses
// one at a time. Blocking, with a time limit on every step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace koya::http {

struct RawAnswer {
  unsigned status = 0;
  std::string head;                                // with the blank line
  std::multimap<std::string, std::string> fields;  // names in lower case
  std::string body;                                // without chunked coding
  bool complete = false;                           // the body's end was seen

  // The value of the first such field, or "".
  std::string Get(const std::string& lower_name) const;
};

class RawClient {
 public:
  enum class End { kOrderly, kReset, kStillOpen };
  struct Options {
    bool tls = false;
    std::vector<std::string> protocols = {"http/1.1"};  // offered by ALPN
    int tls_version = 0;                                // 0: any
    std::string ciphers = {};                           // of TLS 1.3; "": OpenSSL's
    int receive_buffer = 0;                             // SO_RCVBUF; 0: as it is
    std::string source;                                 // address to connect from, or ""
    std::string preface = {};                           // sent before TLS begins
  };
  RawClient(std::uint16_t port, Options options);
  explicit RawClient(std::uint16_t port) : RawClient(port, Options()) {}
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // Whether the connection, and TLS if asked for, came about.
  bool connected() const;
  std::string negotiated_protocol() const;
  std::string negotiated_cipher() const;
  std::string peer_certificate_name() const;  // the common name
  // False: the peer does not take (all of) it any more.
  bool Send(std::string_view bytes);
  // Sends on the socket itself, under TLS if there is any.
  bool SendRaw(std::string_view bytes);
  void FinishSending();
  // The next answer; nullopt when the connection ended before its head was complete.
  std::optional<RawAnswer> ReadAnswer(bool to_head = false);
  // Some bytes of a body, or "" at the end.
  std::string ReadSome(std::size_t most = 64 * 1024);
  // What comes until the connection ends.
  std::string ReadToEnd();
  bool got_goodbye() const;  // TLS's close_notify
  // How the connection ends; waits for that, throwing away what still comes.
  End WaitForEnd(int milliseconds = 10'000);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One request over a connection of its own.
std::optional<RawAnswer> Ask(std::uint16_t port, std::string_view request, bool tls = false);

// Writes a self-signed certificate for `common_name` and its key as PEM files.
void WriteTestCertificate(const std::string& certificate_file, const std::string& key_file,
                          const std::string& common_name);

}  // namespace koya::http
