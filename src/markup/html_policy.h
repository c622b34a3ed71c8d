// Which HTML a stranger's text may have: pages.md's allow-list, as a table. Whatever is not in it
// is not written; there is no list of what is bad. Pure: any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace koya::markup {

// What an element is for the structure: where it may stand, and what it ends.
enum class Shape {
  kPhrase,     // in a line: b, code, sub
  kLink,       // a: not in another one
  kVoid,       // has no end: br, hr
  kImage,      // img
  kParagraph,  // p: ends at the next block
  kHeading,    // h1 to h6: holds no block
  kBlock,      // div, blockquote, pre
  kList,       // ul, ol
  kItem,       // li: in a list
  kTerms,      // dl
  kTerm,       // dt, dd: in dl
  kDetails,    // details
  kSummary,    // summary: in details
  kTable,      // table
  kTablePart,  // thead, tbody, tfoot, caption: in a table
  kRow,        // tr: in a table or a part
  kCell,       // td, th: in a row
};
inline constexpr std::size_t kShapes = 17;

struct Element {
  std::string_view name;
  Shape shape;
};

// None: its tags are left out, and what is between them is shown.
const Element* FindElement(std::string_view name);

// Nothing of it is shown when its end stands in the same piece of HTML: script, style, svg, …
bool HidesContent(std::string_view name);

// What is written for an attribute other than links, images and names; none: it is left out.
std::optional<std::string> JudgeAttribute(std::string_view element, std::string_view attribute,
                                          std::string_view value);

}  // namespace koya::markup
