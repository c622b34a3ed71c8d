// What the owners of a namespace say of it: plain text of people, shown beside its name.
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

// What is to become of them; nullopt: it stays.
struct NamespaceWordsChange {
  std::optional<std::string> title = {};        // as ParseNamespaceTitle gives it
  std::optional<std::string> description = {};  // as ParseNamespaceDescription gives it

  bool empty() const { return !title && !description; }
  NamespaceWords AppliedTo(NamespaceWords words) const {
    if (title) words.title = *title;
    if (description) words.description = *description;
    return words;
  }
  friend bool operator==(const NamespaceWordsChange&, const NamespaceWordsChange&) = default;
};

// Without the blanks around it. "" is none. Fails: kInvalid: more than a line, too long, control
// characters, or no UTF-8.
Result<std::string> ParseNamespaceTitle(std::string_view text);
// The same for some lines, which end as browsers send them or with "\n".
Result<std::string> ParseNamespaceDescription(std::string_view text);

}  // namespace koya
