// Where a link of a stranger's text may lead. Pure: any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace koya::markup {

struct Link {
  enum class Kind {
    kOutside,   // http:// or https://, with a host and without a user's name
    kMail,      // mailto:
    kRelative,  // to something beside the text: "docs/a.md", "../b", "/c" (from the top), "?d"
    kFragment,  // "#e"
  };
  Kind kind = Kind::kRelative;
  std::string address;   // exactly what was judged: browsers add and leave out nothing
  std::string fragment;  // of kRelative and kFragment: what stood after "#", which is in no address
};

inline constexpr std::size_t kLongestLink = 4096;

// Reads `text` as browsers do (blanks at its ends, tabs and newlines anywhere do not count). None:
// any other scheme, a host of another protocol's making ("//host", "/\host"), control characters,
// backslashes before a query, longer than kLongestLink, empty.
std::optional<Link> JudgeLink(std::string_view text);

}  // namespace koya::markup
