// A client connection: reads requests, calls their handlers and sends the responses, in order.
//
// Owned by its loop and used on that loop's thread only. Responses to pipelined requests gather in
// one buffer and are sent together when no further request is available. Work that needs no wait is
// done in plain functions: each coroutine on the way costs as much as parsing a few header fields.
#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <memory>
#include <optional>
#include <string>

#include "base/task.h"
#include "http/server/answer_plan.h"
#include "http/server/connection_limits.h"
#include "http/server/engine.h"
#include "http/server/head_parser.h"
#include "http/server/request_body.h"
#include "http/server/request_exchange.h"
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
  enum class Received { kHead, kFault };
  struct Unreported;

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
  bool AnswerAtOnce(const std::optional<Response>& response);
  Awaitable<bool> AnswerNext(std::optional<Response> response);
  std::optional<Fault> TakeHead(Received received);
  std::optional<Fault> ParseNextHead();
  void DecidePersistence();
  bool IsReadyForNext();
  Awaitable<bool> FinishRequest();
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
  std::size_t head_size_ = 0;  // of the next request, once its head is complete
  // The fields of the last head, and whether the next one repeats them.
  std::shared_ptr<const ParsedFields> fields_;
  bool repeats_fields_ = false;
  unsigned char unlike_heads_ = 0;  // in a row: the fields were not those of the head before
  std::string out_;                 // responses that are not sent yet
  RequestExchange exchange_;        // the request being answered
  std::optional<RequestBody> body_;
  Fault fault_;
  std::optional<OverlongHead> overlong_;  // of the head that is rejected for its length
  LoopTime header_deadline_ = kNever;
  bool keep_alive_ = true;
  bool cut_off_ = false;  // the response
  bool linger_ = false;   // the client may still be sending: give it time to read the response
  bool skipped_blank_line_ = false;
  bool idle_ = false;  // waiting for the first byte of a request
  bool draining_ = false;
};

}  // namespace koya::http
