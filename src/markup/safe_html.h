// Writes HTML that is always balanced and has nothing that html_policy.h does not name. Two hands
// write: Markdown, whose blocks and spans come in pairs, and the raw HTML in it, whose tags come as
// strangers wrote them. A stranger's end tag ends only what a stranger began since Markdown's last
// begin; Markdown's end ends all that strangers left open in it.
// One thread; one text.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "markup/html_policy.h"
#include "markup/plain_text.h"

namespace koya::markup {

struct SafeHtmlBounds {
  // Of the output; the ends of what is open come to it, and what Replace() makes longer: 2 KiB.
  std::size_t bytes = 4 << 20;
  std::size_t depth = 64;  // elements in one another; what is deeper is shown without its tags
};

class SafeHtml {
 public:
  // `words`, which must outlive it, gets what is shown.
  SafeHtml(const SafeHtmlBounds& bounds, PlainText& words) : bounds_(bounds), words_(words) {}

  // Begins and ends an element that Markdown made. `name` is a literal; `attributes` stands in the
  // tag as it is: " x=…" or empty. Returns whether its tags are written. A paragraph that a
  // stranger began ends at a block. REQUIRES: paired calls.
  bool Begin(std::string_view name, Shape shape, std::string_view attributes = {});
  void End();

  // A stranger's begin, which first ends what HTML lets it end. `name` is a literal; `attributes`
  // must be judged and escaped. False: it may not stand here, and was left out.
  bool BeginRaw(std::string_view name, Shape shape, std::string_view attributes);
  // False: there is nothing that it may end.
  bool EndRaw(std::string_view name);

  // The paragraph of Markdown that has just begun becomes a block without tags: for a heading of a
  // stranger, which is a block to browsers. False: there is none, or something stands in it.
  bool UnwrapParagraph();

  // A <details> around what comes, which no stranger's tag ends, with `content` at its top. Nothing
  // happens within another one, or in an element of Markdown.
  void BeginFold(std::string_view content);
  void EndFold();

  void Text(std::string_view text);                // means itself
  void TextWithReferences(std::string_view text);  // see entities.h
  // REQUIRES: balanced, and made by us. The words in it are not collected.
  void Markup(std::string_view html) {
    if (Fits(html.size())) html_ += html;
  }

  bool IsOpen(Shape shape) const { return shapes_[static_cast<std::size_t>(shape)] > 0; }
  bool folded() const { return folded_; }
  // Where the output stands, what was written since such a place, and other HTML for `bytes` at a
  // place before, near the end: what is known only later.
  std::size_t place() const { return html_.size(); }
  std::string_view Since(std::size_t place) const { return std::string_view(html_).substr(place); }
  void Replace(std::size_t place, std::size_t bytes, std::string_view html) {
    html_.replace(place, bytes, html);
  }

  bool full() const { return full_ || html_.size() >= bounds_.bytes; }
  // How many bytes there is room for.
  std::size_t room() const { return full() ? 0 : bounds_.bytes - html_.size(); }
  // Ends whatever is open, and gives the text away.
  std::string Finish();

 private:
  enum class Hand { kMarkdown, kRaw, kFold };
  struct Opened {
    std::string_view name;
    Shape shape;
    Hand hand;
    bool written;  // false: an element of Markdown that is too deep
  };
  using Shapes = std::initializer_list<Shape>;

  // False, and full from then on: it is larger than what there is room for.
  bool Fits(std::size_t bytes) {
    full_ = full_ || bytes > room();
    return !full_;
  }
  bool Push(std::string_view name, Shape shape, Hand hand, std::string_view attributes);
  void Pop();
  void EndNearestRaw(Shape wanted, Shapes but_not_beyond);
  void EndParagraph();
  void EndImplied(Shape by);
  bool TopIs(Shapes shapes) const;
  bool MayStandHere(Shape shape) const;
  bool InLine() const;

  SafeHtmlBounds bounds_;
  PlainText& words_;
  std::string html_;
  std::vector<Opened> open_;
  std::array<std::size_t, kShapes> shapes_ = {};  // how many of each are open
  std::size_t written_ = 0;                       // of open_
  std::size_t of_markdown_ = 0;                   // of open_
  bool folded_ = false;
  bool full_ = false;  // something was left out
};

}  // namespace koya::markup
