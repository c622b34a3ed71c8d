#include "http/server/overlong_head.h"

#include <algorithm>

#include "http/server/characters.h"

namespace koya::http {

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
