#include "http/server/http2_head.h"

#include <algorithm>

#include "base/text.h"
#include "http/server/characters.h"

namespace koya::http {
namespace {

constexpr std::string_view kStatusName = ":status";
constexpr std::size_t kStatusAt = 9;  // behind "HTTP/1.1 "
constexpr std::size_t kStatusSize = 3;
constexpr LimitName kHeaderBytes = "limits.header_bytes";

std::uint8_t* Bytes(const char* text) {
  // nghttp2 reads through a pointer that it declares mutable.
  return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text));
}

nghttp2_nv MakeField(std::string_view name, std::string_view value, unsigned flags) {
  constexpr unsigned kViews = NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE;
  return {Bytes(name.data()), Bytes(value.data()), name.size(), value.size(),
          static_cast<std::uint8_t>(kViews | flags)};
}

}  // namespace

void Http2HeadWriter::Start() {
  received_ = path_size_ = 0;
  hosts_differ_ = false;
  for (std::string* text : {&method_, &path_, &authority_, &fields_, &cookie_}) text->clear();
}

void Http2HeadWriter::AcceptPseudoField(std::string_view name, std::string_view value) {
  if (name == ":method") method_ = value;
  if (name == ":authority") authority_ = value;
  if (name != ":path") return;
  path_size_ = value.size();
  path_ = value.substr(0, most_);
}

bool Http2HeadWriter::AcceptField(std::string_view name, std::string_view value) {
  received_ += name.size() + value.size() + 4;  // ": " and the line's end
  // A line break would begin another field.
  if (!IsFieldValue(value)) return false;
  if (name.starts_with(':')) {
    AcceptPseudoField(name, value);
    return true;
  }
  if (name.empty() || TokenSize(name) != name.size()) return false;
  if (received_ > most_) return true;
  if (name == "cookie") {
    // Clients send each pair as a field of its own (RFC 9113 §8.2.3).
    if (!cookie_.empty()) cookie_.append("; ");
    cookie_.append(value);
    return true;
  }
  if (name == "host" && !authority_.empty()) {
    hosts_differ_ = hosts_differ_ || !EqualsIgnoreCase(value, authority_);
    return true;
  }
  fields_.append(name).append(": ").append(value).append("\r\n");
  return true;
}

std::optional<Fault> Http2HeadWriter::FindFault() const {
  if (path_size_ > most_) return Fault{414, "the request's target is too long", kHeaderBytes};
  if (received_ > most_) return Fault{431, "the request's header is too large", kHeaderBytes};
  if (hosts_differ_) return Fault{400, "Host and :authority are not the same"};
  return std::nullopt;
}

void Http2HeadWriter::Finish(std::string& head) const {
  const std::string& target = method_ == "CONNECT" ? authority_ : path_;
  head.clear();
  head.reserve(std::min(received_, most_) + 64);
  head.append(method_).append(" ").append(target).append(" HTTP/1.1\r\n");
  if (!authority_.empty()) head.append("host: ").append(authority_).append("\r\n");
  head.append(fields_);
  if (!cookie_.empty()) head.append("cookie: ").append(cookie_).append("\r\n");
  head.append("\r\n");
}

void ReadAnswerFields(std::string& head, std::vector<nghttp2_nv>& fields) {
  fields.clear();
  fields.push_back(
      MakeField(kStatusName, std::string_view(head).substr(kStatusAt, kStatusSize), 0));
  std::size_t start = head.find("\r\n") + 2;
  for (std::size_t end = 0; (end = head.find("\r\n", start)) != start; start = end + 2) {
    const std::size_t colon = head.find(':', start);
    const auto first = head.begin() + static_cast<std::ptrdiff_t>(start);
    std::transform(first, head.begin() + static_cast<std::ptrdiff_t>(colon), first,
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
    const std::string_view line = std::string_view(head).substr(start, end - start);
    const std::string_view name = line.substr(0, colon - start);
    if (name == "connection" || name == "transfer-encoding") continue;
    // An ID is sent once: it would only push other fields out of the peer's table.
    const unsigned flags = name == "x-request-id" ? NGHTTP2_NV_FLAG_NO_INDEX : 0U;
    fields.push_back(MakeField(name, line.substr(name.size() + 2), flags));
  }
}

}  // namespace koya::http
