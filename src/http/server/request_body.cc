#include "http/server/request_body.h"

#include <algorithm>

#include "base/clock.h"

namespace koya::http {
namespace {

constexpr std::size_t kSmallRead = 16 * 1024;
constexpr std::size_t kLargeRead = 256 * 1024;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

std::string TooLargeMessage(std::uint64_t limit) {
  if (limit == 0) return "this path accepts no body with this method";
  return "the body is larger than " + FormatSize(limit) + ", the most that this path accepts";
}

Failure IncomingBody::Stop(ErrorKind kind, std::string_view message, LimitName limit) {
  failure_ = Error{kind, std::string(message), {}, 0, limit};
  return Failure(*failure_);
}

Failure IncomingBody::StopStalled() {
  return Stop(ErrorKind::kTimeout, "the body of the request stopped arriving",
              "timeouts.body_stall");
}

Failure IncomingBody::StopTooLarge() {
  return Stop(ErrorKind::kTooLarge, TooLargeMessage(limit_), limit_name_);
}

Failure IncomingBody::StopTooSlow() {
  return Stop(ErrorKind::kTimeout, "the body of the request arrived too slowly", "fixed.body_rate");
}

bool IncomingBody::TooSlow() const {
  const LoopTime grace = options_.body_stall_timeout.count();
  return waited_ >= grace &&
         received_ < options_.min_body_rate * static_cast<std::uint64_t>(waited_) / 1000;
}

// Requests without a route may have a body that is worth draining.
RequestBody::RequestBody(BodyPath path, const ServerOptions& options)
    : IncomingBody(options, kWorthDraining), path_(path) {
  left_ = path_.head.content_length.value_or(0);
  finished_ = !path_.head.has_body();
  // A client that has begun to send does not wait for leave (RFC 9110 §10.1.1).
  continue_pending_ = path_.head.expects_continue && !finished_ && path_.input.unread().empty();
}

std::string_view RequestBody::available() const {
  std::string_view early = path_.input.unread();
  return early.empty() ? window_ : early;
}

void RequestBody::Consume(std::size_t count) {
  if (path_.input.unread().empty()) {
    window_.remove_prefix(count);
  } else {
    path_.input.Consume(count);
  }
}

Failure RequestBody::StopAfterRead() {
  const bool stalled = path_.transport.state() == Transport::State::kTimedOut;
  return stalled ? StopStalled() : StopCutOff();
}

Awaitable<bool> RequestBody::AskForBody() {
  if (!continue_pending_) co_return true;
  continue_pending_ = false;
  IoVec pieces;
  pieces.Add(kContinue);
  bool sent = co_await path_.transport.Send(pieces);
  co_return sent;
}

// Waits for more bytes of the body, read into a buffer of its own: the request's views lead into
// the input buffer.
Awaitable<bool> RequestBody::Fill(std::size_t wanted) {
  if (capacity_ < wanted) {
    buffer_ = std::make_unique_for_overwrite<char[]>(wanted);
    capacity_ = wanted;
  }
  LoopTime start = LoopNow();
  LoopTime deadline = start + options_.body_stall_timeout.count();
  std::size_t got = co_await path_.transport.Read(std::span(buffer_.get(), wanted), deadline);
  waited_ += LoopNow() - start;
  window_ = {buffer_.get(), got};
  co_return got > 0;
}

Task<std::span<const std::byte>> RequestBody::Read() {
  if (failure_) co_return Failure(*failure_);
  if (finished_) co_return std::span<const std::byte>();
  bool asked = co_await AskForBody();
  if (!asked) co_return StopAfterRead();
  if (path_.head.chunked) co_return co_await ReadChunked();
  co_return co_await ReadSized();
}

Task<std::span<const std::byte>> RequestBody::ReadSized() {
  if (available().empty()) {
    std::size_t wanted = std::min<std::uint64_t>(left_, kLargeRead);
    bool filled = co_await Fill(wanted);
    if (!filled) co_return StopAfterRead();
  }
  std::string_view piece = available().substr(0, left_);
  Consume(piece.size());
  left_ -= piece.size();
  received_ += piece.size();
  finished_ = left_ == 0;
  if (!finished_ && TooSlow()) co_return StopTooSlow();
  co_return AsBytes(piece);
}

Task<std::span<const std::byte>> RequestBody::ReadChunked() {
  for (;;) {
    if (available().empty()) {
      // Grows once the body has shown that it is a large one.
      bool filled = co_await Fill(received_ > kSmallRead ? kLargeRead : kSmallRead);
      if (!filled) co_return StopAfterRead();
    }
    ChunkedDecoder::Step step = decoder_.Decode(available());
    Consume(step.consumed);
    if (step.malformed) co_return Stop(ErrorKind::kInvalid, "the chunked coding is malformed");
    received_ += step.data.size();
    if (received_ > limit_) co_return StopTooLarge();
    finished_ = step.finished;
    if (!finished_ && TooSlow()) co_return StopTooSlow();
    if (finished_ || !step.data.empty()) co_return AsBytes(step.data);
  }
}

bool RequestBody::nearly_finished() const {
  if (finished_) return true;
  if (failure_ || continue_pending_) return false;
  std::uint64_t most = std::min(limit_, kWorthDraining);
  return path_.head.chunked ? received_ < most : left_ <= kWorthDraining;
}

Awaitable<bool> RequestBody::Drain() {
  std::uint64_t start = received_;
  while (!finished_) {
    auto piece = co_await Read();
    if (!piece || received_ - start > kWorthDraining) co_return false;
  }
  co_return true;
}

void RequestBody::GiveBack() {
  if (!window_.empty()) path_.input.Assign(window_);
  window_ = {};
}

}  // namespace koya::http
