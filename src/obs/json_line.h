// Builds one JSON line of a log. Internal to obs/.
//
// Values may contain any bytes, since they are untrusted: quotes, backslashes, control characters
// and characters that change the text direction are escaped, and invalid UTF-8 becomes U+FFFD, so
// that the line is always one valid JSON document on one line. One builder belongs to one thread.
#pragma once

#include <array>
#include <charconv>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace koya {

// A buffer on the stack while it is small, then on the heap; appending is inlined, since a log line
// consists of some sixty pieces.
class LineBuffer {
 public:
  LineBuffer() = default;
  LineBuffer(const LineBuffer&) = delete;
  LineBuffer& operator=(const LineBuffer&) = delete;

  void Append(std::string_view text) {
    if (text.empty()) return;  // memcpy may not be given the null pointer of an empty view
    if (capacity_ - size_ < text.size()) Grow(text.size());
    std::memcpy(data_ + size_, text.data(), text.size());
    size_ += text.size();
  }
  void Append(char c) {
    if (size_ == capacity_) Grow(1);
    data_[size_++] = c;
  }
  void AppendQuoted(std::string_view text) {
    if (capacity_ - size_ < text.size() + 2) Grow(text.size() + 2);
    data_[size_] = '"';
    if (!text.empty()) std::memcpy(data_ + size_ + 1, text.data(), text.size());
    size_ += text.size() + 2;
    data_[size_ - 1] = '"';
  }
  void Append(std::integral auto number) {
    constexpr std::size_t kMostDigits = 20;
    if (capacity_ - size_ < kMostDigits) Grow(kMostDigits);
    size_ = static_cast<std::size_t>(std::to_chars(data_ + size_, data_ + capacity_, number).ptr -
                                     data_);
  }
  std::string_view view() const { return {data_, size_}; }

 private:
  void Grow(std::size_t by);

  std::array<char, 1024> stack_;  // not initialised: only the bytes of view() are ever read
  std::unique_ptr<char[]> heap_;
  char* data_ = stack_.data();
  std::size_t size_ = 0;
  std::size_t capacity_ = stack_.size();
};

class JsonLine {
 public:
  // The maximal length of a value; the rest is replaced by "…". A request head may be 16 KiB, and
  // escaping can turn one byte into six.
  static constexpr std::size_t kMaxValue = 1024;

  JsonLine() { out_.Append('{'); }

  // Keys are literals of this program: they are not escaped.
  void Text(std::string_view key, std::string_view value, std::size_t max = kMaxValue);
  void Unsigned(std::string_view key, std::uint64_t value);
  void Signed(std::string_view key, std::int64_t value);
  void Real(std::string_view key, double value);  // not finite: null
  void Flag(std::string_view key, bool value);
  // RFC 3339 in UTC with milliseconds. `time` must lie in the years 0 to 9999.
  void Time(std::string_view key, std::chrono::system_clock::time_point time);

  // For lines written for each request: JSON pieces that contain all commas and keys, with values
  // between them. A piece is a literal, so the compiler knows its length.
  void Piece(std::string_view json) { out_.Append(json); }
  void Value(std::string_view text, std::size_t max = kMaxValue);
  void Value(std::integral auto number) { out_.Append(number); }
  void Value(std::chrono::system_clock::time_point time);  // as Time()
  // A text without characters that JSON escapes.
  void PlainValue(std::string_view text) { out_.AppendQuoted(text); }

  // Closes the object and returns the line with its newline. REQUIRES: called once, last.
  std::string_view Finish();

 private:
  void Key(std::string_view key);
  void Escaped(std::string_view text);

  LineBuffer out_;
};

}  // namespace koya
