#include "markup/markdown_writer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/encoding.h"
#include "base/text.h"
#include "markup/callout.h"
#include "markup/characters.h"
#include "markup/highlight.h"

namespace koya::markup {
namespace {

constexpr std::size_t kMostContents = 1000;
constexpr std::size_t kLongestAlternative = 1000;
constexpr std::size_t kLongestSummary = 300;
constexpr std::size_t kMostHighlighted = 64 << 10;
constexpr std::size_t kStepsPerByte = 8;
constexpr std::size_t kMostArguments = 5'000;
constexpr auto kNowhere = std::string::npos;

std::string Meaning(const MD_ATTRIBUTE& attribute) {
  std::string out;
  if (attribute.size == 0) return out;
  for (std::size_t i = 0; attribute.substr_offsets[i] < attribute.size; ++i) {
    MD_OFFSET begin = attribute.substr_offsets[i];
    std::string_view part(attribute.text + begin, attribute.substr_offsets[i + 1] - begin);
    out += attribute.substr_types[i] == MD_TEXT_ENTITY ? DecodeReferences(part) : std::string(part);
  }
  return out;
}

// The word after a fence as a class; empty when it is none.
std::string LanguageClass(std::string_view language) {
  std::string name = AsciiLower(language);
  bool fits = !name.empty() && name.size() <= 20 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '+';
  });
  return fits ? Attribute("class", "language-" + name) : "";
}

std::string_view Alignment(MD_ALIGN align) {
  switch (align) {
    case MD_ALIGN_LEFT:
      return R"( align="left")";
    case MD_ALIGN_CENTER:
      return R"( align="center")";
    case MD_ALIGN_RIGHT:
      return R"( align="right")";
    case MD_ALIGN_DEFAULT:
      break;
  }
  return {};
}

std::string_view SpanName(MD_SPANTYPE type) {
  switch (type) {
    case MD_SPAN_EM:
      return "em";
    case MD_SPAN_STRONG:
      return "strong";
    case MD_SPAN_CODE:
      return "code";
    case MD_SPAN_DEL:
      return "del";
    case MD_SPAN_A:
    case MD_SPAN_IMG:
    case MD_SPAN_LATEXMATH:
    case MD_SPAN_LATEXMATH_DISPLAY:
    case MD_SPAN_WIKILINK:
    case MD_SPAN_U:
      break;
  }
  return "span";
}

bool BeginsHeading(std::string_view html) {
  if (html.size() < 4 || html[0] != '<' || (html[1] != 'h' && html[1] != 'H')) return false;
  return html[2] >= '1' && html[2] <= '6' && std::string_view(" \t\n>").contains(html[3]);
}

// Of code in a table: there a backslash before "|" keeps it from ending the cell, and is no part of
// the code (GFM, example 200). MD4C leaves it.
std::string PlainPipes(std::string_view code) {
  std::string out;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i] == '\\' && code.substr(i + 1).starts_with('|')) ++i;
    out += code[i];
  }
  return out;
}

// Of a paragraph that says nothing of what a text is about: a licence, or references that stand for
// images, whose addresses may be cut off.
bool IsNoSummary(std::string_view words) {
  if (IsLicenceNotice(words)) return true;
  std::size_t depth = 0;
  for (char c : words) {
    if (c == '[') ++depth;
    const bool says = depth == 0 && !std::string_view(" \t\n!").contains(c);
    if (says) return false;
    if (c == ']' && depth > 0) --depth;
  }
  return true;
}

}  // namespace

MarkdownWriter::MarkdownWriter(const MarkdownOptions& options, std::string_view text)
    : options_(options),
      most_steps_(1000 + kStepsPerByte * text.size()),
      words_(options.most_text),
      html_({.bytes = options.most_output}, words_),
      links_(options),
      raw_({.options = options_,
            .links = links_,
            .places = places_,
            .html = html_,
            .words = words_,
            .may_fold = !options.fold_title.empty() && HasGeneratedPart(text)}) {}

bool MarkdownWriter::EnterBlock(MD_BLOCKTYPE type, void* detail) {
  FlushRawHtml();
  switch (type) {
    case MD_BLOCK_DOC:
    case MD_BLOCK_HTML:
      break;
    case MD_BLOCK_QUOTE:
      BeginQuote();
      break;
    case MD_BLOCK_UL:
      ++containers_;
      html_.Begin("ul", Shape::kList);
      break;
    case MD_BLOCK_OL: {
      ++containers_;
      unsigned start = static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start;
      html_.Begin("ol", Shape::kList, start == 1 ? "" : Attribute("start", std::to_string(start)));
      break;
    }
    case MD_BLOCK_LI:
      BeginItem(*static_cast<MD_BLOCK_LI_DETAIL*>(detail));
      break;
    case MD_BLOCK_HR:
      html_.Markup("<hr>");
      break;
    case MD_BLOCK_H:
      BeginHeading(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
      break;
    case MD_BLOCK_CODE:
      in_code_ = true;
      code_.clear();
      break;
    case MD_BLOCK_P:
      BeginParagraph();
      break;
    case MD_BLOCK_TABLE:
      ++containers_;
      html_.Begin("table", Shape::kTable);
      break;
    case MD_BLOCK_THEAD:
      html_.Begin("thead", Shape::kTablePart);
      break;
    case MD_BLOCK_TBODY:
      html_.Begin("tbody", Shape::kTablePart);
      break;
    case MD_BLOCK_TR:
      html_.Begin("tr", Shape::kRow);
      break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
      in_cell_ = true;
      html_.Begin(type == MD_BLOCK_TH ? "th" : "td", Shape::kCell,
                  Alignment(static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align));
      break;
  }
  return GoesOn();
}

bool MarkdownWriter::LeaveBlock(MD_BLOCKTYPE type, void* detail) {
  FlushRawHtml();
  switch (type) {
    case MD_BLOCK_DOC:
    case MD_BLOCK_HTML:
    case MD_BLOCK_HR:
      return GoesOn();
    case MD_BLOCK_H:
      EndHeading();
      return GoesOn();
    case MD_BLOCK_CODE:
      EndCode(*static_cast<MD_BLOCK_CODE_DETAIL*>(detail));
      return GoesOn();
    case MD_BLOCK_P:
      EndParagraph();
      break;
    case MD_BLOCK_QUOTE:
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
    case MD_BLOCK_TABLE:
      --containers_;
      break;
    case MD_BLOCK_LI:
    case MD_BLOCK_THEAD:
    case MD_BLOCK_TBODY:
    case MD_BLOCK_TR:
      break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
      in_cell_ = false;
      break;
  }
  html_.End();
  return GoesOn();
}

bool MarkdownWriter::EnterSpan(MD_SPANTYPE type, void* detail) {
  FlushRawHtml();
  if (type == MD_SPAN_IMG) {
    if (images_++ > 0) return GoesOn();
    const auto& image = *static_cast<MD_SPAN_IMG_DETAIL*>(detail);
    image_ = {Meaning(image.src), {}, Meaning(image.title), {}};
  } else if (images_ == 0 && type == MD_SPAN_A) {
    BeginLink(*static_cast<MD_SPAN_A_DETAIL*>(detail));
  } else if (images_ == 0) {
    const bool begins_item = options_.name_arguments && type == MD_SPAN_CODE && AtItem();
    const bool written = html_.Begin(SpanName(type), Shape::kPhrase);
    if (begins_item && written) argument_ = html_.place();
  }
  return GoesOn();
}

bool MarkdownWriter::LeaveSpan(MD_SPANTYPE type) {
  FlushRawHtml();
  if (images_ == 0 && type == MD_SPAN_CODE) NoteArgument();
  if (type == MD_SPAN_IMG) {
    if (--images_ == 0) links_.WriteImage(image_, html_);
  } else if (images_ == 0) {
    html_.End();
  }
  return GoesOn();
}

bool MarkdownWriter::Text(MD_TEXTTYPE type, std::string_view text) {
  std::string code;
  if (in_cell_ && type == MD_TEXT_CODE && text.contains("\\|")) {
    code = PlainPipes(text);
    text = code;
  }
  if (images_ > 0) {
    bool fits = image_.alternative.size() + text.size() <= kLongestAlternative;
    if (type == MD_TEXT_ENTITY) {
      if (fits) image_.alternative += DecodeReferences(text);
    } else if (type != MD_TEXT_HTML && fits) {
      image_.alternative += text;
    }
    return GoesOn();
  }
  if (type == MD_TEXT_HTML) {
    raw_html_ += text;
    return GoesOn();
  }
  FlushRawHtml();
  if (in_code_) {
    code_ += text;
  } else if (type == MD_TEXT_ENTITY) {
    html_.TextWithReferences(text);
  } else if (type == MD_TEXT_BR) {
    html_.BeginRaw("br", Shape::kVoid, {});
  } else if (type == MD_TEXT_SOFTBR) {
    html_.Text("\n");
  } else {
    html_.Text(text);
  }
  return GoesOn();
}

// Right behind "<li>", or behind the "<p>" in it.
bool MarkdownWriter::AtItem() const {
  return html_.place() == item_ || (item_ < html_.place() && html_.Since(item_) == "<p>");
}

// The code that an item of a list begins with is the name of an argument, which links lead to.
void MarkdownWriter::NoteArgument() {
  const std::size_t begin = std::exchange(argument_, kNowhere);
  if (begin == kNowhere || arguments_.size() >= kMostArguments) return;
  std::string slug = Slug(DecodeReferences(html_.Since(begin)));
  if (!slug.empty()) arguments_.push_back({begin - 1, std::move(slug)});
}

// Arguments take the names that no heading has, whether it stands before or behind them.
std::string MarkdownWriter::WithArgumentNames(std::string html) {
  if (arguments_.empty()) return html;
  std::string out;
  std::size_t copied = 0;
  for (const Argument& each : arguments_) {
    const std::string name = std::string(kUserPrefix) + each.slug;
    if (!places_.TakeExactly(name)) continue;
    out.append(html, copied, each.place - copied).append(Attribute("id", name));
    copied = each.place;
  }
  return out.append(html, copied);
}

// Links to places of this page that are only written in other letters lead there.
std::string MarkdownWriter::WithFragmentsMatched(std::string html) const {
  constexpr std::string_view kLink = " href=\"#user-";
  std::optional<std::map<std::string, std::string>> by_lower;
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = html.find(kLink); at != html.npos; at = html.find(kLink, at)) {
    const std::size_t begin = at + std::string_view(" href=\"#").size();
    const std::size_t end = html.find('"', begin);
    at = end;
    const std::string name = DecodeReferences(std::string_view(html).substr(begin, end - begin));
    if (places_.Has(name)) continue;
    if (!by_lower) by_lower = places_.ByLowerCase();
    const auto known = by_lower->find(LowerCase(PercentDecode(name)));
    if (known == by_lower->end()) continue;
    out.append(html, copied, begin - copied);
    AppendEscaped(known->second, out);
    copied = end;
  }
  return copied == 0 ? std::move(html) : out.append(html, copied);
}

Rendered MarkdownWriter::Finish() {
  FlushRawHtml();
  out_.cut_output = html_.full();
  out_.html = WithFragmentsMatched(WithArgumentNames(html_.Finish()));
  out_.text = words_.all();
  return std::move(out_);
}

// A tag over several lines comes in pieces.
void MarkdownWriter::FlushRawHtml() {
  if (raw_html_.empty()) return;
  std::string piece = std::exchange(raw_html_, {});
  // MD4C knows of no heading but <h1> that it begins a block.
  if (BeginsHeading(piece) && html_.UnwrapParagraph()) paragraph_ = kNowhere;
  raw_.Write(piece);
}

void MarkdownWriter::BeginItem(const MD_BLOCK_LI_DETAIL& detail) {
  const bool written =
      html_.Begin("li", Shape::kItem, detail.is_task != 0 ? R"( class="task")" : "");
  item_ = written ? html_.place() : kNowhere;
  if (detail.is_task != 0) html_.Markup(detail.task_mark == ' ' ? "☐ " : "☑ ");
}

void MarkdownWriter::BeginQuote() {
  ++containers_;
  bool written = html_.Begin("blockquote", Shape::kBlock);
  quote_ = written ? html_.place() : kNowhere;
}

void MarkdownWriter::BeginParagraph() {
  begins_quote_ = html_.place() == quote_;
  bool written = html_.Begin("p", Shape::kParagraph);
  paragraph_ = written ? html_.place() : kNowhere;
}

void MarkdownWriter::EndParagraph() {
  MarkCallout();
  if (out_.summary.empty() && containers_ == 0 && !IsNoSummary(words_.block())) {
    out_.summary = OneLine(words_.block(), kLongestSummary);
  }
}

void MarkdownWriter::MarkCallout() {
  if (paragraph_ == kNowhere) return;
  std::string_view content = html_.Since(paragraph_);
  Callout callout = begins_quote_ ? FindQuotedCallout(content) : Callout{};
  if (callout.bytes > 0) {
    words_.DropMark(callout.mark);
    std::string begin = "<blockquote" + std::string(callout.attributes) +
                        "><p class=\"callout-title\">" + std::string(callout.title) + "</p><p>";
    std::size_t place = quote_ - std::string_view("<blockquote>").size();
    html_.Replace(place, paragraph_ + callout.bytes - place, begin);
    return;
  }
  callout = FindArrowCallout(content);
  if (callout.bytes == 0) return;
  words_.DropMark(callout.mark);
  std::string begin = "<p" + std::string(callout.attributes) + ">";
  if (!callout.title.empty()) {
    begin += R"(<strong class="callout-title">)" + std::string(callout.title) + "</strong> ";
  }
  std::size_t place = paragraph_ - std::string_view("<p>").size();
  html_.Replace(place, paragraph_ + callout.bytes - place, begin);
}

void MarkdownWriter::BeginHeading(unsigned level) {
  heading_level_ = level;
  bool written = html_.Begin(HeadingName(level, options_.heading_shift), Shape::kHeading);
  heading_ = written ? html_.place() : kNowhere;
}

void MarkdownWriter::EndHeading() {
  std::string text = OneLine(words_.block(), kLongestHeading);
  html_.End();
  std::string slug = Slug(text);
  if (heading_ == kNowhere || slug.empty()) return;
  std::string name = places_.Take(slug);
  if (options_.link_headings) LinkHeading(name);
  html_.Replace(heading_ - 1, 0, Attribute("id", name));
  if (out_.contents.size() >= kMostContents) return;
  auto level = std::min(heading_level_ + options_.heading_shift, 6U);
  out_.contents.push_back({level, std::move(name), std::move(text)});
}

// The heading has just ended. Inside a link it can have no link; in a summary a press folds.
void MarkdownWriter::LinkHeading(const std::string& name) {
  if (html_.IsOpen(Shape::kLink) || html_.IsOpen(Shape::kSummary)) return;
  const std::string_view whole = html_.Since(heading_);
  const std::string content(whole.substr(0, whole.rfind("</")));
  const std::string link = "<a" + Attribute("href", "#" + name);
  if (content.contains("</a>")) {
    html_.Replace(heading_ + content.size(), 0,
                  " " + link + Attribute("aria-labelledby", name) + ">#</a>");
  } else {
    html_.Replace(heading_, content.size(),
                  link + Attribute("class", "self") + ">" + content + "</a>");
  }
}

void MarkdownWriter::EndCode(const MD_BLOCK_CODE_DETAIL& detail) {
  in_code_ = false;
  std::string language = Meaning(detail.lang);
  html_.Begin("pre", Shape::kBlock);
  html_.Begin("code", Shape::kPhrase, LanguageClass(language));
  const bool coloured = IsHcl(language) && code_.size() <= kMostHighlighted;
  const std::string code = coloured ? HighlightHcl(code_) : std::string();
  if (coloured && code.size() <= html_.room()) {
    words_.Add(code_);
    html_.Markup(code);
  } else {
    html_.Text(code_);
  }
  html_.End();
  html_.End();
}

void MarkdownWriter::BeginLink(const MD_SPAN_A_DETAIL& detail) {
  // A link inside a raw link would end it.
  std::optional<std::string> attributes =
      html_.IsOpen(Shape::kLink) ? std::nullopt : links_.Attributes(Meaning(detail.href));
  if (!attributes) {
    html_.Begin("span", Shape::kPhrase);
    return;
  }
  std::string title = Meaning(detail.title);
  if (!title.empty()) *attributes += Attribute("title", title);
  html_.Begin("a", Shape::kLink, *attributes);
}

}  // namespace koya::markup
