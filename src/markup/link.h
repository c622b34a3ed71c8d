// Checks link targets of untrusted text. Pure: any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace koya::markup {

struct Link {
  enum class Kind {
    kOutside,   // http:// or https://, with a host and without a user's name
    kMail,      // mailto:
    kRelative,  // relative to the text: "docs/a.md", "../b", "/c" (from the top), "?d"
    kFragment,  // "#e"
  };
  Kind kind = Kind::kRelative;
  std::string address;   // exactly the checked text: browsers change nothing in it
  std::string fragment;  // of kRelative and kFragment: the part after "#", which `address` omits
};

inline constexpr std::size_t kLongestLink = 4096;

// Parses `text` as browsers do (blanks at its ends, and tabs and newlines anywhere, are ignored).
// Nullopt: any other scheme, a protocol-relative host ("//host", "/\host"), control characters,
// backslashes before a query, longer than kLongestLink, empty.
std::optional<Link> JudgeLink(std::string_view text);

}  // namespace koya::markup
