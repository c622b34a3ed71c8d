#include "domain/namespace_record.h"

#include <algorithm>

#include "base/text.h"
#include "domain/provider_address.h"

namespace koya {
namespace {

std::string_view WithoutBlanksAround(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Browsers end the lines of a form with "\r\n": without the first of the two.
std::string WithPlainLines(std::string_view text) {
  std::string lines;
  lines.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends_line = text.substr(i).starts_with("\r\n");
    if (!ends_line) lines += text[i];
  }
  return lines;
}

// U+0080 to U+009F, which IsPlainText passes over.
bool HasUpperControls(std::string_view text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '\xC2' && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
  }
  return false;
}

Status CheckWords(std::string_view what, std::string_view text, std::size_t longest) {
  if (!IsPlainText(text) || HasUpperControls(text)) {
    return FailInvalid(
        "the {} of a namespace must be plain text in UTF-8: leave out control "
        "characters",
        what);
  }
  if (const std::size_t length = CountCharacters(text); length > longest) {
    return FailInvalid(
        "the {} of a namespace has {} characters, and {} at most are shown: "
        "shorten it",
        what, length, longest);
  }
  return {};
}

}  // namespace

Result<std::string> ParseNamespaceTitle(std::string_view text) {
  text = WithoutBlanksAround(text);
  if (text.find_first_of("\r\n\t") != text.npos) {
    return FailInvalid(
        "the title of a namespace is one line without tabs: write more into its "
        "description");
  }
  RETURN_IF_ERROR(CheckWords("title", text, kLongestNamespaceTitle));
  return std::string(text);
}

Result<std::string> ParseNamespaceDescription(std::string_view text) {
  std::string lines = WithPlainLines(text);
  const std::string_view trimmed = WithoutBlanksAround(lines);
  RETURN_IF_ERROR(CheckWords("description", trimmed, kLongestNamespaceDescription));
  return std::string(trimmed);
}

std::string NamespaceKey(std::string_view ns) {
  bool ascii = std::ranges::all_of(ns, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) return AsciiLower(ns);  // which is all that normalising does to it
  Result<std::string> key = NormalizeProviderNamespace(ns);
  return key ? *std::move(key) : AsciiLower(ns);
}

}  // namespace koya
