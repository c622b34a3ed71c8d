// Builds one line of JSON, as the logs are written. Internal to obs/.
//
// Values may hold any bytes, since they come from strangers: quotes, backslashes and control
// characters are escaped, and bytes that are not UTF-8 become U+FFFD, so that the line is always
// one valid JSON document on one line. One builder belongs to one thread.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string_view>

namespace koya {

class JsonLine {
 public:
  // What is kept of one value; the rest is cut, with "…" put in its place. A request head may be
  // 16 KiB and escaping can make six bytes of one.
  static constexpr std::size_t kMaxValue = 1024;

  JsonLine() { out_.push_back('{'); }

  // Keys are literals of this program: they are not escaped.
  void Text(std::string_view key, std::string_view value, std::size_t max = kMaxValue);
  void Unsigned(std::string_view key, std::uint64_t value);
  void Signed(std::string_view key, std::int64_t value);
  void Real(std::string_view key, double value);  // not finite: null
  void Flag(std::string_view key, bool value);
  // RFC 3339 in UTC with milliseconds. `time` must lie in the years 0 to 9999.
  void Time(std::string_view key, std::chrono::system_clock::time_point time);
  // Members written already, without the braces.
  void Members(std::string_view members);

  // The members so far, without the braces.
  std::string_view members() const { return {out_.data() + 1, out_.size() - 1}; }
  // Closes the object and returns the line with its newline. REQUIRES: called once, last.
  std::string_view Finish();

 private:
  void Key(std::string_view key);
  void Append(std::string_view text) { out_.append(text.data(), text.data() + text.size()); }
  void Escaped(std::string_view text);

  // On the stack for every ordinary line, so that logging a request allocates nothing.
  fmt::basic_memory_buffer<char, 1024> out_;
};

}  // namespace koya
