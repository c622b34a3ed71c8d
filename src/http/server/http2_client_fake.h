// For tests: an HTTP/2 client over TLS. Requests go through nghttp2's client session; hand-made
// frames go straight onto the connection. Blocking, with a time limit on every step.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/server/raw_client_fake.h"

namespace koya::http {

struct Http2Answer {
  unsigned status = 0;
  std::multimap<std::string, std::string> fields;
  std::string body;
  bool was_continued = false;               // 100 Continue came first
  bool complete = false;                    // the server ended the stream
  std::optional<std::uint32_t> reset = {};  // by the server, with this code

  // The value of the first such field, or "".
  std::string Get(const std::string& name) const;
};

struct Http2Request {
  std::string method = "GET";
  std::string path = "/";
  std::vector<std::pair<std::string, std::string>> fields = {};
  std::optional<std::string> body = {};
  bool reads = true;  // the client makes room for the response as it arrives
};

class Http2Client {
 public:
  explicit Http2Client(std::uint16_t port, RawClient::Options options = {});
  ~Http2Client();
  Http2Client(const Http2Client&) = delete;
  Http2Client& operator=(const Http2Client&) = delete;

  // Sends the request and returns its stream's ID; negative: it cannot be sent.
  std::int32_t Send(const Http2Request& request);
  // Reads until the stream has ended, in whatever way, or the connection has.
  Http2Answer Finish(std::int32_t id);
  Http2Answer Ask(const Http2Request& request) { return Finish(Send(request)); }
  Http2Answer Get(const std::string& path) { return Ask({.path = path}); }
  // Sends frames made by hand, which open stream 1: its answer is read as those of others.
  void SendFirst(std::string_view frames);
  // Abandons a stream.
  void Reset(std::int32_t id);
  // Reads until `reached`. False: the connection ended before.
  bool ReadUntil(const std::function<bool()>& reached);

  const Http2Answer& answer(std::int32_t id) { return answers_[id]; }
  // The error code of a GOAWAY frame, once one has arrived, and its last stream.
  std::optional<std::uint32_t> goaway() const { return goaway_; }
  std::int32_t goaway_last() const { return goaway_last_; }
  // Bytes of bodies that the server lets this client send now.
  std::int32_t connection_window() const;
  std::uint64_t body_bytes_sent() const { return body_bytes_sent_; }
  RawClient& raw() { return raw_; }
  nghttp2_session* session() { return session_.get(); }
  void Flush();

 private:
  friend struct Http2ClientCallbacks;
  bool ReadMore();
  void NoteGoaway(std::string_view bytes);

  RawClient raw_;
  std::unique_ptr<nghttp2_session, void (*)(nghttp2_session*)> session_;
  std::map<std::int32_t, Http2Answer> answers_;
  std::map<std::int32_t, Http2Request> requests_;
  std::map<std::int32_t, std::string_view> unsent_;
  std::string frames_;  // bytes of a frame that is not complete
  std::optional<std::uint32_t> goaway_;
  std::int32_t goaway_last_ = 0;
  std::uint64_t body_bytes_sent_ = 0;
};

// One frame, as bytes.
std::string MakeFrame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                      std::string_view payload);
// A header block without compression.
std::string MakeHeaderBlock(const std::vector<std::pair<std::string, std::string>>& fields);
// The client's preface: the magic words and empty settings.
std::string Http2Preface();

}  // namespace koya::http
