// Reads the head of a request: the request line and the header fields (RFC 9112 §2 to §6).
//
// Strict where two readings of one message have let requests be smuggled past proxies: bare LF or
// CR, obs-fold, space before a colon, repeated or malformed Content-Length, Content-Length beside
// Transfer-Encoding, several Host or Authorization fields are faults, never guesses. No allocation
// once the field list has grown; everything parsed is a view into the caller's bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "http/server/message.h"

namespace koya::http {

// Why a request cannot be answered by a handler. The connection ends after the answer.
struct Fault {
  unsigned status = 400;
  std::string_view message;  // a literal
  LimitName limit{};         // the bound that was reached, if one was
};

// Finds the end of a head while its bytes trickle in, looking at each byte once.
class HeadScanner {
 public:
  enum class Outcome { kIncomplete, kComplete, kMalformed };
  // `bytes` is what was given before, and more.
  Outcome Scan(std::string_view bytes);
  // REQUIRES: kComplete. Counts the blank line.
  std::size_t head_size() const { return line_start_; }
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
  bool expects_other = false;  // an expectation that nobody can meet: 417
  bool has_host = false;
  std::optional<std::uint64_t> content_length;
  std::string_view host;
  std::string_view accept_encoding;
  std::string_view if_none_match;
  std::string_view if_range;
  std::string_view range;  // "" when sent more than once: a request for several things is for all
  std::string_view request_id;
  std::string_view user_agent;
  std::vector<Field> fields;

  bool has_body() const { return chunked || content_length.value_or(0) > 0; }
};

Method ParseMethod(std::string_view text);
std::string_view MethodName(Method method);

constexpr std::size_t kMaxFields = 100;

// Parses a complete head (what HeadScanner found) into `head`, whose old content is dropped.
std::optional<Fault> ParseHead(std::string_view bytes, RequestHead& head);

}  // namespace koya::http
