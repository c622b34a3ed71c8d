#include "obs/json_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

namespace koya {
namespace {

// True for the bytes that are copied as they are: ASCII but controls, DEL, '"' and '\'.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x7F; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

bool IsPlain(char c) { return kPlain[static_cast<unsigned char>(c)]; }

// Whether the eight bytes of `word` are all plain. A "no" may be wrong: the caller looks again.
bool AllPlain(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHigh = 0x8080808080808080;
  auto below = [&](std::uint64_t x, std::uint64_t limit) { return (x - kOnes * limit) & ~x; };
  auto holds = [&](std::uint64_t byte) { return below(word ^ (kOnes * byte), 1); };
  return ((word | below(word, 0x20) | holds('"') | holds('\\') | holds(0x7F)) & kHigh) == 0;
}

// How many bytes at the start of `text` are plain.
std::size_t PlainLength(std::string_view text) {
  std::size_t length = 0;
  for (std::uint64_t word = 0; length + sizeof word <= text.size(); length += sizeof word) {
    std::memcpy(&word, text.data() + length, sizeof word);
    if (!AllPlain(word)) break;
  }
  while (length < text.size() && IsPlain(text[length])) ++length;
  return length;
}

// Length of the well-formed UTF-8 sequence of more than one byte at the start of `text`, or 0
// (RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF).
std::size_t MultibyteLength(std::string_view text) {
  auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  unsigned lead = byte(0);
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high || !continues(2)) return 0;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  return lead >= 0xF0 && lead <= 0xF4 && continues(3) ? 4 : 0;
}

void AppendControl(LineBuffer& out, unsigned char byte) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out.Append("\\u00");
  out.Append(kHex[byte >> 4]);
  out.Append(kHex[byte & 0xF]);
}

void PutDigits(char* at, unsigned value, int digits) {
  for (int i = digits - 1; i >= 0; --i, value /= 10) at[i] = static_cast<char>('0' + value % 10);
}

}  // namespace

void LineBuffer::Grow(std::size_t by) {
  std::size_t capacity = std::max(2 * capacity_, size_ + by);
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  std::memcpy(larger.get(), data_, size_);
  heap_ = std::move(larger);
  data_ = heap_.get();
  capacity_ = capacity;
}

void JsonLine::Key(std::string_view key) {
  if (out_.view().size() > 1) out_.Append(',');
  out_.Append('"');
  out_.Append(key);
  out_.Append("\":");
}

void JsonLine::Text(std::string_view key, std::string_view value, std::size_t max) {
  Key(key);
  out_.Append('"');
  std::string_view kept = value.substr(0, max);
  std::size_t plain = PlainLength(kept);
  out_.Append(kept.substr(0, plain));
  if (plain < kept.size()) Escaped(kept.substr(plain));
  if (value.size() > max) out_.Append("…");
  out_.Append('"');
}

void JsonLine::Escaped(std::string_view text) {
  while (!text.empty()) {
    std::size_t plain = PlainLength(text);
    out_.Append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) return;
    std::size_t length = 1;
    unsigned char first = static_cast<unsigned char>(text[0]);
    if (first == '"' || first == '\\') {
      out_.Append('\\');
      out_.Append(text[0]);
    } else if (first == '\n') {
      out_.Append("\\n");
    } else if (first == '\t') {
      out_.Append("\\t");
    } else if (first < 0x80) {
      AppendControl(out_, first);
    } else if (length = MultibyteLength(text); length > 0) {
      out_.Append(text.substr(0, length));
    } else {
      out_.Append("\\ufffd");
      length = 1;
    }
    text.remove_prefix(length);
  }
}

void JsonLine::Unsigned(std::string_view key, std::uint64_t value) {
  Key(key);
  fmt::format_int digits(value);
  out_.Append(std::string_view(digits.data(), digits.size()));
}

void JsonLine::Signed(std::string_view key, std::int64_t value) {
  Key(key);
  fmt::format_int digits(value);
  out_.Append(std::string_view(digits.data(), digits.size()));
}

void JsonLine::Real(std::string_view key, double value) {
  Key(key);
  if (!std::isfinite(value)) return out_.Append("null");
  std::array<char, 32> text;
  char* end = fmt::format_to_n(text.begin(), text.size(), "{}", value).out;
  out_.Append(std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
}

void JsonLine::Flag(std::string_view key, bool value) {
  Key(key);
  out_.Append(value ? "true" : "false");
}

void JsonLine::Time(std::string_view key, std::chrono::system_clock::time_point time) {
  using std::chrono::floor;
  auto day = floor<std::chrono::days>(time);
  std::chrono::year_month_day date(day);
  auto ms = static_cast<unsigned>(floor<std::chrono::milliseconds>(time - day).count());
  char text[] = "\"0000-00-00T00:00:00.000Z\"";
  PutDigits(text + 1, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  PutDigits(text + 6, static_cast<unsigned>(date.month()), 2);
  PutDigits(text + 9, static_cast<unsigned>(date.day()), 2);
  PutDigits(text + 12, ms / 3'600'000, 2);
  PutDigits(text + 15, ms / 60'000 % 60, 2);
  PutDigits(text + 18, ms / 1000 % 60, 2);
  PutDigits(text + 21, ms % 1000, 3);
  Key(key);
  out_.Append(std::string_view(text, sizeof text - 1));
}

void JsonLine::Members(std::string_view members) {
  if (members.empty()) return;
  if (out_.view().size() > 1) out_.Append(',');
  out_.Append(members);
}

std::string_view JsonLine::Finish() {
  out_.Append("}\n");
  return out_.view();
}

}  // namespace koya
