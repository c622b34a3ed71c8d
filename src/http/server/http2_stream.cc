#include "http/server/http2_stream.h"

#include <nghttp2/nghttp2.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "http/server/http2_connection.h"

namespace koya::http {
namespace asio = boost::asio;

namespace {

constexpr LoopTime kResetDelay = 500;

std::string DescribeFailure(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

Http2Stream::Http2Stream(Http2Connection& connection, std::int32_t id)
    : connection_(connection),
      engine_(connection.loop().engine),
      id_(id),
      exchange_(connection.loop()),
      body_(*this, engine_.options) {
  Http2Connection::Buffers& spare = connection_.spare();
  text_ = std::move(spare.text);
  answer_head_ = std::move(spare.answer_head);
  exchange_.head.fields = std::move(spare.fields);
  text_.clear();
  answer_head_.clear();
  exchange_.head.fields.clear();
}

Http2Stream::~Http2Stream() = default;

void Http2Stream::AcceptHead(const Http2HeadWriter& head, bool has_body) {
  exchange_.Begin();
  head.Finish(text_);
  exchange_.counts().head = text_.size();
  RequestHead& parsed = exchange_.head;
  fault_ = head.FindFault();
  if (fault_) {
    overlong_.emplace().AcceptBytes(text_);
    overlong_->Describe(parsed);
    return;
  }
  fault_ = ParseHead(text_, parsed);
  // A body without a length is no fault here: its last frame says that it is the last.
  parsed.chunked = has_body && !parsed.content_length;
  if (!has_body) body_.AcceptEnd();
  if (has_body && parsed.expects_continue) body_.set_expects_continue();
}

void Http2Stream::Start() {
  waits_to_start = false;
  if (closed_) return End(nullptr);
  const RequestSource source{.address = connection_.peer(),
                             .is_proxy = connection_.peer_is_proxy(),
                             .secure = true,
                             .runs_others = connection_.stream_count() > 1};
  response_ = exchange_.Prepare(source, fault_, body_);
  if (!response_) response_ = exchange_.AskReadyAnswer();
  if (response_ && IsAtHand(*response_)) {
    Submit(Plan());
    return;
  }
  running_ = true;
  auto end = [this](const std::exception_ptr& failure) {
    running_ = false;
    End(failure);
  };
  asio::co_spawn(connection_.transport().executor(), Run(),
                 asio::bind_cancellation_slot(cancel_.slot(), std::move(end)));
}

Awaitable<void> Http2Stream::Run() {
  if (!response_) {
    Transport& transport = connection_.transport();
    has_ended_ = std::make_shared<std::atomic<bool>>(closed_);
    ClientLink client{transport.descriptor(), has_ended_};
    response_ = co_await exchange_.CallHandler(body_, transport.executor(), std::move(client));
  }
  co_await SendAnswer();
}

Awaitable<void> Http2Stream::Wait() {
  if (!waker_) waker_.emplace(connection_.transport().executor());
  // Wake() ends the wait: for bytes, for room, for the end of the stream, or by the ticker.
  waker_->expires_at(LoopTimer::time_point::max());
  waiting_ = true;
  boost::system::error_code ignored;
  co_await waker_->async_wait(asio::bind_executor(
      connection_.transport().executor(), asio::redirect_error(asio::use_awaitable, ignored)));
  waiting_ = false;
}

void Http2Stream::Wake() {
  if (waiting_) waker_->cancel();
}

// A client may need time to see that its body is not wanted (RFC 9113 §8.1): some take a reset for
// a failure while they send.
void Http2Stream::SetSentWhole(bool has_rest) {
  sent_whole_ = true;
  if (has_rest) reset_at_ = LoopNow() + kResetDelay;
}

void Http2Stream::Expire(LoopTime now) {
  body_.Expire(now);
  if (now >= reset_at_) {
    reset_at_ = kNever;
    Reset(NGHTTP2_NO_ERROR);
  }
  if (now < send_deadline_ || deferred_ || sent_whole_ || closed_) return;
  send_deadline_ = kNever;
  Reset(NGHTTP2_CANCEL);
}

void Http2Stream::Cut() {
  exchange_.Cut();
  cancel_.emit(asio::cancellation_type::terminal);
}

void Http2Stream::Close() {
  closed_ = true;
  if (has_ended_) *has_ended_ = true;
  body_.GiveBack(!running_);
  Wake();
  if (!running_ && !waits_to_start) End(nullptr);
}

// Once both the handler and the stream have ended, so does this.
void Http2Stream::End(const std::exception_ptr& failure) {
  if (failure) {
    outgoing_ = {};  // its bytes may have ended with the handler
    if (!exchange_.is_cut()) {
      engine_.observer.OnInternalError(exchange_.request().request_id, DescribeFailure(failure));
    }
    Reset(NGHTTP2_INTERNAL_ERROR);
  }
  if (running_ || !closed_ || ended_) return;
  ended_ = true;
  body_.GiveBack(true);
  response_.reset();
  exchange_.Release();
  if (!exchange_.request().request_id.empty()) exchange_.Report(body_, !sent_whole_, true);
  connection_.spare() = {std::move(text_), std::move(answer_head_),
                         std::move(exchange_.head.fields)};
  connection_.Remove(*this);
}

}  // namespace koya::http
