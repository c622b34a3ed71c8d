#include "markup/html_policy.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace koya::markup {
namespace {

constexpr std::array kElements = std::to_array<Element>({
    {"a", Shape::kLink},
    {"abbr", Shape::kPhrase},
    {"b", Shape::kPhrase},
    {"bdi", Shape::kPhrase},
    {"blockquote", Shape::kBlock},
    {"br", Shape::kVoid},
    {"caption", Shape::kTablePart},
    {"cite", Shape::kPhrase},
    {"code", Shape::kPhrase},
    {"dd", Shape::kTerm},
    {"del", Shape::kPhrase},
    {"details", Shape::kDetails},
    {"dfn", Shape::kPhrase},
    {"div", Shape::kBlock},
    {"dl", Shape::kTerms},
    {"dt", Shape::kTerm},
    {"em", Shape::kPhrase},
    {"figcaption", Shape::kBlock},
    {"figure", Shape::kBlock},
    {"h1", Shape::kHeading},
    {"h2", Shape::kHeading},
    {"h3", Shape::kHeading},
    {"h4", Shape::kHeading},
    {"h5", Shape::kHeading},
    {"h6", Shape::kHeading},
    {"hr", Shape::kVoid},
    {"i", Shape::kPhrase},
    {"img", Shape::kImage},
    {"ins", Shape::kPhrase},
    {"kbd", Shape::kPhrase},
    {"li", Shape::kItem},
    {"mark", Shape::kPhrase},
    {"ol", Shape::kList},
    {"p", Shape::kParagraph},
    {"pre", Shape::kBlock},
    {"q", Shape::kPhrase},
    {"rp", Shape::kPhrase},
    {"rt", Shape::kPhrase},
    {"ruby", Shape::kPhrase},
    {"s", Shape::kPhrase},
    {"samp", Shape::kPhrase},
    {"small", Shape::kPhrase},
    {"span", Shape::kPhrase},
    {"strike", Shape::kPhrase},
    {"strong", Shape::kPhrase},
    {"sub", Shape::kPhrase},
    {"summary", Shape::kSummary},
    {"sup", Shape::kPhrase},
    {"table", Shape::kTable},
    {"tbody", Shape::kTablePart},
    {"td", Shape::kCell},
    {"tfoot", Shape::kTablePart},
    {"th", Shape::kCell},
    {"thead", Shape::kTablePart},
    {"tr", Shape::kRow},
    {"tt", Shape::kPhrase},
    {"u", Shape::kPhrase},
    {"ul", Shape::kList},
    {"var", Shape::kPhrase},
    {"wbr", Shape::kVoid},
});

constexpr std::array<std::string_view, 22> kHidden = {
    "applet",  "audio",    "canvas",   "embed",  "frameset",  "head",   "iframe", "math",
    "noembed", "noframes", "noscript", "object", "plaintext", "script", "select", "style",
    "svg",     "template", "textarea", "title",  "video",     "xmp"};

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

// A number of at most four digits, from 1 to `most`.
std::optional<std::string> Number(std::string_view text, unsigned most) {
  if (text.empty() || text.size() > 4) return std::nullopt;
  unsigned value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  if (value == 0 || value > most) return std::nullopt;
  return std::to_string(value);
}

std::optional<std::string> Length(std::string_view text) {
  if (text.ends_with("px")) text.remove_suffix(2);
  if (!text.ends_with('%')) return Number(text, 9999);
  text.remove_suffix(1);
  std::optional<std::string> share = Number(text, 100);
  return share ? std::optional(*share + "%") : std::nullopt;
}

bool IsLanguage(std::string_view text) {
  auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !text.empty() && text.size() <= 20 && std::ranges::all_of(text, fits);
}

bool MayAlign(std::string_view element) {
  return IsOneOf(element, {"p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead",
                           "tbody", "tfoot", "tr", "td", "th", "caption", "img"});
}

std::optional<std::string> JudgeOwn(std::string_view element, std::string_view attribute,
                                    std::string_view value) {
  bool cell = IsOneOf(element, {"td", "th"});
  if (IsOneOf(attribute, {"width", "height"}) &&
      (element == "img" || (cell && attribute == "width"))) {
    return Length(value);
  }
  if (IsOneOf(attribute, {"colspan", "rowspan"}) && cell) return Number(value, 100);
  if (attribute == "start" && element == "ol") return Number(value, 9999);
  if (attribute == "open" && element == "details") return "";
  if (attribute == "align" && MayAlign(element)) {
    std::string side = AsciiLower(value);
    if (IsOneOf(side, {"left", "right", "center"})) return side;
  }
  return std::nullopt;
}

}  // namespace

const Element* FindElement(std::string_view name) {
  const auto* found = std::ranges::lower_bound(kElements, name, {}, &Element::name);
  return found != kElements.end() && found->name == name ? found : nullptr;
}

bool HidesContent(std::string_view name) { return std::ranges::binary_search(kHidden, name); }

std::optional<std::string> JudgeAttribute(std::string_view element, std::string_view attribute,
                                          std::string_view value) {
  if (attribute == "title") return std::string(value);
  if (attribute == "dir") {
    std::string side = AsciiLower(value);
    if (IsOneOf(side, {"ltr", "rtl", "auto"})) return side;
    return std::nullopt;
  }
  if (attribute == "lang") {
    return IsLanguage(value) ? std::optional(std::string(value)) : std::nullopt;
  }
  return JudgeOwn(element, attribute, value);
}

}  // namespace koya::markup
