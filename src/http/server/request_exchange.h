// A request being answered, over either protocol: the steps before its handler, the handler, the
// refusals, and the report.
//
// Its owner reads the head and sends the response: an HTTP/1.1 connection, which uses one for all
// its requests, or an HTTP/2 stream. Belongs to its loop's thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/task.h"
#include "base/trace.h"
#include "http/server/answer_plan.h"
#include "http/server/connection_limits.h"
#include "http/server/engine.h"
#include "http/server/head_parser.h"
#include "http/server/request_body.h"
#include "http/server/transport.h"

namespace koya::http {

// The connection that a request came over.
struct RequestSource {
  std::string_view address;  // of the client or proxy
  bool is_proxy = false;     // a trusted one: the request names the client
  bool secure = false;
  bool runs_others = false;  // other requests of this connection are being answered
};

class RequestExchange {
 public:
  explicit RequestExchange(LoopContext& loop) : loop_(loop), engine_(loop.engine) {}

  // Forgets the last request, except for its head, which the owner is about to replace.
  void Begin();
  // The steps from a head that was read, or its fault, to the route. A response from one of them
  // ends the matter. The address of `source`, and `body`, live as long as the request.
  std::optional<Response> Prepare(const RequestSource& source, const std::optional<Fault>& fault,
                                  IncomingBody& body);
  // A response that is available at once. REQUIRES: Prepare() found the route.
  std::optional<Response> AskReadyAnswer();
  // Likewise, by the route's handler; a failure to read the body decides the response. Throws after
  // Cut() only.
  Awaitable<Response> CallHandler(IncomingBody& body, LoopExecutor executor, ClientLink client);
  // Failures of the handler count as its end, since the client is gone.
  void Cut() { cut_ = true; }

  Response ErrorResponse(unsigned status, std::string_view message);
  // The response in place of a body that cannot be had.
  Response RefusalOfSource(const Error& error);
  // The response to a range outside of a file of `size` bytes.
  Response RefusalOfRange(std::uint64_t size);
  // Appends the head of a response to `out`.
  AnswerPlan Plan(const Response& response, bool keep_alive, std::string& out);
  // The client's slot is free again, and objects that lived until the response was sent are freed.
  void Release();
  void Report(const IncomingBody& body, bool cut_off, bool http2);

  const Request& request() const { return state_.request; }
  bool is_cut() const { return cut_; }
  // Whether it is unknown where the client's next request would begin.
  bool faulted() const { return state_.faulted; }

  RequestHead head;  // of the request; the owner's
  struct Counts {
    std::size_t head = 0;         // bytes received of the head
    std::size_t answer_head = 0;  // bytes of the response's head
    std::uint64_t sent = 0;       // bytes of the response's body
  };
  Counts& counts() { return state_.counts; }
  // The reason for the response, or for its end, for the log.
  void set_detail(std::string_view detail) { state_.detail = detail; }

 private:
  using Clock = std::chrono::steady_clock;

  struct State {
    Request request;
    const RouteSpec* route = nullptr;
    std::optional<Exchange> exchange;  // once there is a route
    Clock::time_point started;
    Counts counts;
    TracePtr trace;  // null: the client sends none, or there is no place for spans
    unsigned status = 0;
    bool faulted = false;
    std::string detail;
    LimitName limit{};
  };

  void NameRequest();
  void FillRequest(const RequestSource& source);
  std::optional<Fault> CheckHead();
  void AdmitClient(const RequestSource& source, std::optional<Response>& answer);
  void FindRoute(IncomingBody& body, std::optional<Response>& answer);
  void CheckBody(IncomingBody& body, std::optional<Response>& answer);
  Awaitable<Response> CallTraced(LoopExecutor executor);
  Response FaultResponse(const Fault& fault);
  Response InternalError(std::string_view what);
  void ReportSpan(const RequestRecord& record) const;

  LoopContext& loop_;
  Engine& engine_;
  std::string decoded_path_;
  RequestIdSource::Id id_{};
  std::optional<ConnectionPermit> client_;  // where the connection does not count for it
  State state_;
  bool cut_ = false;
};

// Waits until bytes of the slice of a growing file may be sent, and returns their end (>
// slice.offset; may lie beyond the slice). Growth keeps back the file's last byte until all of it
// is known to be right; where parts wait, this does so of a range that ends before.
Task<std::uint64_t> WaitToSend(const FileBody& file, FileSlice slice);

}  // namespace koya::http
