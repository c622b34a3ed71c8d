// Checks link targets of untrusted text (pure: any thread), and writes them as attributes of our
// HTML (one thread; one text).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "markup/html_tokens.h"
#include "markup/markdown.h"
#include "markup/safe_html.h"
#include "markup/slug.h"

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

struct Image {
  std::string source;
  std::string alternative;
  std::string title;
  std::string attributes;  // checked and escaped
};

class LinkWriter {
 public:
  // `options` must outlive the writer.
  explicit LinkWriter(const MarkdownOptions& options) : options_(options) {}

  // " href=…" with all related attributes; nullopt: not allowed as a link.
  std::optional<std::string> Attributes(std::string_view address) const;

  // Writes an image of this server, otherwise a link to it, otherwise its name; none of it counts
  // as words.
  void WriteImage(const Image& image, SafeHtml& html) const;

 private:
  std::optional<std::string> Beside(const std::string& address, const std::string& fragment) const;
  std::optional<std::string> ImageAddress(std::string_view source) const;

  const MarkdownOptions& options_;
};

// " name="…"", escaped.
std::string Attribute(std::string_view name, std::string_view value);

}  // namespace koya::markup
