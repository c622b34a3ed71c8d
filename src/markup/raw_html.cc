#include "markup/raw_html.h"

#include <algorithm>
#include <array>
#include <utility>

#include "markup/characters.h"
#include "markup/plain_text.h"

namespace koya::markup {
namespace {

constexpr std::array<std::string_view, 6> kHeadings = {"h1", "h2", "h3", "h4", "h5", "h6"};

// terraform-docs' marks, and those of an older tool around it.
constexpr std::array<std::string_view, 2> kBegins = {"BEGIN_TF_DOCS",
                                                     "BEGINNING OF PRE-COMMIT-TERRAFORM DOCS HOOK"};
constexpr std::array<std::string_view, 2> kEnds = {"END_TF_DOCS",
                                                   "END OF PRE-COMMIT-TERRAFORM DOCS HOOK"};

std::string_view Trimmed(std::string_view text) {
  std::size_t begin = std::min(text.find_first_not_of(" \t\n"), text.size());
  std::size_t end = text.find_last_not_of(" \t\n");
  return text.substr(begin, end == text.npos ? 0 : end - begin + 1);
}

bool IsAnyOf(std::string_view text, const std::array<std::string_view, 2>& marks) {
  return std::ranges::find(marks, text) != marks.end();
}

}  // namespace

std::string_view HeadingName(unsigned level, unsigned shift) {
  return kHeadings[std::min<std::size_t>(level + shift, kHeadings.size()) - 1];
}

bool HasGeneratedPart(std::string_view text) {
  for (std::size_t i = 0; i < kBegins.size(); ++i) {
    std::size_t begin = text.find(kBegins[i]);
    if (begin != text.npos && text.find(kEnds[i], begin) != text.npos) return true;
  }
  return false;
}

void RawHtml::Write(std::string_view piece) {
  HtmlTokens tokens(piece);
  while (!parts_.html.full()) {
    HtmlToken token = tokens.Next();
    switch (token.kind) {
      case HtmlToken::Kind::kEnd:
        return;
      case HtmlToken::Kind::kText:
        parts_.html.TextWithReferences(token.text);
        break;
      case HtmlToken::Kind::kOpen:
        WriteOpen(token, tokens);
        break;
      case HtmlToken::Kind::kClose:
        WriteClose(token.name);
        break;
      case HtmlToken::Kind::kComment:
        WriteComment(token.text);
        break;
      case HtmlToken::Kind::kOther:
        break;
    }
  }
}

void RawHtml::WriteOpen(const HtmlToken& token, HtmlTokens& tokens) {
  if (HidesContent(token.name)) {
    tokens.SkipPast(token.name);
    return;
  }
  const Element* element = FindElement(token.name);
  if (element == nullptr) return;
  if (element->shape == Shape::kImage) return WriteImage(token);
  std::string_view name = element->name;
  if (element->shape == Shape::kHeading) {
    name = HeadingName(static_cast<unsigned>(name[1] - '0'), parts_.options.heading_shift);
  }
  const std::string attributes = JudgeAttributes(token);
  const bool written = parts_.html.BeginRaw(name, element->shape, attributes);
  if (element->shape != Shape::kHeading) return;
  const bool unnamed = written && !attributes.contains(" id=\"");
  unnamed_heading_ = unnamed ? parts_.html.place() : kNoHeading;
}

void RawHtml::WriteClose(std::string_view tag) {
  const Element* element = FindElement(tag);
  if (element == nullptr) return;
  if (element->shape != Shape::kHeading) {
    parts_.html.EndRaw(element->name);
    return;
  }
  NameHeading();
  parts_.html.EndRaw(
      HeadingName(static_cast<unsigned>(tag[1] - '0'), parts_.options.heading_shift));
}

// By its words, as a heading of Markdown.
void RawHtml::NameHeading() {
  const std::size_t place = std::exchange(unnamed_heading_, kNoHeading);
  if (place == kNoHeading || !parts_.html.IsOpen(Shape::kHeading)) return;
  const std::string slug = Slug(OneLine(parts_.words.block(), kLongestHeading));
  if (slug.empty() || !parts_.html.Since(place - 1).starts_with('>')) return;
  parts_.html.Replace(place - 1, 0, Attribute("id", parts_.places.Take(slug)));
}

std::string RawHtml::JudgeAttributes(const HtmlToken& token) {
  std::string out;
  bool named = false;
  for (const HtmlAttribute& each : token.attributes) {
    bool names = each.name == "id" || (each.name == "name" && token.name == "a");
    if (names) {
      std::string name = named ? "" : UserName(each.value);
      if (name.empty() || !parts_.places.TakeExactly(name)) continue;
      named = true;
      out += Attribute("id", name);
    } else if (each.name == "href" && token.name == "a") {
      out += parts_.links.Attributes(each.value).value_or("");
    } else if (std::optional<std::string> value =
                   JudgeAttribute(token.name, each.name, each.value)) {
      out += Attribute(each.name, *value);
    }
  }
  return out;
}

void RawHtml::WriteImage(const HtmlToken& token) {
  Image image;
  for (const HtmlAttribute& each : token.attributes) {
    if (each.name == "src") {
      image.source = each.value;
    } else if (each.name == "alt") {
      image.alternative = each.value;
    } else if (each.name == "title") {
      image.title = each.value;
    } else if (each.name != "id") {
      std::optional<std::string> value = JudgeAttribute("img", each.name, each.value);
      if (value) image.attributes += Attribute(each.name, *value);
    }
  }
  parts_.links.WriteImage(image, parts_.html);
}

void RawHtml::WriteComment(std::string_view text) {
  std::string_view mark = Trimmed(text);
  const MarkdownOptions& options = parts_.options;
  if (parts_.may_fold && IsAnyOf(mark, kBegins)) {
    std::string top = "<summary>";
    AppendEscaped(options.fold_title, top);
    top += "</summary>";
    if (!options.fold_link_text.empty()) {
      top.append("<p><a").append(Attribute("href", options.fold_link_address)).append(">");
      AppendEscaped(options.fold_link_text, top);
      top += "</a></p>";
    }
    parts_.html.BeginFold(top + "\n");
  } else if (IsAnyOf(mark, kEnds)) {
    parts_.html.EndFold();
  }
}

}  // namespace koya::markup
