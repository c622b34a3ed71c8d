// Title and description of a namespace: plain text of its owners, shown beside its name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace koya {

// In characters (Unicode scalar values).
inline constexpr std::size_t kLongestNamespaceTitle = 80;
inline constexpr std::size_t kLongestNamespaceDescription = 500;

struct NamespaceWords {
  std::string title = {};        // one line; "": none
  std::string description = {};  // lines with "\n" between them; "": none
  friend bool operator==(const NamespaceWords&, const NamespaceWords&) = default;
};

// A change of title and description; nullopt: unchanged.
struct NamespaceWordsChange {
  std::optional<std::string> title = {};        // from ParseNamespaceTitle
  std::optional<std::string> description = {};  // from ParseNamespaceDescription

  bool empty() const { return !title && !description; }
  NamespaceWords AppliedTo(NamespaceWords words) const {
    if (title) words.title = *title;
    if (description) words.description = *description;
    return words;
  }
  friend bool operator==(const NamespaceWordsChange&, const NamespaceWordsChange&) = default;
};

// Strips surrounding blanks. "" is no title. Fails: kInvalid: more than one line, too long, control
// characters, or not UTF-8.
Result<std::string> ParseNamespaceTitle(std::string_view text);
// Likewise for several lines, which end as browsers send them or with "\n".
Result<std::string> ParseNamespaceDescription(std::string_view text);

}  // namespace koya
