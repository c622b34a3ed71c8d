// The body of one request, read from the connection as the handler asks for it; and the bytes that
// a connection has received.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/server/chunked_decoder.h"
#include "http/server/head_parser.h"
#include "http/server/message.h"
#include "http/server/server_options.h"
#include "http/server/transport.h"

namespace koya::http {

// The bytes that a connection has received and not used yet, in one contiguous piece.
class InputBuffer {
 public:
  // Small enough that idle connections cost little, large enough for nearly every head.
  static constexpr std::size_t kRestSize = 2048;

  std::string_view unread() const { return {data_.get() + begin_, end_ - begin_}; }
  void Consume(std::size_t count) { begin_ += count; }

  // Returns free space after the unread bytes; grows the buffer to at most `most` bytes for it.
  // Empty when that many bytes are unread already. Moves the unread bytes, which invalidates views.
  std::span<char> Space(std::size_t most) {
    if (begin_ > 0) Compact();
    if (end_ == capacity_ && capacity_ < most) Resize(std::max(kRestSize, capacity_ * 2));
    return {data_.get() + end_, capacity_ - end_};
  }
  void Arrived(std::size_t count) { end_ += count; }

  // Replaces the content. REQUIRES: nothing is unread.
  void Assign(std::string_view bytes) {
    begin_ = end_ = 0;
    if (bytes.size() > capacity_) Resize(bytes.size());
    std::memcpy(data_.get(), bytes.data(), bytes.size());
    end_ = bytes.size();
  }

  // Releases memory that a large request needed. REQUIRES: nothing is unread.
  void Rest() {
    begin_ = end_ = 0;
    if (capacity_ > kRestSize) Resize(kRestSize);
  }

 private:
  void Compact() {
    std::memmove(data_.get(), data_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  void Resize(std::size_t capacity) {
    auto data = std::make_unique_for_overwrite<char[]>(capacity);
    if (end_ > 0) std::memcpy(data.get(), data_.get(), end_);
    data_ = std::move(data);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> data_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

// The source of a body; must outlive the body.
struct BodyPath {
  Transport& transport;
  InputBuffer& input;  // may hold the body's first bytes, and those of the next request
  const RequestHead& head;
};

// The message of the 413 of a route that takes `limit` bytes.
std::string TooLargeMessage(std::uint64_t limit);

// The body of a request over either protocol.
//
// Read() asks the client to send its body if the client waits for that, and fails: kTooLarge (over
// the route's limit), kTimeout (stalled, or slower than the minimum rate), kInvalid (cut off, or
// malformed). After a failure the engine itself responds with 413, 408 or 400, whatever the handler
// returns.
class IncomingBody : public ByteSource {
 public:
  void set_limit(std::uint64_t limit, LimitName name) {
    limit_ = limit;
    limit_name_ = name;
  }
  // The error of reading, if it failed.
  const std::optional<Error>& failure() const { return failure_; }
  std::uint64_t received() const { return received_; }

 protected:
  IncomingBody(const ServerOptions& options, std::uint64_t limit)
      : options_(options), limit_(limit) {}

  Failure Stop(ErrorKind kind, std::string_view message, LimitName limit = {});
  Failure StopCutOff() { return Stop(ErrorKind::kInvalid, "the body of the request was cut off"); }
  Failure StopStalled();
  Failure StopTooLarge();
  Failure StopTooSlow();
  // Whether the client has had its time and sent too little.
  bool TooSlow() const;

  const ServerOptions& options_;
  std::uint64_t limit_;
  LimitName limit_name_;
  std::uint64_t received_ = 0;
  LoopTime waited_ = 0;  // spent waiting for the client, as opposed to the handler
  std::optional<Error> failure_;
};

class RequestBody final : public IncomingBody {
 public:
  RequestBody(BodyPath path, const ServerOptions& options);

  Task<std::span<const std::byte>> Read() override;

  bool finished() const { return finished_; }
  // True if the client still waits for "100 Continue", and so may never send the body.
  bool unasked() const { return continue_pending_; }
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
  Failure StopAfterRead();

  // Reading to an end no further away than this costs less than a new connection.
  static constexpr std::uint64_t kWorthDraining = 64 * 1024;

  BodyPath path_;
  std::uint64_t left_ = 0;  // remaining bytes of a body with a Content-Length
  bool finished_ = false;
  bool continue_pending_ = false;
  ChunkedDecoder decoder_;
  std::unique_ptr<char[]> buffer_;  // used once `input` is exhausted
  std::size_t capacity_ = 0;
  std::string_view window_;  // unread part of buffer_
};

}  // namespace koya::http
