#include "http/server/answer_plan.h"

#include <fmt/format.h>

#include <iterator>

#include "http/server/characters.h"
#include "http/server/conditional.h"
#include "http/server/memory_file.h"

namespace koya::http {
namespace {

using Body = AnswerPlan::Body;

void AppendField(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ");
  std::size_t start = out.size();
  out.append(value);
  if (HasControlBelow(value, ' ')) {
    for (std::size_t i = start; i < out.size(); ++i) {
      if (!IsValue(out[i])) out[i] = ' ';  // a line break here would let data pass for fields
    }
  }
  out.append("\r\n");
}

void AppendLength(std::string& out, std::uint64_t length) {
  out.append("Content-Length: ");
  fmt::format_int digits(length);
  out.append(digits.data(), digits.size()).append("\r\n");
}

void AppendStatusLine(std::string& out, unsigned status) {
  std::string_view line = StatusLine(status);
  if (!line.empty()) {
    out.append(line);
  } else {
    fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} \r\n", status);
  }
}

// The fields that differ from answer to answer, and the blank line.
void FinishHead(const AnswerContext& context, bool keep_alive, std::string& out) {
  out.append(context.fields).append(context.request_id);
  if (!keep_alive) {
    out.append("\r\nConnection: close\r\n\r\n");
  } else if (context.head.is_http_10) {
    out.append("\r\nConnection: keep-alive\r\n\r\n");
  } else {
    out.append("\r\n\r\n");
  }
}

bool IsRead(const RequestHead& head) {
  return head.method == Method::kGet || head.method == Method::kHead;
}

void LeaveBodyOut(const RequestHead& head, AnswerPlan& plan) {
  if (head.method != Method::kHead) return;
  plan.body = Body::kNone;
  plan.bytes = {};
  plan.length = 0;
}

AnswerPlan PlanDocument(const AnswerContext& context, const Response& response,
                        const Document& document, std::string& out) {
  const RequestHead& head = context.head;
  bool gzip = !document.gzip_body.empty() && head.accepts_gzip;
  std::string_view etag = gzip ? document.gzip_etag : document.etag;
  AnswerPlan plan{.status = document.status};
  if (document.status == 200 && IsRead(head) && MatchesEtag(head.if_none_match, etag)) {
    plan.status = 304;
    out.append(gzip ? document.head_gzip_304 : document.head_identity_304);
  } else {
    out.append(gzip ? document.head_gzip : document.head_identity);
    if (!HasNoBody(plan.status)) {
      plan.body = Body::kBytes;
      plan.bytes = gzip ? document.gzip_body : document.body;
      plan.length = plan.bytes.size();
      if (document.pages) plan.descriptor = document.pages->descriptor();
      plan.offset = gzip ? document.body.size() : 0;
    }
  }
  for (const auto& [name, value] : response.fields) AppendField(out, name, value);
  FinishHead(context, context.keep_alive, out);
  LeaveBodyOut(head, plan);
  return plan;
}

// Which part of a file is sent, if it is an open one.
AnswerPlan PlanPart(const AnswerContext& context, const Response& response, const FileBody& file) {
  const RequestHead& head = context.head;
  AnswerPlan plan{.status = response.status, .body = Body::kFile, .length = file.size};
  if (response.status != 200 || response.etag.empty() || !IsRead(head)) return plan;
  if (MatchesEtag(head.if_none_match, response.etag)) {
    return AnswerPlan{.status = 304};
  }
  if (head.method != Method::kGet || !RangeApplies(head.if_range, response.etag)) return plan;
  ByteRange range = ParseRange(head.range, file.size);
  if (range.kind == ByteRange::Kind::kUnsatisfiable) {
    return AnswerPlan{.status = 416, .body = Body::kUnsatisfiable};
  }
  if (range.kind == ByteRange::Kind::kPart) {
    plan.status = 206;
    plan.offset = range.offset;
    plan.length = range.length;
  }
  return plan;
}

AnswerPlan PlanFile(const AnswerContext& context, const Response& response, const FileBody& file) {
  AnswerPlan plan = PlanPart(context, response, file);
  if (file.memory == nullptr || plan.body != Body::kFile) return plan;
  plan.body = Body::kBytes;
  plan.bytes = std::string_view(file.memory, file.size).substr(plan.offset, plan.length);
  return plan;
}

AnswerPlan PlanStream(const AnswerContext& context, const Response& response) {
  AnswerPlan plan{.status = response.status};
  if (response.content_length) {
    plan.body = Body::kSized;
    plan.length = *response.content_length;
  } else {
    plan.body = context.head.is_http_10 ? Body::kUntilClose : Body::kChunks;
  }
  return plan;
}

AnswerPlan PlanBytes(const Response& response) {
  AnswerPlan plan{.status = response.status, .body = Body::kBytes};
  if (const auto* text = std::get_if<std::string>(&response.body)) plan.bytes = *text;
  plan.length = plan.bytes.size();
  return plan;
}

AnswerPlan PlanBody(const AnswerContext& context, const Response& response) {
  if (HasNoBody(response.status)) return AnswerPlan{.status = response.status};
  if (const auto* file = std::get_if<FileBody>(&response.body)) {
    return PlanFile(context, response, *file);
  }
  if (std::holds_alternative<std::unique_ptr<ByteSource>>(response.body)) {
    return PlanStream(context, response);
  }
  return PlanBytes(response);
}

void AppendValidators(const Response& response, const AnswerPlan& plan, std::string& out) {
  if (response.etag.empty()) return;
  AppendField(out, "ETag", response.etag);
  const auto* file = std::get_if<FileBody>(&response.body);
  if (file == nullptr || plan.status == 304) return;
  out.append("Accept-Ranges: bytes\r\n");
  if (plan.status != 206) return;
  fmt::format_to(std::back_inserter(out), "Content-Range: bytes {}-{}/{}\r\n", plan.offset,
                 plan.offset + plan.length - 1, file->size);
}

}  // namespace

AnswerPlan PlanAnswer(const AnswerContext& context, const Response& response, std::string& out) {
  if (const auto* document = std::get_if<std::shared_ptr<const Document>>(&response.body)) {
    return PlanDocument(context, response, **document, out);
  }
  AnswerPlan plan = PlanBody(context, response);
  if (plan.body == Body::kUnsatisfiable) return plan;
  AppendStatusLine(out, plan.status);
  for (const auto& [name, value] : response.fields) AppendField(out, name, value);
  AppendValidators(response, plan, out);
  if (plan.body == Body::kChunks) {
    out.append("Transfer-Encoding: chunked\r\n");
  } else if (plan.body != Body::kUntilClose && !HasNoBody(plan.status)) {
    AppendLength(out, plan.length);
  }
  FinishHead(context, context.keep_alive && plan.body != Body::kUntilClose, out);
  LeaveBodyOut(context.head, plan);
  return plan;
}

std::string_view StatusLine(unsigned status) {
  switch (status) {
      // clang-format off
    case 200: return "HTTP/1.1 200 OK\r\n";
    case 201: return "HTTP/1.1 201 Created\r\n";
    case 202: return "HTTP/1.1 202 Accepted\r\n";
    case 204: return "HTTP/1.1 204 No Content\r\n";
    case 206: return "HTTP/1.1 206 Partial Content\r\n";
    case 301: return "HTTP/1.1 301 Moved Permanently\r\n";
    case 302: return "HTTP/1.1 302 Found\r\n";
    case 303: return "HTTP/1.1 303 See Other\r\n";
    case 304: return "HTTP/1.1 304 Not Modified\r\n";
    case 307: return "HTTP/1.1 307 Temporary Redirect\r\n";
    case 308: return "HTTP/1.1 308 Permanent Redirect\r\n";
    case 400: return "HTTP/1.1 400 Bad Request\r\n";
    case 401: return "HTTP/1.1 401 Unauthorized\r\n";
    case 403: return "HTTP/1.1 403 Forbidden\r\n";
    case 404: return "HTTP/1.1 404 Not Found\r\n";
    case 405: return "HTTP/1.1 405 Method Not Allowed\r\n";
    case 406: return "HTTP/1.1 406 Not Acceptable\r\n";
    case 408: return "HTTP/1.1 408 Request Timeout\r\n";
    case 409: return "HTTP/1.1 409 Conflict\r\n";
    case 410: return "HTTP/1.1 410 Gone\r\n";
    case 411: return "HTTP/1.1 411 Length Required\r\n";
    case 412: return "HTTP/1.1 412 Precondition Failed\r\n";
    case 413: return "HTTP/1.1 413 Content Too Large\r\n";
    case 414: return "HTTP/1.1 414 URI Too Long\r\n";
    case 415: return "HTTP/1.1 415 Unsupported Media Type\r\n";
    case 416: return "HTTP/1.1 416 Range Not Satisfiable\r\n";
    case 417: return "HTTP/1.1 417 Expectation Failed\r\n";
    case 421: return "HTTP/1.1 421 Misdirected Request\r\n";
    case 422: return "HTTP/1.1 422 Unprocessable Content\r\n";
    case 429: return "HTTP/1.1 429 Too Many Requests\r\n";
    case 431: return "HTTP/1.1 431 Request Header Fields Too Large\r\n";
    case 500: return "HTTP/1.1 500 Internal Server Error\r\n";
    case 501: return "HTTP/1.1 501 Not Implemented\r\n";
    case 502: return "HTTP/1.1 502 Bad Gateway\r\n";
    case 503: return "HTTP/1.1 503 Service Unavailable\r\n";
    case 504: return "HTTP/1.1 504 Gateway Timeout\r\n";
    case 505: return "HTTP/1.1 505 HTTP Version Not Supported\r\n";
    case 507: return "HTTP/1.1 507 Insufficient Storage\r\n";
    default: return "";
      // clang-format on
  }
}

}  // namespace koya::http
