// Decides how an answer is sent: status, head, and which bytes. Pure, so that every rule about
// conditions, ranges, codings and lengths is tested without a socket.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/server/head_parser.h"
#include "http/server/message.h"

namespace koya::http {

// What the request and the connection bring to the answer.
struct AnswerContext {
  const RequestHead& head;
  std::string_view server_and_date;  // whole lines
  std::string_view request_id;
  bool keep_alive = true;
};

struct AnswerPlan {
  // kUnsatisfiable: nothing was appended; the range asked for lies outside of the file, which is
  // to be answered with 416.
  enum class Body { kNone, kBytes, kFile, kChunks, kSized, kUntilClose, kUnsatisfiable };
  unsigned status = 200;
  Body body = Body::kNone;
  std::string_view bytes{};  // kBytes: a view into the response
  std::uint64_t offset = 0;  // kFile, and of `bytes` in `descriptor` or in their file
  int descriptor = -1;       // kBytes: a file that holds `bytes` too, if there is one
  std::uint64_t length = 0;  // of the body as sent; unknown for kChunks and kUntilClose
};

// Appends the complete head of the answer to `out`. The plan's views lead into `response`.
// kUntilClose is planned for HTTP/1.0 clients only, with keep_alive taken back in the head.
AnswerPlan PlanAnswer(const AnswerContext& context, const Response& response, std::string& out);

}  // namespace koya::http
