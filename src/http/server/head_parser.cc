#include "http/server/head_parser.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>

#include "http/server/characters.h"
#include "http/server/conditional.h"

namespace koya::http {
namespace {

constexpr std::array<std::pair<std::string_view, Method>, 9> kMethods{
    {{"GET", Method::kGet},
     {"HEAD", Method::kHead},
     {"PUT", Method::kPut},
     {"POST", Method::kPost},
     {"DELETE", Method::kDelete},
     {"PATCH", Method::kPatch},
     {"OPTIONS", Method::kOptions},
     {"TRACE", Method::kTrace},
     {"CONNECT", Method::kConnect}}};

// What the fields of one head were seen to hold, for the rules that span several fields.
struct Seen {
  bool content_length = false;
  bool transfer_encoding = false;
  bool authorization = false;
  bool range = false;
  bool traceparent = false;
  bool close = false;
  bool keep_alive = false;
};

Fault Bad(std::string_view message) { return Fault{400, message}; }

std::optional<Fault> ParseVersion(std::string_view text, RequestHead& head) {
  if (text == "HTTP/1.1") return std::nullopt;
  if (text == "HTTP/1.0") {
    head.is_http_10 = true;
    return std::nullopt;
  }
  bool well_formed = text.size() == 8 && text.starts_with("HTTP/") && IsDigit(text[5]) &&
                     text[6] == '.' && IsDigit(text[7]);
  if (!well_formed) return Bad("the request line must be METHOD TARGET HTTP/1.1");
  return Fault{505, "this server speaks HTTP/1.1 and HTTP/1.0"};
}

std::optional<Fault> ParseRequestLine(std::string_view line, RequestHead& head) {
  constexpr std::string_view kForm = "the request line must be METHOD TARGET HTTP/1.1";
  std::size_t method_end = line.find(' ');
  if (method_end == std::string_view::npos || method_end == 0) return Bad(kForm);
  std::size_t target_end = line.find(' ', method_end + 1);
  if (target_end == std::string_view::npos || target_end == method_end + 1) return Bad(kForm);
  head.method_text = line.substr(0, method_end);
  if (TokenSize(head.method_text) != method_end) {
    return Bad("the method holds a character that is not allowed");
  }
  head.method = ParseMethod(head.method_text);
  head.target = line.substr(method_end + 1, target_end - method_end - 1);
  return ParseVersion(line.substr(target_end + 1), head);
}

std::optional<Fault> TakeContentLength(std::string_view value, RequestHead& head, Seen& seen) {
  if (seen.content_length) return Bad("Content-Length was sent more than once");
  seen.content_length = true;
  if (value.empty() || value.size() > 18) return Bad("Content-Length is not a number of bytes");
  std::uint64_t length = 0;
  for (char c : value) {
    if (!IsDigit(c)) return Bad("Content-Length is not a number of bytes");
    length = length * 10 + static_cast<std::uint64_t>(c - '0');
  }
  head.content_length = length;
  return std::nullopt;
}

std::optional<Fault> TakeTransferEncoding(std::string_view value, RequestHead& head, Seen& seen) {
  if (seen.transfer_encoding) return Bad("Transfer-Encoding was sent more than once");
  seen.transfer_encoding = true;
  if (!IsIgnoringCase(value, "chunked"))
    return Bad("the only supported Transfer-Encoding is chunked");
  head.chunked = true;
  return std::nullopt;
}

std::optional<Fault> TakeHost(std::string_view value, RequestHead& head) {
  if (head.has_host) return Bad("Host was sent more than once");
  if (SizeWithin(kHostCharacters, value) != value.size()) return Bad("Host is not a host name");
  head.has_host = true;
  head.host = value;
  return std::nullopt;
}

void TakeConnection(std::string_view value, Seen& seen) {
  while (!value.empty()) {
    std::string_view option = NextElement(value);
    if (IsIgnoringCase(option, "close")) seen.close = true;
    if (IsIgnoringCase(option, "keep-alive")) seen.keep_alive = true;
  }
}

void TakeRange(std::string_view value, RequestHead& head, Seen& seen) {
  head.range = seen.range ? std::string_view() : value;
  seen.range = true;
}

template <class Word>
Word LowerAt(const char* at) {
  Word word = 0;
  std::memcpy(&word, at, sizeof word);
  return word | static_cast<Word>(0x2020202020202020);
}

// The same as IsIgnoringCase, in two words. REQUIRES: `name` is a token and as long as `lower`.
template <std::size_t kEnd>
bool IsNamed(std::string_view name, const char (&lower)[kEnd]) {
  constexpr std::size_t kSize = kEnd - 1;
  if constexpr (kSize > 2 * sizeof(std::uint64_t)) {
    return IsIgnoringCase(name, lower);
  } else {
    using Word = std::conditional_t < kSize<sizeof(std::uint64_t), std::uint32_t, std::uint64_t>;
    constexpr std::size_t kLast = kSize - sizeof(Word);
    return LowerAt<Word>(name.data()) == LowerAt<Word>(lower) &&
           LowerAt<Word>(name.data() + kLast) == LowerAt<Word>(lower + kLast);
  }
}

// Keeps the fields the engine itself acts on. Sorted by length, so that a field costs one or two
// comparisons.
std::optional<Fault> TakeField(const Field& field, RequestHead& head, Seen& seen) {
  auto is = [&](const auto& lower) { return IsNamed(field.name, lower); };
  switch (field.name.size()) {
    case 4:
      if (is("host")) return TakeHost(field.value, head);
      break;
    case 5:
      if (is("range")) TakeRange(field.value, head, seen);
      break;
    case 6:
      if (!is("expect")) break;
      (IsIgnoringCase(field.value, "100-continue") ? head.expects_continue : head.expects_other) =
          true;
      break;
    case 8:
      if (is("if-range")) head.if_range = field.value;
      break;
    case 10:
      if (is("connection")) TakeConnection(field.value, seen);
      if (is("user-agent")) head.user_agent = field.value;
      break;
    case 11:
      if (is("traceparent")) {
        head.traceparent = std::exchange(seen.traceparent, true) ? std::string_view() : field.value;
      }
      break;
    case 12:
      if (is("x-request-id")) head.request_id = field.value;
      break;
    case 13:
      if (is("if-none-match")) head.if_none_match = field.value;
      if (is("authorization") && std::exchange(seen.authorization, true)) {
        return Bad("Authorization was sent more than once");
      }
      break;
    case 14:
      if (is("content-length")) return TakeContentLength(field.value, head, seen);
      break;
    case 15:
      if (is("accept-encoding")) head.accepts_gzip = AcceptsGzip(field.value);
      break;
    case 17:
      if (is("transfer-encoding")) return TakeTransferEncoding(field.value, head, seen);
      break;
    default:
      break;
  }
  return std::nullopt;
}

// `is_clean`: it is known to hold no control character.
std::optional<Fault> ParseField(std::string_view line, bool is_clean, Field& field) {
  if (line.front() == ' ' || line.front() == '\t') return Bad("a header field is folded");
  std::size_t end = TokenSize(line);
  if (end == 0 || end == line.size() || line[end] != ':') {
    return Bad("a header line is not NAME: VALUE");
  }
  field.name = line.substr(0, end);
  field.value = TrimSpace(line.substr(end + 1));
  if (!is_clean && !IsFieldValue(field.value)) {
    return Bad("a header field holds a control character");
  }
  return std::nullopt;
}

std::optional<Fault> CheckWhole(RequestHead& head, const Seen& seen) {
  if (seen.transfer_encoding && seen.content_length) {
    return Bad("Content-Length and Transfer-Encoding were both sent");
  }
  if (seen.transfer_encoding && head.is_http_10) return Bad("HTTP/1.0 has no Transfer-Encoding");
  if (!head.has_host && !head.is_http_10) return Bad("the Host field is missing");
  // An HTTP/1.0 client cannot wait for an interim answer (RFC 9110 §10.1.1).
  if (head.is_http_10) head.expects_continue = head.expects_other = false;
  head.keep_alive = !seen.close && (!head.is_http_10 || seen.keep_alive);
  return std::nullopt;
}

void Clear(RequestHead& head) {
  std::vector<Field> fields = std::move(head.fields);
  fields.clear();
  head = RequestHead();
  head.fields = std::move(fields);
}

struct Line {
  std::string_view text;
  bool is_clean = false;  // it holds no control character
};

// The line that begins at `position`, which moves past its CRLF. Mostly the first control character
// is the end of the line.
Line NextLine(std::string_view bytes, std::size_t& position) {
  const std::string_view rest = bytes.substr(position);
  std::size_t size = FindControlBelow(rest, ' ');
  const bool is_clean = size + 1 < rest.size() && rest[size] == '\r' && rest[size + 1] == '\n';
  if (!is_clean) size = std::min(rest.find("\r\n"), rest.size());
  position += size + 2;
  return {{rest.data(), size}, is_clean};
}

}  // namespace

HeadScanner::Outcome HeadScanner::Scan(std::string_view bytes) {
  // Junk (a TLS hello on the plain port) shows at once: a method begins with a letter.
  if (!bytes.empty() && !IsToken(bytes.front())) return Outcome::kMalformed;
  while (searched_ < bytes.size()) {
    const void* found = std::memchr(bytes.data() + searched_, '\n', bytes.size() - searched_);
    if (found == nullptr) {
      searched_ = bytes.size();
      return Outcome::kIncomplete;
    }
    auto end = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
    if (end == line_start_ || bytes[end - 1] != '\r') return Outcome::kMalformed;
    bool blank = end == line_start_ + 1;
    searched_ = line_start_ = end + 1;
    if (blank) return Outcome::kComplete;
  }
  return Outcome::kIncomplete;
}

Method ParseMethod(std::string_view text) {
  for (const auto& [name, method] : kMethods) {
    if (name == text) return method;
  }
  return Method::kOther;
}

std::string_view MethodName(Method method) {
  for (const auto& [name, known] : kMethods) {
    if (known == method) return name;
  }
  return "";
}

std::optional<Fault> ParseHead(std::string_view bytes, RequestHead& head) {
  Clear(head);
  std::size_t position = 0;
  if (auto fault = ParseRequestLine(NextLine(bytes, position).text, head)) return fault;
  Seen seen;
  while (position < bytes.size()) {
    Line line = NextLine(bytes, position);
    if (line.text.empty()) return CheckWhole(head, seen);
    if (head.fields.size() == kMaxFields)
      return Fault{431, "too many header fields", "limits.header_bytes"};
    Field field;
    if (auto fault = ParseField(line.text, line.is_clean, field)) return fault;
    head.fields.push_back(field);
    if (auto fault = TakeField(field, head, seen)) return fault;
  }
  return Bad("the header has no end");
}

namespace {

constexpr std::string_view kLine = "GET / HTTP/1.1\r\n";

}  // namespace

ParsedFields::ParsedFields(std::string_view fields) : text_(kLine) {
  text_.append(fields);
  std::ignore = http::ParseHead(text_, head_);
}

std::string_view ParsedFields::bytes() const {
  return std::string_view(text_).substr(kLine.size());
}

std::size_t ParsedFields::FindHead(std::string_view unread) const {
  const std::size_t line = unread.find('\n') + 1;  // 0: it has no end yet
  if (line == 0 || !unread.substr(line).starts_with(bytes())) return 0;
  const bool is_usual = unread.substr(0, line).ends_with(" HTTP/1.1\r\n");
  return is_usual && IsToken(unread.front()) ? line + bytes().size() : 0;
}

std::optional<Fault> ParsedFields::ParseHead(std::string_view bytes, RequestHead& head) const {
  head = head_;
  const std::string_view fields = bytes.substr(bytes.size() - this->bytes().size());
  auto move = [&](std::string_view& view) {
    if (view.data() == nullptr) return;
    const auto offset = static_cast<std::size_t>(view.data() - text_.data()) - kLine.size();
    view = {fields.data() + offset, view.size()};
  };
  for (Field& field : head.fields) {
    move(field.name);
    move(field.value);
  }
  for (auto view : {&RequestHead::host, &RequestHead::if_none_match, &RequestHead::if_range,
                    &RequestHead::range, &RequestHead::request_id, &RequestHead::user_agent,
                    &RequestHead::traceparent}) {
    move(head.*view);
  }
  const std::size_t line = bytes.size() - fields.size() - 2;
  if (!ParseRequestLine(bytes.substr(0, line), head)) return std::nullopt;
  return http::ParseHead(bytes, head);  // a head with a fault has no fields
}

std::shared_ptr<const ParsedFields> ParsedFieldsIndex::Share(std::string_view fields) {
  if (fields.size() > kMostBytes) return nullptr;
  auto& slot = slots_[std::hash<std::string_view>()(fields) % slots_.size()];
  std::shared_ptr<const ParsedFields> known = slot.lock();
  if (known && known->bytes() == fields) return known;
  known = std::make_shared<const ParsedFields>(fields);
  slot = known;
  return known;
}

void OverlongHead::AcceptBytes(std::string_view bytes) {
  while (!bytes.empty() && !is_over_) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::size_t kept = std::min(end, kMostLine - line_.size());
    line_.append(bytes.substr(0, kept));
    is_line_cut_ = is_line_cut_ || kept < end;
    // The target is known before its line ends, which it may never do.
    if (is_first_) TakeRequestLine(line_);
    if (end == bytes.size()) return;
    TakeLine();
    bytes.remove_prefix(end + 1);
  }
}

void OverlongHead::TakeLine() {
  std::string_view line = line_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!is_first_) {
    is_over_ = line.empty();
    // A part of a value could say the opposite of the whole.
    if (!is_line_cut_) TakeField(line);
  }
  is_first_ = false;
  is_line_cut_ = false;
  line_.clear();
}

void OverlongHead::TakeRequestLine(std::string_view line) {
  const std::size_t method_end = line.find(' ');
  if (method_end == std::string_view::npos || TokenSize(line) != method_end) return;
  method_ = line.substr(0, method_end);
  line.remove_prefix(method_end + 1);
  target_ = line.substr(0, line.find(' '));
}

void OverlongHead::TakeField(std::string_view line) {
  const std::size_t end = TokenSize(line);
  if (end == 0 || end == line.size() || line[end] != ':') return;
  const std::string_view name = line.substr(0, end);
  const std::string_view value = TrimSpace(line.substr(end + 1));
  if (!IsFieldValue(value)) return;
  if (accept_.empty() && IsIgnoringCase(name, "accept")) accept_ = value;
  if (accept_language_.empty() && IsIgnoringCase(name, "accept-language")) accept_language_ = value;
}

void OverlongHead::Describe(RequestHead& head) const {
  head.method_text = method_;
  head.method = ParseMethod(method_);
  head.target = target_;
  if (!accept_.empty()) head.fields.push_back({"Accept", accept_});
  if (!accept_language_.empty()) head.fields.push_back({"Accept-Language", accept_language_});
}

}  // namespace koya::http
