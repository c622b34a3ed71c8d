// Parses the head of a request: the request line and the header fields (RFC 9112 §2 to §6).
//
// Strict where ambiguous messages have let requests be smuggled past proxies: bare LF or CR,
// obs-fold, space before a colon, repeated or malformed Content-Length, Content-Length beside
// Transfer-Encoding, several Host or Authorization fields are faults, never guesses. No allocation
// once the field list has grown; everything parsed is a view into the caller's bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/server/message.h"

namespace koya::http {

// Why a request cannot be passed to a handler. The connection ends after the response.
struct Fault {
  unsigned status = 400;
  std::string_view message;  // a literal
  LimitName limit{};         // the limit that was reached, if any
};

// Finds the end of a head as its bytes arrive, examining each byte once.
class HeadScanner {
 public:
  enum class Outcome { kIncomplete, kComplete, kMalformed };
  // `bytes` is the input of the previous call with more bytes appended.
  Outcome Scan(std::string_view bytes);
  // Includes the blank line. REQUIRES: kComplete.
  std::size_t head_size() const { return line_start_; }
  // Whether it has examined nothing yet.
  bool is_new() const { return searched_ == 0; }
  void Reset() { *this = HeadScanner(); }

 private:
  std::size_t searched_ = 0;
  std::size_t line_start_ = 0;
};

struct RequestHead {
  Method method = Method::kOther;
  std::string_view method_text;
  std::string_view target;
  bool is_http_10 = false;
  bool keep_alive = true;
  bool chunked = false;
  bool expects_continue = false;
  bool expects_other = false;  // an expectation that cannot be met: 417
  bool has_host = false;
  bool accepts_gzip = false;
  std::optional<std::uint64_t> content_length;
  std::string_view host;
  std::string_view if_none_match;
  std::string_view if_range;
  std::string_view range;  // "" when sent more than once: then the whole is sent
  std::string_view request_id;
  std::string_view user_agent;
  std::string_view traceparent;  // as it was sent; "" when sent more than once
  std::vector<Field> fields;

  bool has_body() const { return chunked || content_length.value_or(0) > 0; }
};

Method ParseMethod(std::string_view text);
std::string_view MethodName(Method method);

constexpr std::size_t kMaxFields = 100;

// Parses a complete head (as found by HeadScanner) into `head`, whose previous content is dropped.
std::optional<Fault> ParseHead(std::string_view bytes, RequestHead& head);

// The fields of a head, parsed. A client sends the same bytes with each request of its connection:
// where they follow a request line again, only that line is parsed. Immutable.
class ParsedFields {
 public:
  // REQUIRES: `fields` ends a head of HTTP/1.1 that has no fault: all but its request line.
  explicit ParsedFields(std::string_view fields);
  ParsedFields(const ParsedFields&) = delete;
  ParsedFields& operator=(const ParsedFields&) = delete;

  std::string_view bytes() const;
  // The size of the head that `unread` begins with, if it has these fields and is of HTTP/1.1;
  // else 0.
  std::size_t FindHead(std::string_view unread) const;
  // Does what ParseHead(bytes, head) does. REQUIRES: FindHead() found `bytes`.
  std::optional<Fault> ParseHead(std::string_view bytes, RequestHead& head) const;

 private:
  std::string text_;  // a head
  RequestHead head_;  // views into text_
};

// The parsed fields of connections, which share those that are equal: most clients of one kind send
// the same. Owns none: a token is in memory only as long as its connection. One loop's.
class ParsedFieldsIndex {
 public:
  // Larger ones are not worth their memory.
  static constexpr std::size_t kMostBytes = 1024;
  // Null if they are too large. REQUIRES: as for ParsedFields().
  std::shared_ptr<const ParsedFields> Share(std::string_view fields);

 private:
  std::array<std::weak_ptr<const ParsedFields>, 64> slots_;  // by hash
};

// Reads from a request head that is too long only the parts that decide the form of the response.
//
// Such a head is not parsed and its request is rejected. But browsers get pages, and a head says
// that it comes from a browser only after the target that is too long. So the head is scanned,
// piece by piece, for the few parts that decide how the error looks; the rest is dropped. Lenient,
// since nothing else depends on it. Uses about 2 KiB, however long the head is.
class OverlongHead {
 public:
  // Scans the next bytes of the head, from its first.
  void AcceptBytes(std::string_view bytes);
  // True once the end of the head was seen: later bytes belong to the request's body.
  bool is_over() const { return is_over_; }
  // Sets the method, the target's beginning, and the fields Accept and Accept-Language, as far as
  // they were seen. The views point into this and are invalid after the next AcceptBytes().
  void Describe(RequestHead& head) const;

 private:
  static constexpr std::size_t kMostLine = 1024;  // only the beginning of a longer line is kept

  void TakeLine();
  void TakeRequestLine(std::string_view line);
  void TakeField(std::string_view line);

  std::string line_;
  bool is_line_cut_ = false;
  bool is_first_ = true;
  bool is_over_ = false;
  std::string method_;
  std::string target_;
  std::string accept_;
  std::string accept_language_;
};

}  // namespace koya::http
