// Http2Body: how a handler reads what its client sends.
#include <utility>

#include "http/server/http2_connection.h"
#include "http/server/http2_stream.h"
#include "http/server/request_body.h"

namespace koya::http {

void Http2Body::AcceptBytes(std::string_view bytes) {
  arrived_.append(bytes);
  stream_.Wake();
}

void Http2Body::AcceptEnd() {
  ended_ = true;
  stream_.Wake();
}

Failure Http2Body::Stop(ErrorKind kind, std::string_view message, LimitName limit) {
  failure_ = Error{kind, std::string(message), {}, 0, limit};
  return Failure(*failure_);
}

bool Http2Body::TooSlow() const {
  const ServerOptions& options = stream_.engine_.options;
  const LoopTime grace = options.body_stall_timeout.count();
  return waited_ >= grace &&
         received_ < options.min_body_rate * static_cast<std::uint64_t>(waited_) / 1000;
}

void Http2Body::Expire(LoopTime now) {
  if (now < deadline_) return;
  // It is not the client's fault if other streams hold the window of the connection.
  if (stream_.connection_.is_window_low()) {
    deadline_ = now + stream_.engine_.options.body_stall_timeout.count();
    return;
  }
  stalled_ = true;
  stream_.Wake();
}

Awaitable<void> Http2Body::WaitForBytes() {
  const LoopTime start = LoopNow();
  deadline_ = start + stream_.engine_.options.body_stall_timeout.count();
  while (arrived_.empty() && !ended_ && !stalled_ && !stream_.closed()) co_await stream_.Wait();
  deadline_ = kNever;
  waited_ += LoopNow() - start;
}

void Http2Body::GiveBack(bool all) {
  std::size_t count = piece_.size();
  piece_.clear();
  if (all) {
    count += arrived_.size();
    arrived_.clear();
  }
  if (count > 0) stream_.connection_.GiveBack(stream_, count);
}

Task<std::span<const std::byte>> Http2Body::Read() {
  if (failure_) co_return Failure(*failure_);
  GiveBack(false);
  if (std::exchange(expects_continue_, false) && arrived_.empty() && !ended_) {
    stream_.SubmitContinue();
  }
  if (arrived_.empty() && !ended_) co_await WaitForBytes();
  if (stalled_) {
    co_return Stop(ErrorKind::kTimeout, "the body of the request stopped arriving",
                   "timeouts.body_stall");
  }
  if (arrived_.empty()) {
    if (ended_) co_return std::span<const std::byte>();
    co_return Stop(ErrorKind::kInvalid, "the body of the request was cut off");
  }
  std::swap(piece_, arrived_);
  received_ += piece_.size();
  if (received_ > limit_) {
    co_return Stop(ErrorKind::kTooLarge, TooLargeMessage(limit_), limit_name_);
  }
  if (!ended_ && TooSlow()) {
    co_return Stop(ErrorKind::kTimeout, "the body of the request arrived too slowly",
                   "fixed.body_rate");
  }
  co_return std::as_bytes(std::span(piece_));
}

}  // namespace koya::http
