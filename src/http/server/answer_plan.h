// Decides how a response is sent: status, head, and which bytes. Pure, so that every rule about
// conditions, ranges, codings and lengths is tested without a socket.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/server/head_parser.h"
#include "http/server/message.h"

namespace koya::http {

// Properties of the request and the connection that affect the response.
struct AnswerContext {
  const RequestHead& head;
  std::string_view fields;  // those of every response, to where the request's ID follows
  std::string_view request_id;
  bool keep_alive = true;
};

struct AnswerPlan {
  // kUnsatisfiable: nothing was appended; the requested range lies outside the file, and the
  // response must be 416.
  enum class Body { kNone, kBytes, kFile, kChunks, kSized, kUntilClose, kUnsatisfiable };
  unsigned status = 200;
  Body body = Body::kNone;
  std::string_view bytes{};  // kBytes: a view into the response
  std::uint64_t offset = 0;  // of kFile, and of `bytes` in `descriptor` or in their file
  int descriptor = -1;       // kBytes: a file that also holds `bytes`, or -1
  std::uint64_t length = 0;  // of the body as sent; unknown for kChunks and kUntilClose
};

// Appends the complete head of the response to `out`. The plan's views point into `response`.
// kUntilClose is planned for HTTP/1.0 clients only, with keep_alive revoked in the head.
AnswerPlan PlanAnswer(const AnswerContext& context, const Response& response, std::string& out);

// "HTTP/1.1 404 Not Found\r\n", or "" for a status without a known reason phrase.
std::string_view StatusLine(unsigned status);

// True if a response with this status has no body and no Content-Length (RFC 9110 §8.6).
constexpr bool HasNoBody(unsigned status) { return status == 204 || status == 304; }

}  // namespace koya::http
