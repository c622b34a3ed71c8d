#include "http/server/answer_plan.h"

#include <fmt/format.h>

#include <iterator>

#include "http/server/characters.h"
#include "http/server/conditional.h"
#include "http/server/memory_file.h"
#include "http/server/range.h"
#include "http/server/status_line.h"

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
  out.append(context.server_and_date);
  out.append("X-Request-Id: ").append(context.request_id);
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
  bool gzip = !document.gzip_body.empty() && AcceptsGzip(head.accept_encoding);
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

}  // namespace koya::http
