#include "catalog/sql/engine/text_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text.h"

namespace koya::sql {
namespace {

Failure BrokenList() {
  return Fail(ErrorKind::kCorrupt, "the server's catalog contains an invalid record; see its log",
              "a list with a broken line");
}

void AppendEscaped(std::string& out, std::string_view element) {
  const bool ascii_only = !IsUtf8(element);
  for (char c : element) {
    auto byte = static_cast<unsigned char>(c);
    bool escape = byte < 0x20 || byte == 0x7f || c == '%' || (ascii_only && byte >= 0x80);
    if (escape) {
      out += fmt::format("%{:02X}", byte);
    } else {
      out += c;
    }
  }
}

Result<std::string> Unescape(std::string_view line) {
  std::string element;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] != '%') {
      element += line[at];
      continue;
    }
    std::string_view digits = line.substr(at + 1, 2);
    unsigned char byte = 0;
    auto [end, error] = std::from_chars(digits.begin(), digits.end(), byte, 16);
    if (error != std::errc() || end != digits.end() || digits.size() != 2) return BrokenList();
    element += static_cast<char>(byte);
    at += 2;
  }
  return element;
}

void AppendJsonEscaped(std::string& out, std::string_view element) {
  for (char c : element) {
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
}

}  // namespace

bool IsStorable(std::string_view text) { return IsUtf8(text) && !text.contains('\0'); }

Status CheckStorable(std::string_view what, std::string_view text) {
  if (IsStorable(text)) return {};
  return FailInvalid("{} must be UTF-8 text without NUL, not \"{}\": fix it and try again", what,
                     Printable(text));
}

std::string JoinList(std::span<const std::string> elements) {
  std::string lines;
  for (const std::string& element : elements) {
    AppendEscaped(lines, element);
    lines += '\n';
  }
  return lines;
}

Result<std::vector<std::string>> SplitList(std::string_view text) {
  std::vector<std::string> elements;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return BrokenList();
    ASSIGN_OR_RETURN(std::string element, Unescape(text.substr(0, end)));
    elements.push_back(std::move(element));
    text.remove_prefix(end + 1);
  }
  return elements;
}

std::string JsonList(std::span<const std::string> elements) {
  std::string list;
  for (const std::string& element : elements) {
    list += list.empty() ? "[\"" : ",\"";
    AppendJsonEscaped(list, element);
    list += '"';
  }
  return list.empty() ? "[]" : list + ']';
}

std::string JsonRows(std::span<const std::string> lists) {
  return fmt::format("[{}]", fmt::join(lists, ","));
}

namespace {

constexpr std::size_t kMostWords = 16;

}  // namespace

std::vector<std::string> SearchWords(std::string_view query) {
  std::vector<std::string> words;
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  for (std::size_t begin = query.find_first_not_of(kSpace);
       begin != std::string_view::npos && words.size() < kMostWords;
       begin = query.find_first_not_of(kSpace, begin)) {
    std::size_t end = std::min(query.find_first_of(kSpace, begin), query.size());
    std::string word = AsciiLower(query.substr(begin, end - begin));
    if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
    begin = end;
  }
  return words;
}

std::uint64_t RowsUpTo(const PageRequest& page) {
  const std::uint64_t limit = std::min(page.limit, kLongestPage) + 1;
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return page.offset > most - limit ? most : page.offset + limit;
}

std::string Containing(std::string_view word) {
  std::string pattern = "%";
  for (char c : word) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern + "%";
}

}  // namespace koya::sql
