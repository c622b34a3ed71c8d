#include "web/common/template_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "web/common/assets.h"
#include "web/common/embedded.h"
#include "web/common/formatters.h"
#include "web/common/words.h"

namespace koya::web {
namespace {

constexpr std::string_view kTemplateEnding = ".mustache";
constexpr int kMostNestedPieces = 4;

std::string EscapedWord(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string WordAsText(std::string_view word) {
  std::string html;
  bool in_code = false;
  for (const WordPiece& piece : WordPieces(word)) {
    if (piece.code != in_code) html += piece.code ? "<code translate=\"no\">" : "</code>";
    in_code = piece.code;
    if (!piece.placeholder) {
      html += EscapedWord(piece.text);
    } else {
      html +=
          fmt::format(fmt::runtime(in_code ? "{{{{{}}}}}" : "<bdi>{{{{{}}}}}</bdi>"), piece.text);
    }
  }
  return in_code ? html + "</code>" : html;
}

std::string WordAsAttribute(std::string_view key, std::string_view word) {
  if (word.find_first_of("{`") != word.npos) {
    throw std::logic_error(fmt::format("[[={}]] cannot hold names or code", key));
  }
  return EscapedWord(word);
}

// In quotes, where there can be no <bdi>, each name is escaped by itself.
std::string WordWithNames(std::string_view key, std::string_view word) {
  std::string text;
  for (const WordPiece& piece : WordPieces(word)) {
    if (piece.code) throw std::logic_error(fmt::format("[[~{}]] cannot hold code", key));
    text += piece.placeholder ? fmt::format("{{{{{}}}}}", piece.text) : EscapedWord(piece.text);
  }
  return text;
}

// A name of a view, and nothing that could end its tag.
std::string FragmentTag(std::string_view name) {
  bool plain = !name.empty() &&
               std::ranges::all_of(name, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
  if (!plain) throw std::logic_error(fmt::format("[[*{}]] names no fragment", name));
  return fmt::format("{{{{{{{}{}}}}}}}", kFragmentPrefix, name);
}

std::string_view TemplateFile(std::string_view name) {
  auto file = std::ranges::find_if(EmbeddedTemplates(), [name](const EmbeddedFile& candidate) {
    return candidate.name.size() == name.size() + kTemplateEnding.size() &&
           candidate.name.starts_with(name);
  });
  if (file == EmbeddedTemplates().end()) {
    throw std::logic_error(fmt::format("there is no templates/{}{}", name, kTemplateEnding));
  }
  return file->bytes;
}

std::string ComposeNested(std::string_view text, Language language, int depth);

std::string Replaced(std::string_view mark, Language language, int depth) {
  std::string_view name = mark.substr(1);
  switch (mark.empty() ? ' ' : mark[0]) {
    case '>':
      return ComposeNested(TemplateFile(name), language, depth + 1);
    case '@':
      return AssetPath(name);
    case '*':
      return FragmentTag(name);
    case '~':
      return WordWithNames(name, Word(language, name));
    case '=':
      return WordAsAttribute(name, Word(language, name));
    default:
      return WordAsText(Word(language, mark));
  }
}

// The character after "{{" determines the tag.
void RefuseUnsafeTags(std::string_view text) {
  for (std::size_t at = text.find("{{"); at != text.npos; at = text.find("{{", at + 2)) {
    if (at + 2 < text.size() && std::string_view("{&>=").contains(text[at + 2])) {
      throw std::logic_error(
          fmt::format("a template may not have the tag {}…: values are escaped, and pieces are "
                      "[[>name]]",
                      text.substr(at, 3)));
    }
  }
}

// A tag may name a formatter, or a test if it is a section: formatters.h has them.
void RefuseUnknownFormatters(std::string_view text) {
  for (std::size_t at = text.find("{{"); at != text.npos; at = text.find("{{", at + 2)) {
    std::string_view tag = text.substr(at + 2, text.find("}}", at + 2) - at - 2);
    if (tag.starts_with('!') || tag.starts_with('{')) continue;
    const bool is_section = !tag.empty() && std::string_view("#^/").contains(tag[0]);
    if (is_section) tag.remove_prefix(1);
    const TagParts parts = SplitTag(tag);
    if (is_section ? !IsTest(parts.formatter) : !IsFormatter(parts.formatter)) {
      throw std::logic_error(fmt::format("{{{{{}}}}}: there is no {} \"{}\"", tag,
                                         is_section ? "test" : "formatter", parts.formatter));
    }
  }
}

// Repeats the page's title as the name that chats and other sites show: a template states it once,
// and the copy follows it on pages that others may show (_head.mustache).
std::string WithSharedTitle(std::string text) {
  constexpr std::string_view kOpen = "<title>";
  constexpr std::string_view kClose = "</title>";
  const std::size_t begin = text.find(kOpen);
  const std::size_t end = text.find(kClose);
  if (begin == text.npos || end == text.npos) return text;
  const std::size_t from = begin + kOpen.size();
  const std::string title = text.substr(from, end - from);
  if (title.find_first_of("<\"") != title.npos) {
    throw std::logic_error("a <title> may have nothing that an attribute cannot hold");
  }
  return text.insert(end + kClose.size(),
                     fmt::format("{{{{#is_listed}}}}<meta property=\"og:title\" "
                                 "content=\"{}\">{{{{/is_listed}}}}",
                                 title));
}

std::string ComposeNested(std::string_view text, Language language, int depth) {
  if (depth > kMostNestedPieces) throw std::logic_error("pieces of templates are nested too deep");
  RefuseUnsafeTags(text);
  std::string composed;
  while (true) {
    std::size_t open = std::min(text.find("[["), text.size());
    composed += text.substr(0, open);
    text.remove_prefix(open);
    if (text.empty()) return composed;
    std::size_t close = text.find("]]");
    if (close == text.npos) throw std::logic_error("a mark in a template is not closed by ]]");
    composed += Replaced(text.substr(2, close - 2), language, depth);
    text.remove_prefix(close + 2);
  }
}

}  // namespace

std::vector<std::string_view> TemplateNames() {
  std::vector<std::string_view> names;
  for (const EmbeddedFile& file : EmbeddedTemplates()) {
    if (file.name.starts_with('_')) continue;
    names.push_back(file.name.substr(0, file.name.size() - kTemplateEnding.size()));
  }
  return names;
}

TagParts SplitTag(std::string_view tag) {
  const std::size_t colon = tag.find(':');
  if (colon == tag.npos) return {tag, ""};
  return {tag.substr(0, colon), tag.substr(colon + 1)};
}

std::string ComposeTemplate(std::string_view name, Language language) {
  try {
    return WithSharedTitle(ComposeText(TemplateFile(name), language));
  } catch (const std::logic_error& problem) {
    throw std::logic_error(fmt::format("template {}: {}", name, problem.what()));
  }
}

std::string ComposeText(std::string_view text, Language language) {
  std::string composed = ComposeNested(text, language, 0);
  RefuseUnknownFormatters(composed);
  return composed;
}

}  // namespace koya::web
