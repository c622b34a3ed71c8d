// A client connection: reads requests, calls their handlers and sends the responses, in order.
//
// Owned by its loop and used on that loop's thread only. Responses to pipelined requests gather in
// one buffer and are sent together when no further request is available. Work that needs no wait is
// done in plain functions: each coroutine on the way costs as much as parsing a few header fields.
#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/task.h"
#include "base/trace.h"
#include "http/server/answer_plan.h"
#include "http/server/connection_limits.h"
#include "http/server/engine.h"
#include "http/server/head_parser.h"
#include "http/server/request_body.h"
#include "http/server/transport.h"

namespace koya::http {

class Http2Connection;

class Connection {
 public:
  struct Peer {
    std::string address;
    ConnectionPermit permit;
    bool is_proxy = false;                        // a trusted one: the request names the client
    std::optional<ConnectionPermit> client = {};  // for a client that a balancer named
  };
  Connection(LoopContext& loop, Socket socket, std::unique_ptr<TlsSession> tls, Peer peer);
  ~Connection();

  // Serves requests until either side ends the connection.
  Awaitable<void> Serve();

  // Called by the ticker.
  void Expire(LoopTime now);
  // Ends the connection now if no request is running, else after its response.
  void Drain();
  // Ends the connection now; cancels a running handler.
  void Cut();
  boost::asio::cancellation_slot cancellation() { return cancel_.slot(); }

  std::size_t index = 0;  // position in the loop's list, managed by the loop

 private:
  using Clock = std::chrono::steady_clock;

  // State of the request being answered.
  struct Current {
    Request request;
    Router::Match match;
    Clock::time_point started;
    std::size_t head_size = 0;
    std::uint64_t sent = 0;
    std::uint64_t answer_head = 0;                      // bytes sent of the head, which is no body
    std::shared_ptr<std::atomic<std::uint64_t>> meter;  // Exchange::meter
    std::shared_ptr<std::atomic<std::uint64_t>> tally;  // Exchange::tally
    std::shared_ptr<const void> held;                   // Exchange::held
    TracePtr trace;  // null: the client sends none, or there is no place for spans
    unsigned status = 0;
    bool keep_alive = true;
    bool cut_off = false;
    bool linger = false;  // the client may still be sending: give it time to read the response
    std::string detail;
    LimitName limit{};
  };
  enum class Received { kHead, kFault };
  struct Unreported;
  // Takes over the counters of the response, and the objects that must live until it is sent.
  void TakeOver(Exchange& exchange);
  bool WasSentWhole() const;

  // Receiving.
  Awaitable<std::optional<std::string>> ReadProxyHeader(LoopTime deadline);
  Awaitable<bool> LearnClient(LoopTime deadline);
  Awaitable<void> ServeHttp2();
  std::optional<Received> LookForHead();
  Awaitable<void> ReadOn();
  std::optional<LoopTime> PrepareToReceive();
  bool IsLate();

  // Answering.
  std::optional<Response> BeginRequest(Received received);
  std::optional<Response> Prepare(Received received);
  bool AnswerAtOnce(const std::optional<Response>& response);
  Awaitable<bool> AnswerNext(std::optional<Response> response);
  Awaitable<Response> CallHandler(Exchange& exchange);
  std::optional<Fault> TakeHead(Received received);
  std::optional<Fault> CheckHead();
  void AdmitClient(std::optional<Response>& answer);
  void FindRoute(std::optional<Response>& answer);
  void CheckBody(std::optional<Response>& answer);
  void AnswerForBody(std::optional<Response>& response);
  void NameRequest();
  void FillRequest();
  Response ErrorResponse(unsigned status, std::string_view message);
  Response RefusalOfSource(const Error& error);
  Response FaultResponse(Fault fault);
  Response InternalError(std::string_view what);
  void DecidePersistence();
  bool IsReadyForNext();
  Awaitable<bool> FinishRequest();
  void Report();
  void ReportSpan(const RequestRecord& record) const;
  void Rest();

  // Sending.
  static bool IsSmall(const Response& response);
  AnswerPlan Plan(const Response& response);
  bool AppendWhole(const Response& response, AnswerPlan& plan);
  Awaitable<bool> SendAnswer(Response& response, AnswerPlan plan);
  Awaitable<bool> SendBytes(AnswerPlan plan);
  Awaitable<bool> SendFile(FileSlice slice);
  Awaitable<bool> SendPlanned(Response& response, AnswerPlan plan);
  Awaitable<bool> SendGrowing(Response& response);
  Task<std::uint64_t> WaitToSend(const FileBody& file, FileSlice slice);
  Awaitable<bool> SendAsItGrows(const FileBody& file, FileSlice slice, std::uint64_t end);
  Awaitable<bool> SendStream(Response& response);
  Awaitable<bool> SendPieces(ByteSource& source, AnswerPlan plan, std::span<const std::byte> piece);
  bool TryFlush(IoVec& rest);
  Awaitable<bool> FlushRest(IoVec rest);
  Awaitable<bool> Flush();

  LoopContext& loop_;
  Engine& engine_;
  Peer peer_;
  Transport transport_;
  boost::asio::cancellation_signal cancel_;
  std::unique_ptr<Http2Connection> http2_;  // null: HTTP/1.1
  InputBuffer input_;
  HeadScanner scanner_;
  RequestHead head_;
  std::string decoded_path_;
  RequestIdSource::Id id_{};
  std::string out_;  // responses that are not sent yet
  Current current_;
  std::optional<ConnectionPermit> client_;  // behind a proxy: for the client being answered
  std::optional<RequestBody> body_;         // of the current request
  Fault fault_;
  std::optional<OverlongHead> overlong_;  // of the head that is rejected for its length
  LoopTime header_deadline_ = kNever;
  bool skipped_blank_line_ = false;
  bool idle_ = false;  // waiting for the first byte of a request
  bool draining_ = false;
  bool cut_ = false;
};

}  // namespace koya::http
