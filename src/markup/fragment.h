// HTML that may stand in a page of ours as it is: the one thing that templates write unescaped.
// Only what this folder makes is such a thing; Kept() takes the word of whoever stored it. Pure:
// any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace koya::markup {

struct Rendered;

class Fragment {
 public:
  Fragment() = default;

  // Of Markdown.
  static Fragment Of(Rendered rendered);
  // What a Rendered::html was when it was stored. REQUIRES: it was.
  static Fragment Kept(std::string html) { return Fragment(std::move(html)); }
  // Code that means itself, without colours and with them.
  static Fragment Code(std::string_view code);
  static Fragment Hcl(std::string_view code);
  // `code`, of one of the two, with each of its first `most` lines in an element that is called L1,
  // L2, …; what comes behind them is in none.
  static Fragment Lines(const Fragment& code, std::size_t most);
  // A text with some of its pieces marked (<mark>). REQUIRES: `marks` are places in it, in bytes
  // and in order, which do not overlap.
  struct Mark {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  static Fragment Marked(std::string_view text, std::span<const Mark> marks);

  const std::string& html() const { return html_; }
  bool empty() const { return html_.empty(); }
  // Whether its text is as somebody wrote it, with characters that no page may have.
  bool is_as_written() const { return is_as_written_; }

 private:
  explicit Fragment(std::string html, bool is_as_written = false)
      : html_(std::move(html)), is_as_written_(is_as_written) {}

  std::string html_;
  bool is_as_written_ = false;
};

}  // namespace koya::markup
