// Renders Markdown (GitHub's dialect) to HTML that is safe in our pages, whatever the text is.
//
// The HTML consists only of the elements and attributes of html_policy.h, always balanced, without
// styles and scripts; links lead to http, https, mailto and relative targets; images come from this
// server only; every anchor name begins with "user-". See ADR 47. Linear in the text. Pure: any
// thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace koya::markup {

// Increment whenever the same text gives different HTML: stored HTML of a lower version is rendered
// again.
inline constexpr int kRendererVersion = 4;

// The URL of a relative target ("docs/a.md", "../img/b.png", "/c" from the top of the archive),
// without its "#…"; nullopt: no such target. It is checked again before it is written.
using Resolve = std::function<std::optional<std::string>(std::string_view address)>;

struct MarkdownOptions {
  std::size_t most_input = 1 << 20;   // bytes; the rest is cut off
  std::size_t most_output = 4 << 20;  // bytes; may be slightly exceeded
  std::size_t most_text = 0;          // bytes of Rendered::text
  unsigned heading_shift = 1;         // 1: "# A" becomes <h2>, as the page has its own <h1>
  // Empty: relative links are kept unchanged, except those from the top, which are dropped.
  Resolve link;
  // Empty: only an image's name is shown. External images become links to them.
  Resolve image;
  // The output of terraform-docs between its marks is folded under this title; empty: shown
  // unfolded.
  std::string fold_title;
  std::string fold_link_text;     // first in the fold; empty: none
  std::string fold_link_address;  // REQUIRES: a trusted address
  // List items that begin with code get anchors of its name, unless a heading has that name.
  bool name_arguments = false;
  // Headings of Markdown with a name link to themselves, so that readers can copy their address:
  // by their text, or by a "#" behind a text that has links of its own.
  bool link_headings = false;
};

struct Heading {
  unsigned level = 2;  // as shown: <h2> is 2
  std::string name;    // of its anchor: "user-inputs"
  std::string text;

  friend bool operator==(const Heading&, const Heading&) = default;
};

struct Rendered {
  std::string html;
  std::vector<Heading> contents;  // at most 1,000
  // The first paragraph as text, at most 300 characters; or empty. Skips licence notices and
  // paragraphs with only images and references.
  std::string summary;
  std::string text;         // all words, for search: blocks end in newlines
  bool cut_input = false;   // longer than most_input
  bool cut_output = false;  // longer than most_output
};

// Invalid UTF-8, control characters and characters that change the text direction become U+FFFD.
Rendered RenderMarkdown(std::string_view text, const MarkdownOptions& options = {});

// A README: Markdown when its file's name ends in .md, .markdown or .mdown; others, such as
// README.txt, are shown as plain text: their `html` is one <pre>, without links.
bool IsMarkdownFile(std::string_view file);
Rendered RenderReadme(std::string_view file, std::string_view text,
                      const MarkdownOptions& options = {});

// "Copyright …", "SPDX-License-Identifier: …" and the like: the beginnings of licence texts.
bool IsLicenceNotice(std::string_view text);

// ---- preparation of untrusted text for the parser

// `text` as FitToShow gives it, with quotes and lists nested at most about a hundred deep: a mark
// of a list or quote far to the right, with only such marks before it, is escaped. The parser takes
// time proportional to lines times depth. Where a block of HTML ends a table, an empty line is
// inserted: the parser would take the block for a row.
std::string FitToParse(std::string_view text);

}  // namespace koya::markup
