// What stands between "---" and "---" at the top of a page of docs: its title and group. It is
// meant to be YAML, written by people and by many tools; what is understood is lines of "name:
// value", with values plain, quoted, or in blocks ("|", ">") below. Anchors, aliases, tags, lists
// and maps are not followed: nothing in here can grow. It never fails, and says what it could not
// read. Linear in the text. Pure: any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace koya::markup {

struct FrontMatter {
  struct Unread {
    std::size_t line = 0;  // from 1, in the whole text
    std::string why;       // a sentence without the place

    friend bool operator==(const Unread&, const Unread&) = default;
  };

  // One line each, fit to be shown; empty: not given, or not readable.
  std::string page_title;      // at most 300 bytes
  std::string subcategory;     // at most 300 bytes
  std::string description;     // at most 1,000 bytes
  std::string layout;          // at most 300 bytes
  std::vector<Unread> unread;  // at most 20
  std::string_view body;       // of the text: what stands behind
};

// Looks for the end within 64 KiB; without one, all is body. Of a name that stands twice the first
// counts. Names that are not known are passed over in silence.
FrontMatter ReadFrontMatter(std::string_view text);

}  // namespace koya::markup
