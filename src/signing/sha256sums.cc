#include "signing/sha256sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/encoding.h"
#include "base/text.h"

namespace koya::signing {
namespace {

constexpr std::size_t kMaxTold = 20;
constexpr std::size_t kMaxName = 255;
constexpr std::size_t kHexDigits = 64;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// Beyond ASCII, what OpenTofu's splitting into fields takes for white space.
constexpr std::string_view kWideSpaces[] = {
    "\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x81",
    "\xE2\x80\x82", "\xE2\x80\x83", "\xE2\x80\x84", "\xE2\x80\x85", "\xE2\x80\x86",
    "\xE2\x80\x87", "\xE2\x80\x88", "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8",
    "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"};

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }
bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }
bool IsLowerHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }
bool IsAnyHex(char c) { return IsLowerHex(c) || (c >= 'A' && c <= 'F'); }

// The fault of a file name; "" when there is none.
std::string NameProblem(std::string_view name) {
  if (name.empty()) return "has no file name; write the digest, two spaces and the name";
  if (name.size() > kMaxName) {
    return fmt::format("has a name of {} bytes; use at most {}", name.size(), kMaxName);
  }
  if (std::ranges::any_of(name, IsControl)) return "has a control character in its name";
  if (!IsUtf8(name)) return "has a name that is not UTF-8; rename the file";
  if (name.find_first_of("/\\") != std::string_view::npos) {
    return "names a file in a folder; write the bare name, as sha256sum does inside the folder";
  }
  auto within = [&](std::string_view space) { return name.contains(space); };
  if (name.contains(' ') || std::ranges::any_of(kWideSpaces, within)) {
    return "has white space in its name, which clients cut there; rename the file";
  }
  return {};
}

// The fault of the digest or of the separator before the name; "" when there is none.
std::string DigestProblem(std::string_view line) {
  const std::size_t digits = std::ranges::find_if_not(line, IsAnyHex) - line.begin();
  if (digits != kHexDigits) {
    return fmt::format("begins with {} hexadecimal digits; a SHA-256 digest has {}", digits,
                       kHexDigits);
  }
  if (!std::ranges::all_of(line.substr(0, kHexDigits), IsLowerHex)) {
    return "has upper-case digits, which some clients do not know; write them in lower case";
  }
  const std::string_view rest = line.substr(kHexDigits);
  if (rest.starts_with(" *") || rest.starts_with("  *")) {
    return "has \"*\" before the name, which clients do not know; use sha256sum without -b";
  }
  if (!rest.starts_with("  ") || (rest.size() > 2 && IsBlank(rest[2]))) {
    return "does not have exactly two spaces between the digest and the name";
  }
  return {};
}

class Reader {
 public:
  void Line(std::string_view line) {
    ++number_;
    if (std::string problem = LineProblem(line); !problem.empty()) {
      return Report(fmt::format("line {} {}", number_, problem));
    }
    const std::string_view name = line.substr(kHexDigits + 2);
    auto [earlier, is_new] = line_of_.try_emplace(name, number_);
    if (!is_new) {
      return Report(fmt::format("line {} names \"{}\" again, which line {} does already; keep one",
                                number_, Printable(name), earlier->second));
    }
    auto digest = Digest::Parse(line.substr(0, kHexDigits));
    if (!digest) return Report(fmt::format("line {}: {}", number_, digest.error().message));
    reading_.lines.push_back({*digest, std::string(name)});
  }

  void Report(std::string problem) {
    if (++problems_ <= kMaxTold) reading_.problems.push_back(std::move(problem));
  }

  SumsReading Finish() {
    if (problems_ > kMaxTold) {
      reading_.problems.push_back(fmt::format("and {} more problems", problems_ - kMaxTold));
    }
    return std::move(reading_);
  }

 private:
  static std::string LineProblem(std::string_view line) {
    if (std::ranges::all_of(line, IsBlank)) {
      return "is blank, which crashes clients; remove it";
    }
    if (line.ends_with('\r')) return "ends with CR LF; end lines with LF alone";
    std::string problem = DigestProblem(line);
    return problem.empty() ? NameProblem(line.substr(kHexDigits + 2)) : problem;
  }

  SumsReading reading_;
  // Views into the text, which outlives the reader.
  std::unordered_map<std::string_view, std::size_t> line_of_;
  std::size_t number_ = 0;
  std::size_t problems_ = 0;
};

}  // namespace

SumsReading ReadSums(std::string_view text) {
  Reader reader;
  if (text.size() > kMaxSums) {
    reader.Report(fmt::format("the document has {} bytes; the limit is {}", text.size(), kMaxSums));
    return reader.Finish();
  }
  if (text.starts_with(kByteOrderMark)) {
    reader.Report("the document begins with a byte-order mark; save it as UTF-8 without one");
    text.remove_prefix(kByteOrderMark.size());
  }
  if (text.empty()) reader.Report("the document is empty; list every file of the release");
  const bool ended = text.empty() || text.ends_with('\n');
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.Line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!ended) reader.Report("the last line does not end with a line feed; add one");
  return reader.Finish();
}

std::string WriteSums(std::span<const SumsLine> lines) {
  std::vector<const SumsLine*> sorted;
  sorted.reserve(lines.size());
  for (const SumsLine& line : lines) sorted.push_back(&line);
  std::ranges::sort(sorted, {}, &SumsLine::name);
  std::string text;
  for (const SumsLine* line : sorted) text += line->digest.hex() + "  " + line->name + "\n";
  return text;
}

}  // namespace koya::signing
