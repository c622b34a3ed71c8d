// The body of one request, read from the connection as the handler asks for it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "http/server/chunked_decoder.h"
#include "http/server/head_parser.h"
#include "http/server/input_buffer.h"
#include "http/server/message.h"
#include "http/server/server_options.h"
#include "http/server/transport.h"

namespace koya::http {

// The source of a body; must outlive the body.
struct BodyPath {
  Transport& transport;
  InputBuffer& input;  // may hold the body's first bytes, and those of the next request
  const RequestHead& head;
  const ServerOptions& options;
};

// The message of the 413 of a route that takes `limit` bytes.
std::string TooLargeMessage(std::uint64_t limit);

class RequestBody final : public ByteSource {
 public:
  explicit RequestBody(BodyPath path);

  // Sends "100 Continue" before the first read if the client waits for it. Fails: kTooLarge (over
  // the route's limit), kTimeout (stalled, or slower than the minimum rate), kInvalid (cut off, or
  // bad chunked coding). After a failure the engine itself responds with 413, 408 or 400, whatever
  // the handler returns, and closes.
  Task<std::span<const std::byte>> Read() override;

  void set_limit(std::uint64_t limit, LimitName name) {
    limit_ = limit;
    limit_name_ = name;
  }
  // The error of reading, if it failed.
  const std::optional<Error>& failure() const { return failure_; }
  bool finished() const { return finished_; }
  // True if the client still waits for "100 Continue", and so may never send the body.
  bool unasked() const { return continue_pending_; }
  std::uint64_t received() const { return received_; }
  // True if reading to the end is cheap: the end is near, or may be.
  bool nearly_finished() const;
  // Reads to the end and discards the bytes. False: too many bytes, or it failed.
  Awaitable<bool> Drain();
  // Returns bytes that belong to the next request. REQUIRES: finished; no view into the request is
  // used any more.
  void GiveBack();

 private:
  Task<std::span<const std::byte>> ReadSized();
  Task<std::span<const std::byte>> ReadChunked();
  Awaitable<bool> AskForBody();
  Awaitable<bool> Fill(std::size_t wanted);
  std::string_view available() const;
  void Consume(std::size_t count);
  Failure Stop(ErrorKind kind, std::string_view message, LimitName limit = {});
  Failure StopAfterRead();
  bool TooSlow() const;

  // Reading to an end no further away than this costs less than a new connection.
  static constexpr std::uint64_t kWorthDraining = 64 * 1024;

  BodyPath path_;
  std::uint64_t limit_ = kWorthDraining;  // initially for requests without a route
  LimitName limit_name_;
  std::uint64_t left_ = 0;  // remaining bytes of a body with a Content-Length
  std::uint64_t received_ = 0;
  bool finished_ = false;
  bool continue_pending_ = false;
  std::optional<Error> failure_;
  ChunkedDecoder decoder_;
  std::unique_ptr<char[]> buffer_;  // used once `input` is exhausted
  std::size_t capacity_ = 0;
  std::string_view window_;  // unread part of buffer_
  LoopTime waited_ = 0;      // spent waiting for the client, as opposed to the handler
};

}  // namespace koya::http
