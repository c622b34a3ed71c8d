// The head of a request, also as HTTP/2 has it, and the values parsed from it: target, range,
// codings, chunked body; and the header of the PROXY protocol before it.
//
// For any bytes: finding the head does not depend on how they arrive, and accepted requests keep
// the promises of the headers.
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/server/answer_plan.h"
#include "http/server/chunked_decoder.h"
#include "http/server/conditional.h"
#include "http/server/head_parser.h"
#include "http/server/http2_head.h"
#include "http/server/request_words.h"
#include "http/server/target.h"

namespace {

using namespace koya::http;

void Require(bool held) {
  if (!held) std::abort();
}

// The size of the head, or nullopt when there is none. The same, fed whole and byte by byte.
std::optional<std::size_t> FindHead(std::string_view bytes) {
  HeadScanner whole;
  HeadScanner::Outcome at_once = whole.Scan(bytes);
  HeadScanner dripping;
  HeadScanner::Outcome dripped = HeadScanner::Outcome::kIncomplete;
  for (std::size_t have = 0; have <= bytes.size() && dripped == HeadScanner::Outcome::kIncomplete;
       ++have) {
    dripped = dripping.Scan(bytes.substr(0, have));
  }
  Require(at_once == dripped);
  if (at_once != HeadScanner::Outcome::kComplete) return std::nullopt;
  Require(whole.head_size() == dripping.head_size());
  return whole.head_size();
}

// What a head too long to be parsed says does not depend on how it arrives, either.
void CheckOverlong(std::string_view bytes) {
  OverlongHead whole, dripping;
  whole.AcceptBytes(bytes);
  for (std::size_t at = 0; at < bytes.size(); ++at) dripping.AcceptBytes(bytes.substr(at, 1));
  Require(whole.is_over() == dripping.is_over());
  RequestHead at_once, dripped;
  whole.Describe(at_once);
  dripping.Describe(dripped);
  Require(at_once.method_text == dripped.method_text && at_once.target == dripped.target);
  Require(at_once.fields.size() == dripped.fields.size() && at_once.fields.size() <= 2);
  for (std::size_t i = 0; i < at_once.fields.size(); ++i) {
    Require(at_once.fields[i].value == dripped.fields[i].value);
    Require(at_once.fields[i].value.find_first_of(std::string_view("\r\n\0", 3)) ==
            std::string_view::npos);
  }
}

void CheckHead(const RequestHead& head) {
  Require(!head.method_text.empty() && !head.target.empty());
  Require(head.is_http_10 || head.has_host);
  Require(!(head.chunked && head.content_length));
  Require(head.fields.size() <= kMaxFields);
  for (const Field& field : head.fields) {
    Require(!field.name.empty());
    Require(field.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos);
  }
}

void CheckTarget(const RequestHead& head) {
  std::string decoded;
  auto target = ParseTarget(head.method, head.target, decoded);
  if (!target) {
    Require(target.error().status == 400 && !target.error().message.empty());
    return;
  }
  std::string path(target->path);
  if (path == "*") return;
  Require(path.starts_with('/'));
  Require(path.find("//") == std::string::npos);
  Require((path + "/").find("/../") == std::string::npos);
  for (char c : path) {
    auto byte = static_cast<unsigned char>(c);
    Require(byte >= 0x20 && byte != 0x7f && c != '\\');
  }
}

void CheckAnswer(const RequestHead& head) {
  constexpr std::uint64_t kSize = 1000;
  ByteRange range = ParseRange(head.range, kSize);
  Require(range.offset + range.length <= kSize);
  (void)MatchesEtag(head.if_none_match, "\"v\"");
  Response response;
  response.etag = "\"v\"";
  response.fields.emplace_back("X-Echo", head.target);
  response.body = FileBody{nullptr, -1, kSize};
  std::string out;
  AnswerPlan plan =
      PlanAnswer({head, "Server: s\r\nX-Request-Id: ", "id", head.keep_alive}, response, out);
  if (plan.body == AnswerPlan::Body::kUnsatisfiable) return;
  Require(out.find("\r\n\r\n") == out.size() - 4);
  std::vector<nghttp2_nv> fields;
  ReadAnswerFields(out, fields);
  Require(fields.size() > 2 && fields.front().valuelen == 3);
  Require(plan.offset + plan.length <= kSize);
}

std::string Decode(std::string_view body, std::size_t step, bool& malformed) {
  ChunkedDecoder decoder;
  std::string data;
  for (std::size_t at = 0; at < body.size(); at += step) {
    std::string_view piece = body.substr(at, step);
    while (!piece.empty()) {
      ChunkedDecoder::Step taken = decoder.Decode(piece);
      malformed = taken.malformed;
      data += taken.data;
      if (malformed || taken.finished) return data;
      Require(taken.consumed > 0);
      piece.remove_prefix(taken.consumed);
    }
  }
  return data;
}

void CheckBody(std::string_view body) {
  bool malformed = false;
  bool malformed_dripping = false;
  std::string data = Decode(body, body.size() + 1, malformed);
  Require(Decode(body, 1, malformed_dripping) == data);
  Require(malformed == malformed_dripping);
  Require(data.size() <= body.size());
}

// Fields that repeat those of a head are the same fields.
void CheckRepeated(std::string_view bytes, const RequestHead& head) {
  if (head.is_http_10) return;
  const std::string_view fields = bytes.substr(bytes.find('\n') + 1);
  const ParsedFields parsed(fields.substr(0, fields.find("\r\n\r\n") + 4));
  const std::size_t size = parsed.FindHead(bytes);
  Require(size > 0 && bytes.substr(0, size).ends_with(parsed.bytes()));
  RequestHead again;
  Require(!parsed.ParseHead(bytes.substr(0, size), again));
  Require(again.target.data() == head.target.data() && again.host.data() == head.host.data());
  Require(again.fields.size() == head.fields.size() && again.keep_alive == head.keep_alive);
  for (std::size_t i = 0; i < head.fields.size(); ++i) {
    Require(again.fields[i].name == head.fields[i].name);
    Require(again.fields[i].value == head.fields[i].value);
  }
  CheckHead(again);
}

// The same bytes as the fields of an HTTP/2 request, one a line: they are written as one head,
// which has no field that was not given.
void CheckHttp2(std::string_view bytes) {
  Http2HeadWriter writer(bytes.size() + 1);
  writer.Start();
  std::size_t given = 0;
  while (!bytes.empty()) {
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
    const std::size_t colon = line.find(':', 1);
    if (colon == std::string_view::npos) continue;
    if (!writer.AcceptField(line.substr(0, colon), line.substr(colon + 1))) continue;
    ++given;
  }
  if (writer.FindFault()) return;
  std::string text;
  writer.Finish(text);
  Require(text.find("\r\n\r\n") == text.size() - 4);
  RequestHead head;
  if (ParseHead(text, head)) return;
  CheckHead(head);
  Require(head.fields.size() <= given);
}

void CheckProxyHeader(std::string_view bytes) {
  if (const auto client = ProxiedClient(bytes); client && !client->empty()) {
    Require(koya::http::Address::Parse(*client).has_value());
    Require(bytes.size() <= kProxyHeaderMost);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  CheckProxyHeader(bytes);
  CheckOverlong(bytes);
  CheckHttp2(bytes);
  auto head_size = FindHead(bytes);
  if (!head_size) return 0;
  RequestHead head;
  if (auto fault = ParseHead(bytes.substr(0, *head_size), head)) {
    Require(fault->status >= 400 && !fault->message.empty());
    return 0;
  }
  CheckHead(head);
  CheckRepeated(bytes, head);
  CheckTarget(head);
  CheckAnswer(head);
  if (head.chunked) CheckBody(bytes.substr(*head_size));
  return 0;
}
