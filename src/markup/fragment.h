// Safe HTML for our own pages: the only type that templates write unescaped. Only this folder
// creates it; Kept() trusts the caller about stored HTML. Pure: any thread.
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

  // From rendered Markdown.
  static Fragment Of(Rendered rendered);
  // From a stored Rendered::html. REQUIRES: `html` was one.
  static Fragment Kept(std::string html) { return Fragment(std::move(html)); }
  // Escaped code, without and with colours.
  static Fragment Code(std::string_view code);
  static Fragment Hcl(std::string_view code);
  // `code`, from one of these two, with each of its first `most` lines wrapped in an element named
  // L1, L2, …; later lines are not wrapped.
  static Fragment Lines(const Fragment& code, std::size_t most);
  // A text with some ranges marked (<mark>). REQUIRES: `marks` are ranges in it, in bytes, sorted
  // and disjoint.
  struct Mark {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  static Fragment Marked(std::string_view text, std::span<const Mark> marks);

  const std::string& html() const { return html_; }
  bool empty() const { return html_.empty(); }
  // Whether it is an author's unmodified text, which may have characters that no page may have.
  bool is_as_written() const { return is_as_written_; }

 private:
  explicit Fragment(std::string html, bool is_as_written = false)
      : html_(std::move(html)), is_as_written_(is_as_written) {}

  std::string html_;
  bool is_as_written_ = false;
};

}  // namespace koya::markup
