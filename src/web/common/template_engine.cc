#include "web/common/template_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <kainjow/mustache.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "web/common/assets.h"
#include "web/common/embedded.h"
#include "web/common/formatters.h"
#include "web/common/text_safety.h"
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

namespace {

using Mustache = kainjow::mustache::basic_mustache<std::string>;
using MustacheData = kainjow::mustache::basic_data<std::string>;

// The library asks for the names of tags, and sections look like variables to it: in a parsed
// template the name of a section begins with this.
constexpr char kSectionMark = '?';

std::string WithSectionMarks(std::string_view text) {
  std::string marked;
  for (std::size_t at = text.find("{{"); at != text.npos; at = text.find("{{")) {
    const std::size_t name = at + 3;
    marked += text.substr(0, std::min(name, text.size()));
    text.remove_prefix(std::min(name, text.size()));
    if (std::string_view("#^/").contains(marked.back())) marked += kSectionMark;
  }
  return marked.append(text);
}

// Each template is read when it is first shown: the library keeps a word or a blank in 150 bytes,
// and most servers show few pages in few languages. render() of the library is not const, but
// writes to the template only for lambdas, partials and changed delimiters, which ComposeTemplate
// refuses. So one template serves all threads.
class TemplateShelf {
 public:
  TemplateShelf() {
    for (std::string_view name : TemplateNames()) {
      for (Language language : kLanguages) templates_.try_emplace({std::string(name), language});
    }
  }
  // Throws: std::logic_error, when there is none or it cannot be read.
  Mustache& Take(std::string_view name, Language language) {
    const auto found = templates_.find(std::pair(std::string(name), language));
    if (found == templates_.end()) {
      throw std::logic_error(fmt::format("there is no template \"{}\"", name));
    }
    Place& place = found->second;
    std::call_once(place.read, [&] { place.parsed = Read(name, language); });
    return *place.parsed;
  }

 private:
  struct Place {
    std::once_flag read;
    std::unique_ptr<Mustache> parsed;
  };

  static std::unique_ptr<Mustache> Read(std::string_view name, Language language) {
    auto parsed = std::make_unique<Mustache>(WithSectionMarks(ComposeTemplate(name, language)));
    if (!parsed->is_valid()) {
      throw std::logic_error(fmt::format("template {}: {}", name, parsed->error_message()));
    }
    return parsed;
  }

  std::map<std::pair<std::string, Language>, Place> templates_;
};

// Answers the library with the values of the view, one at a time: nothing is copied that a template
// does not show. Where the library would leave a hole, this one throws.
class ViewContext : public kainjow::mustache::basic_context<std::string> {
 public:
  ViewContext(const View& view, Language language) : format_{language, std::nullopt} {
    levels_.push_back({&view});
    if (const auto* now = std::get_if<View::Time>(Found(view.Find("now")))) format_.now = now->at;
  }

  // `data` is what `get` returned for the section, or one of its items.
  void push(const MustacheData* data) override {
    const Level& top = levels_.back();
    const View* item = nullptr;
    if (top.items != nullptr) {
      const std::size_t index = static_cast<std::size_t>(data - top.places->list_value().data());
      item = &top.items->at(index);
    }
    levels_.push_back({item});
  }
  void pop() override { levels_.pop_back(); }

  const MustacheData* get(const std::string& tag) const override {
    try {
      const std::string_view name(tag);
      if (name.starts_with(kFragmentPrefix)) return Html(name.substr(kFragmentPrefix.size()));
      return name.starts_with(kSectionMark) ? Section(name.substr(1)) : Variable(name);
    } catch (const std::logic_error& problem) {
      throw std::logic_error(fmt::format("{}: {}", tag, problem.what()));
    }
  }
  const MustacheData* get_partial(const std::string& /*name*/) const override { return nullptr; }

 private:
  struct Level {
    const View* view = nullptr;  // null: a section without names of its own
    // The last list that was asked for at this level: of which `push` enters the items.
    const std::vector<View>* items = nullptr;
    const MustacheData* places = nullptr;
  };

  static const View::Value* Found(const View::Value* value) {
    static const View::Value kAbsent;
    return value == nullptr ? &kAbsent : value;
  }

  // "name", of the innermost section that has it, or "name.of_its_item".
  const View::Value& Look(std::string_view name) const {
    const std::size_t dot = name == "." ? name.npos : name.find('.');
    const std::string_view first = name.substr(0, dot);
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      const View::Value* value = level->view == nullptr ? nullptr : level->view->Find(first);
      if (value == nullptr) continue;
      if (dot == name.npos) return *value;
      if (!TestValue(*value, "")) return *Found(nullptr);
      const auto* items = std::get_if<std::vector<View>>(value);
      if (items == nullptr) throw std::logic_error(fmt::format("\"{}\" is no section", first));
      value = items->front().Find(name.substr(dot + 1));
      if (value != nullptr) return *value;
    }
    throw std::logic_error(fmt::format("the view has no \"{}\"", name));
  }

  const MustacheData* Html(std::string_view name) const {
    const auto* html = std::get_if<markup::Fragment>(&Look(name));
    if (html == nullptr) throw std::logic_error("it is no HTML");
    shown_ = MustacheData(html->is_as_written() ? ShownText(html->html()) : html->html());
    return &shown_;
  }

  const MustacheData* Variable(std::string_view tag) const {
    const auto [name, formatter] = SplitTag(tag);
    shown_ = MustacheData(FormatValue(Look(name), formatter, format_));
    return &shown_;
  }

  const MustacheData* Section(std::string_view tag) const {
    static const MustacheData kYes(true);
    static const MustacheData kNo(false);
    const auto [name, test] = SplitTag(tag);
    const View::Value& value = Look(name);
    const auto* items = test.empty() ? std::get_if<std::vector<View>>(&value) : nullptr;
    Level& level = levels_.back();
    level.items = items != nullptr && items->empty() ? nullptr : items;
    if (level.items == nullptr) return TestValue(value, test) ? &kYes : &kNo;
    const MustacheData place(false);
    level.places = &lists_.emplace_back(std::vector<MustacheData>(items->size(), place));
    return level.places;
  }

  FormatContext format_;
  // The library asks through const functions, and holds pointers to the answers: to a text until it
  // is written, to a list until its section ends.
  mutable std::vector<Level> levels_;
  mutable MustacheData shown_;
  mutable std::deque<MustacheData> lists_;
};

}  // namespace

std::string RenderTemplate(std::string_view name, Language language, const View& view) {
  static TemplateShelf shelf;
  Mustache& shown = shelf.Take(name, language);
  ViewContext context(view, language);
  std::ostringstream out;
  try {
    shown.render(context, out);
  } catch (const std::logic_error& problem) {
    throw std::logic_error(fmt::format("template {}: {}", name, problem.what()));
  }
  return std::move(out).str();
}

}  // namespace koya::web
