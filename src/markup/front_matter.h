// Reads the front matter of a page of docs: the part between "---" and "---" at its top, with its
// title and group. It should be YAML, and is written by people and by many tools; this reads lines
// of "name: value", with plain, quoted, or block values ("|", ">"). Anchors, aliases, tags, lists
// and maps are not followed, so nothing can expand. It never fails, and reports unreadable parts.
// Linear in the text. Pure: any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace koya::markup {

struct FrontMatter {
  struct Unread {
    std::size_t line = 0;  // from 1, in the whole text
    std::string why;       // a sentence without the line number

    friend bool operator==(const Unread&, const Unread&) = default;
  };

  // One line each, safe to show; empty: absent or unreadable.
  std::string page_title;      // at most 300 bytes
  std::string subcategory;     // at most 300 bytes
  std::string description;     // at most 1,000 bytes
  std::string layout;          // at most 300 bytes
  std::vector<Unread> unread;  // at most 20
  std::string_view body;       // the rest of the text
};

// Looks for the end within 64 KiB; without one, everything is body. The first of duplicate names
// counts. Unknown names are skipped silently.
FrontMatter ReadFrontMatter(std::string_view text);

}  // namespace koya::markup
