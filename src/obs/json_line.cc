#include "obs/json_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
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

// Whether the eight bytes of `word` are all plain: of each byte that is not, and of no other below
// the first of those, the top bit is set in one of the terms.
bool AllPlain(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kTops = 0x8080808080808080;
  std::uint64_t not_ascii = word | (word + kOnes);  // 0x7F becomes 0x80
  std::uint64_t control = word - kOnes * 0x20;
  std::uint64_t quote = (word ^ (kOnes * '"')) - kOnes;
  std::uint64_t backslash = (word ^ (kOnes * '\\')) - kOnes;
  return ((not_ascii | control | quote | backslash) & kTops) == 0;
}

std::uint64_t WordAt(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// The same of the sixteen bytes at `at`, by the processor's vectors.
using Bytes16 = unsigned char __attribute__((vector_size(16)));
bool AllPlain16(const char* at) {
  Bytes16 bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  const auto odd = (bytes - 0x20 > 0x5E) | (bytes == '"') | (bytes == '\\');
  const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(odd);
  return (halves[0] | halves[1]) == 0;
}

// How many bytes at the start of `text` are plain.
std::size_t PlainLength(std::string_view text) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  std::size_t length = 0;
  while (length + sizeof(Bytes16) <= text.size() && AllPlain16(text.data() + length)) {
    length += sizeof(Bytes16);
  }
  // The rest is checked as the text's last bytes, which overlap those before.
  const bool few = length + sizeof(Bytes16) > text.size() && text.size() >= sizeof(Bytes16);
  if (few && AllPlain16(text.data() + text.size() - sizeof(Bytes16))) return text.size();
  while (length + kWord <= text.size() && AllPlain(WordAt(text.data() + length))) length += kWord;
  const bool fewer = length + kWord > text.size() && text.size() >= kWord;
  if (fewer && AllPlain(WordAt(text.data() + text.size() - kWord))) return text.size();
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

void AppendEscape(LineBuffer& out, unsigned unit) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out.Append("\\u");
  for (int shift = 12; shift >= 0; shift -= 4) out.Append(kHex[(unit >> shift) & 0xF]);
}

// The character that two or three bytes of UTF-8 are, where it would not be seen, or turn what
// follows it around: controls (C1), line ends, marks of direction and of the byte order. Else 0.
unsigned HiddenCharacter(std::string_view sequence) {
  auto bits = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]) & 0x3FU; };
  unsigned code = 0;
  if (sequence.size() == 2) code = ((sequence[0] & 0x1FU) << 6U) | bits(1);
  if (sequence.size() == 3) code = ((sequence[0] & 0xFU) << 12U) | (bits(1) << 6U) | bits(2);
  const bool control = code >= 0x80 && code <= 0x9F;
  const bool direction = code == 0x061C || (code >= 0x200B && code <= 0x200F) ||
                         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x2069);
  return control || direction || code == 0xFEFF ? code : 0;
}

void PutDigits(char* at, unsigned value, int digits) {
  for (int i = digits - 1; i >= 0; --i, value /= 10) at[i] = static_cast<char>('0' + value % 10);
}

void WriteSecond(std::chrono::sys_seconds time, std::array<char, 26>& text) {
  auto day = std::chrono::floor<std::chrono::days>(time);
  std::chrono::year_month_day date(day);
  auto seconds = static_cast<unsigned>((time - day).count());
  std::ranges::copy(std::string_view("\"0000-00-00T00:00:00.000Z\""), text.begin());
  PutDigits(text.data() + 1, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  PutDigits(text.data() + 6, static_cast<unsigned>(date.month()), 2);
  PutDigits(text.data() + 9, static_cast<unsigned>(date.day()), 2);
  PutDigits(text.data() + 12, seconds / 3600, 2);
  PutDigits(text.data() + 15, seconds / 60 % 60, 2);
  PutDigits(text.data() + 18, seconds % 60, 2);
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
  Value(value, max);
}

void JsonLine::Value(std::string_view text, std::size_t max) {
  std::string_view kept = text.substr(0, max);
  std::size_t plain = PlainLength(kept);
  if (plain == text.size()) return out_.AppendQuoted(text);
  out_.Append('"');
  out_.Append(kept.substr(0, plain));
  if (plain < kept.size()) Escaped(kept.substr(plain));
  if (text.size() > max) out_.Append("…");
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
      AppendEscape(out_, first);
    } else if (length = MultibyteLength(text); length > 0) {
      const std::string_view sequence = text.substr(0, length);
      if (const unsigned hidden = HiddenCharacter(sequence)) {
        AppendEscape(out_, hidden);
      } else {
        out_.Append(sequence);
      }
    } else {
      out_.Append("\\ufffd");
      length = 1;
    }
    text.remove_prefix(length);
  }
}

void JsonLine::Unsigned(std::string_view key, std::uint64_t value) {
  Key(key);
  out_.Append(value);
}

void JsonLine::Signed(std::string_view key, std::int64_t value) {
  Key(key);
  out_.Append(value);
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
  Key(key);
  Value(time);
}

void JsonLine::Value(std::chrono::system_clock::time_point time) {
  using std::chrono::floor;
  // Of the second that this thread wrote last, all but the milliseconds stays as it is.
  thread_local std::chrono::sys_seconds written = std::chrono::sys_seconds::min();
  thread_local std::array<char, 26> text;
  auto second = floor<std::chrono::seconds>(time);
  if (second != written) {
    WriteSecond(second, text);
    written = second;
  }
  auto ms = static_cast<unsigned>(floor<std::chrono::milliseconds>(time - second).count());
  PutDigits(text.data() + 21, ms, 3);
  out_.Append(std::string_view(text.data(), text.size()));
}

std::string_view JsonLine::Finish() {
  out_.Append("}\n");
  return out_.view();
}

}  // namespace koya
