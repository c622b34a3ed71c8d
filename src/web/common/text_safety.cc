#include "web/common/text_safety.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/encoding.h"
#include "base/text.h"
#include "web/common/page_paths.h"

namespace koya::web {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";
constexpr std::string_view kPopIsolate = "\u2069";
constexpr std::string_view kParagraphSeparator = "\u2029";
constexpr std::array<std::string_view, 3> kIsolates{"\u2066", "\u2067", "\u2068"};
constexpr std::array<std::string_view, 12> kDirectionControls{
    "\u061C", "\u200E", "\u200F", "\u202A", "\u202B", "\u202C",
    "\u202D", "\u202E", "\u2066", "\u2067", "\u2068", "\u2069"};

bool IsOneOf(std::span<const std::string_view> characters, std::string_view character) {
  return std::ranges::find(characters, character) != characters.end();
}

// The well-formed character at the start of `text`, or its first byte if there is none.
// REQUIRES: not empty.
std::string_view FirstCharacter(std::string_view text) {
  for (std::size_t length = 1; length <= std::min<std::size_t>(4, text.size()); ++length) {
    if (IsUtf8(text.substr(0, length))) return text.substr(0, length);
  }
  return text.substr(0, 1);
}

// C0 and C1 controls, DEL, and bytes that are no UTF-8.
bool MayNotBeShown(std::string_view character) {
  auto byte = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) {
    return byte >= 0x7F || (byte < 0x20 && byte != '\n' && byte != '\t');
  }
  return byte == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

bool IsPathChar(char c) {
  return c > ' ' && c < 0x7F && c != '"' && c != '\'' && c != '<' && c != '>' && c != '\\';
}

// As a query may have it (RFC 3986 §3.4): slashes stay, so that people can read where they go.
std::string EncodedParameter(std::string_view value) {
  std::string encoded;
  for (std::size_t at = 0; at < value.size(); ++at) {
    const std::string_view one = value.substr(at, 1);
    encoded += one == "/" ? "/" : PercentEncode(one);
  }
  return encoded;
}

}  // namespace

std::string ShownText(std::string_view text) {
  bool is_plain = std::ranges::all_of(
      text, [](char c) { return (c >= ' ' && c < 0x7F) || c == '\n' || c == '\t'; });
  if (is_plain) return std::string(text);
  std::string shown;
  shown.reserve(text.size());
  std::size_t open_isolates = 0;
  while (!text.empty()) {
    std::string_view character = FirstCharacter(text);
    text.remove_prefix(character.size());
    if (character == kParagraphSeparator) continue;
    if (character == kPopIsolate && open_isolates == 0) continue;
    if (character == kPopIsolate) --open_isolates;
    if (IsOneOf(kIsolates, character)) ++open_isolates;
    shown += MayNotBeShown(character) ? kReplacement : character;
  }
  return shown;
}

std::string TitleText(std::string_view text) {
  std::string shown = ShownText(text);
  std::string title;
  for (std::string_view rest = shown; !rest.empty();) {
    std::string_view character = FirstCharacter(rest);
    rest.remove_prefix(character.size());
    if (IsOneOf(kDirectionControls, character)) continue;
    title += character == "\n" || character == "\t" ? " " : character;
  }
  return title;
}

std::string_view LocalPath(std::string_view path) {
  bool local = path.starts_with('/') && !path.starts_with("//");
  return local && std::ranges::all_of(path, IsPathChar) ? path : kHomeAddress;
}

std::string PathWithoutLanguage(std::string_view path) {
  path = LocalPath(path);
  path = path.substr(0, path.find('#'));
  std::size_t query = std::min(path.find('?'), path.size());
  std::string kept(path.substr(0, query));
  std::string_view rest = path.substr(std::min(query + 1, path.size()));
  char separator = '?';
  while (!rest.empty()) {
    std::size_t end = std::min(rest.find('&'), rest.size());
    std::string_view parameter = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (parameter.empty() || parameter == "lang" || parameter.starts_with("lang=")) continue;
    kept += separator;
    kept += parameter;
    separator = '&';
  }
  return kept;
}

std::string PathInLanguage(std::string_view path, Language language) {
  std::string kept = PathWithoutLanguage(path);
  char separator = kept.contains('?') ? '&' : '?';
  return fmt::format("{}{}lang={}", kept, separator, LanguageCode(language));
}

std::string SignInPath(std::string_view back_to) {
  std::string to = PathWithoutLanguage(back_to);
  if (to == kHomeAddress) return std::string(kSignInAddress);
  return fmt::format("{}?to={}", kSignInAddress, EncodedParameter(to));
}

}  // namespace koya::web
