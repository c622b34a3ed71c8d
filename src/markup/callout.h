// Finds callouts, highlighted paragraphs, in both common notations: "> [!NOTE]" as on GitHub, and
// "-> ", "~> ", "!> " as in provider docs. Pure: any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace koya::markup {

struct Callout {
  std::size_t bytes = 0;        // of the mark in the paragraph's HTML; 0: not a callout
  std::string_view attributes;  // class="callout …", with a leading blank
  std::string_view title;       // "Note"; empty: the paragraph has its own
  std::string_view mark = {};   // the mark as plain text
};

// `html`: the content of the first paragraph of a quote.
Callout FindQuotedCallout(std::string_view html);
// `html`: the content of a paragraph.
Callout FindArrowCallout(std::string_view html);

}  // namespace koya::markup
