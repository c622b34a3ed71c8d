// A request of an HTTP/2 connection: its head, its body, its handler, its response.
//
// Owned by its connection and used on that connection's loop only. Lives until its stream is closed
// and its handler has ended. A response that is available at once needs no coroutine.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <boost/asio/cancellation_signal.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/task.h"
#include "http/server/answer_plan.h"
#include "http/server/engine.h"
#include "http/server/head_parser.h"
#include "http/server/http2_head.h"
#include "http/server/request_body.h"
#include "http/server/request_exchange.h"
#include "http/server/transport.h"

namespace koya::http {

class Http2Connection;
class Http2Stream;

// The body of a request. Bytes wait here until the handler reads them; the client may send more
// only as they are read, so at most the stream's window is buffered.
class Http2Body final : public IncomingBody {
 public:
  Http2Body(Http2Stream& stream, const ServerOptions& options)
      : IncomingBody(options, 0), stream_(stream) {}

  Task<std::span<const std::byte>> Read() override;

  void AcceptBytes(std::string_view bytes);
  void AcceptEnd();
  // `now`: of the ticker. The handler's wait fails once the client has stalled for too long.
  void Expire(LoopTime now);
  // Returns the bytes that were read, and with `all` those that never will be, to the client's
  // window.
  void GiveBack(bool all);

  void set_expects_continue() { expects_continue_ = true; }

 private:
  Awaitable<void> WaitForBytes();

  Http2Stream& stream_;
  std::string arrived_;  // not read yet
  std::string piece_;    // what the handler reads now
  LoopTime deadline_ = kNever;
  bool ended_ = false;
  bool stalled_ = false;
  bool expects_continue_ = false;
};

class Http2Stream {
 public:
  Http2Stream(Http2Connection& connection, std::int32_t id);
  ~Http2Stream();
  Http2Stream(const Http2Stream&) = delete;
  Http2Stream& operator=(const Http2Stream&) = delete;

  std::int32_t id() const { return id_; }
  bool closed() const { return closed_; }
  // Whether the rest of the request's body is of no use.
  bool is_answered() const { return !running_ && !waits_to_start; }
  Http2Body& body() { return body_; }

  // The request's head has arrived; `has_body`: more will follow.
  void AcceptHead(const Http2HeadWriter& head, bool has_body);
  // Answers the request, or starts its handler. REQUIRES: nghttp2 is not at work.
  void Start();

  // Called by nghttp2 through the connection. How many bytes of the response to send next, up to
  // `most`; negative and `flags`: as nghttp2_data_source_read_callback.
  ssize_t OfferBytes(std::size_t most, std::uint32_t& flags);
  // Appends as many bytes of the response. False: they cannot be read.
  bool AppendBytes(std::string& out, std::size_t count);
  // The response has been sent; `has_rest`: the client may still be sending its body.
  void SetSentWhole(bool has_rest);
  // The stream is over: bytes neither arrive nor leave.
  void Close();

  void Expire(LoopTime now);
  // Cancels the handler.
  void Cut();

  std::size_t index = 0;  // position in the connection's list, managed by the connection
  bool waits_to_start = false;

 private:
  friend class Http2Body;

  // The bytes of the response that may be sent now: of memory, then of a file.
  struct Outgoing {
    std::string_view piece{};
    FileSlice file{};
    LoopTime seen_at = kNever;  // when the file's part was seen to be in memory
    bool is_last = false;       // the body ends behind these bytes
    bool is_empty() const { return piece.empty() && file.length == 0; }
  };

  Awaitable<void> Run();
  Awaitable<void> SendAnswer();
  Awaitable<void> SendFile(AnswerPlan plan);
  Awaitable<std::uint64_t> WaitForFile(const FileBody& file, FileSlice rest);
  Awaitable<void> SendStream();
  Awaitable<void> SendPieces(ByteSource& source, std::optional<std::uint64_t> left);
  Awaitable<void> ReadFromDisk(FileSlice window);
  // Waits until all that was offered has been sent. False: the stream is closed.
  Awaitable<bool> WaitUntilSent();
  // Waits for the next Wake().
  Awaitable<void> Wait();
  void Wake();

  static bool IsAtHand(const Response& response);
  AnswerPlan Plan();
  void Submit(const AnswerPlan& plan);
  void SubmitContinue();
  void Resume(Outgoing outgoing);
  void Reset(std::uint32_t error_code);
  void SendRefusal(Response refusal);
  void End(const std::exception_ptr& failure);

  Http2Connection& connection_;
  Engine& engine_;
  const std::int32_t id_;
  std::string text_;  // the head, as HTTP/1.1 would have it
  std::optional<Fault> fault_;
  std::optional<OverlongHead> overlong_;
  RequestExchange exchange_;
  Http2Body body_;

  std::optional<Response> response_;
  std::string answer_head_;
  Outgoing outgoing_;
  LoopTime send_deadline_ = kNever;
  LoopTime reset_at_ = kNever;  // when the rest of the body is refused

  std::shared_ptr<std::atomic<bool>> has_ended_;  // for the handler; null: it was not called
  boost::asio::cancellation_signal cancel_;
  std::optional<LoopTimer> waker_;
  bool waiting_ = false;
  bool running_ = false;
  bool started_answer_ = false;  // its head was submitted
  bool deferred_ = false;        // nghttp2 waits for Resume()
  bool sent_whole_ = false;
  bool closed_ = false;
  bool ended_ = false;
};

}  // namespace koya::http
