// Paragraphs that want to be noticed, in the two ways that people write them: "> [!NOTE]" as on
// GitHub, and "-> ", "~> ", "!> " as in docs of providers. Pure: any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace koya::markup {

struct Callout {
  std::size_t bytes = 0;        // of the mark in the HTML of the paragraph; 0: there is none
  std::string_view attributes;  // class="callout …", a blank before it
  std::string_view title;       // "Note"; empty: the paragraph has its own
  std::string_view mark = {};   // as it is read
};

// `html`: what stands in the first paragraph of a quote.
Callout FindQuotedCallout(std::string_view html);
// `html`: what stands in a paragraph.
Callout FindArrowCallout(std::string_view html);

}  // namespace koya::markup
