// Http2Body: how a handler reads what its client sends.
#include <utility>

#include "http/server/http2_connection.h"
#include "http/server/http2_stream.h"

namespace koya::http {

void Http2Body::AcceptBytes(std::string_view bytes) {
  arrived_.append(bytes);
  stream_.Wake();
}

void Http2Body::AcceptEnd() {
  ended_ = true;
  stream_.Wake();
}

void Http2Body::Expire(LoopTime now) {
  if (now < deadline_) return;
  // It is not the client's fault if other streams hold the window of the connection.
  if (stream_.connection_.is_window_low()) {
    deadline_ = now + options_.body_stall_timeout.count();
    return;
  }
  stalled_ = true;
  stream_.Wake();
}

Awaitable<void> Http2Body::WaitForBytes() {
  const LoopTime start = LoopNow();
  deadline_ = start + options_.body_stall_timeout.count();
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
  if (stalled_) co_return StopStalled();
  if (arrived_.empty()) {
    if (ended_) co_return std::span<const std::byte>();
    co_return StopCutOff();
  }
  std::swap(piece_, arrived_);
  received_ += piece_.size();
  if (received_ > limit_) co_return StopTooLarge();
  if (!ended_ && TooSlow()) co_return StopTooSlow();
  co_return std::as_bytes(std::span(piece_));
}

}  // namespace koya::http
