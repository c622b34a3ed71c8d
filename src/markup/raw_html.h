// The HTML that stands in Markdown, let through as far as it may be. One thread; one text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "markup/html_tokens.h"
#include "markup/link_writer.h"
#include "markup/markdown.h"
#include "markup/safe_html.h"
#include "markup/slug.h"

namespace koya::markup {

// The literal of <h1> to <h6>, `shift` lower; what would be below h6 is h6.
std::string_view HeadingName(unsigned level, unsigned shift);

inline constexpr std::size_t kLongestHeading = 300;  // bytes of its words

class RawHtml {
 public:
  // All must outlive it. `may_fold`: the text has both of terraform-docs' marks, in this order.
  struct Parts {
    const MarkdownOptions& options;
    const LinkWriter& links;
    PlaceNames& places;
    SafeHtml& html;
    const PlainText& words;  // what html collects
    bool may_fold = false;
  };
  explicit RawHtml(const Parts& parts) : parts_(parts) {}

  // A block of HTML, or a tag or comment in a line. Elements may stay open for what comes.
  void Write(std::string_view piece);

 private:
  static constexpr std::size_t kNoHeading = static_cast<std::size_t>(-1);
  void WriteOpen(const HtmlToken& token, HtmlTokens& tokens);
  void WriteImage(const HtmlToken& token);
  void WriteComment(std::string_view text);
  std::string JudgeAttributes(const HtmlToken& token);
  void WriteClose(std::string_view tag);
  void NameHeading();

  Parts parts_;
  std::size_t unnamed_heading_ = kNoHeading;  // where the content of one begins that has no name
};

// Whether terraform-docs wrote a part of `text`.
bool HasGeneratedPart(std::string_view text);

}  // namespace koya::markup
