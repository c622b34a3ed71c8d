// Markdown (GitHub's kind) to HTML that is safe to stand in a page of ours, whatever the text is.
//
// The HTML is made of the elements and attributes of html_policy.h only, always balanced, without
// styles and scripts; links lead to http, https, mailto and beside the text; images come from this
// server only; every name of a place begins with "user-". ADR 47 says how.
// Linear in the text. Pure: any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace koya::markup {

// Grows whenever the same text gives other HTML: what is stored with a lower one is made anew.
inline constexpr int kRendererVersion = 4;

// The address of what stands beside the text ("docs/a.md", "../img/b.png", "/c" from the top of the
// archive), without its "#…"; none: there is nothing. Judged again before it is written.
using Resolve = std::function<std::optional<std::string>(std::string_view address)>;

struct MarkdownOptions {
  std::size_t most_input = 1 << 20;   // bytes; what is beyond is left out
  std::size_t most_output = 4 << 20;  // bytes, a little more
  std::size_t most_text = 0;          // bytes of Rendered::text
  unsigned heading_shift = 1;         // 1: "# A" becomes <h2>, as the page has its own <h1>
  // Empty: links beside the text are kept as they are, but those from the top, which are left out.
  Resolve link;
  // Empty: only what an image is called is shown. Images outside become links to them.
  Resolve image;
  // What terraform-docs wrote between its marks is folded under this; empty: shown as it is.
  std::string fold_title;
  std::string fold_link_text;     // first in the fold, unless it is empty
  std::string fold_link_address;  // REQUIRES: of ours
  // Items of lists that begin with code have places of its name, where no heading has it.
  bool name_arguments = false;
};

struct Heading {
  unsigned level = 2;  // as shown: <h2> is 2
  std::string name;    // of its place: "user-inputs"
  std::string text;

  friend bool operator==(const Heading&, const Heading&) = default;
};

struct Rendered {
  std::string html;
  std::vector<Heading> contents;  // at most 1,000
  // The first paragraph as text, at most 300 characters; or empty. None are licences, and what
  // holds images and references only.
  std::string summary;
  std::string text;         // all words, for a search: blocks end in newlines
  bool cut_input = false;   // longer than most_input
  bool cut_output = false;  // longer than most_output
};

// What is no UTF-8, control characters and those that turn the direction of text come out as
// U+FFFD.
Rendered RenderMarkdown(std::string_view text, const MarkdownOptions& options = {});

// A README: Markdown, when its file's name ends in .md, .markdown or .mdown; others, such as
// README.txt, are shown as they are written. Of these `html` is one <pre>, without links.
bool IsMarkdownFile(std::string_view file);
Rendered RenderReadme(std::string_view file, std::string_view text,
                      const MarkdownOptions& options = {});

// "Copyright …", "SPDX-License-Identifier: …" and the like: what a text of a licence begins with.
bool IsLicenceNotice(std::string_view text);

}  // namespace koya::markup
