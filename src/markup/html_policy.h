// The allow-list of HTML in untrusted text: that of pages.md, as a table. Anything else is not
// written; there is no deny-list. Pure: any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace koya::markup {

// The structural role of an element: where it may occur, and which elements it ends.
enum class Shape {
  kPhrase,     // in a line: b, code, sub
  kLink,       // a: not inside another one
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

// Null: its tags are dropped, and its content is shown.
const Element* FindElement(std::string_view name);

// True for elements whose content is dropped too, if their end is in the same piece of HTML:
// script, style, svg, …
bool HidesContent(std::string_view name);

// The value to write for an attribute other than links, images and names; nullopt: drop the
// attribute.
std::optional<std::string> JudgeAttribute(std::string_view element, std::string_view attribute,
                                          std::string_view value);

}  // namespace koya::markup
