// Writes HTML that is always balanced and contains only what html_policy.h allows. There are two
// sources: Markdown, whose blocks and spans come in pairs, and the raw HTML in it, whose untrusted
// tags come in any order. A raw end tag ends only a raw element that began after Markdown's last
// begin; Markdown's end ends all raw elements that are still open in it. One thread; one text.
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

struct SafeHtmlLimits {
  // Of the output. The end tags of open elements and the growth by Replace() may exceed it: by 2
  // KiB.
  std::size_t bytes = 4 << 20;
  std::size_t depth = 64;  // nesting of elements; deeper ones are shown without their tags
};

class SafeHtml {
 public:
  // `words`, which must outlive it, receives the shown text.
  SafeHtml(const SafeHtmlLimits& bounds, PlainText& words) : bounds_(bounds), words_(words) {}

  // Begins and ends an element of Markdown. `name` is a literal; `attributes` is written to the tag
  // unchanged: " x=…" or empty. Returns whether its tags are written. A raw paragraph ends at a
  // block. REQUIRES: paired calls.
  bool Begin(std::string_view name, Shape shape, std::string_view attributes = {});
  void End();

  // Begins a raw element, after ending the elements that HTML lets it end. `name` is a literal;
  // `attributes` must be checked and escaped. False: it is not allowed here, and was dropped.
  bool BeginRaw(std::string_view name, Shape shape, std::string_view attributes);
  // False: there is no element that it may end.
  bool EndRaw(std::string_view name);

  // Turns Markdown's paragraph that has just begun into a block without tags: for a raw heading,
  // which is a block to browsers. False: there is none, or it is not empty.
  bool UnwrapParagraph();

  // Begins a <details> around the following content, which no raw tag ends, with `content` at its
  // top. Does nothing inside another fold, or in an element of Markdown.
  void BeginFold(std::string_view content);
  void EndFold();

  void Text(std::string_view text);                // plain text, is escaped
  void TextWithReferences(std::string_view text);  // see characters.h
  // REQUIRES: balanced and trusted. Its words are not collected.
  void Markup(std::string_view html) {
    if (Fits(html.size())) html_ += html;
  }

  bool IsOpen(Shape shape) const { return shapes_[static_cast<std::size_t>(shape)] > 0; }
  bool folded() const { return folded_; }
  // The current place in the output, the output since a place, and replacing `bytes` at an earlier
  // place near the end, for HTML that is known only later.
  std::size_t place() const { return html_.size(); }
  std::string_view Since(std::size_t place) const { return std::string_view(html_).substr(place); }
  void Replace(std::size_t place, std::size_t bytes, std::string_view html) {
    html_.replace(place, bytes, html);
  }

  bool full() const { return full_ || html_.size() >= bounds_.bytes; }
  // The number of bytes that still fit.
  std::size_t room() const { return full() ? 0 : bounds_.bytes - html_.size(); }
  // Ends all open elements, and moves the result out.
  std::string Finish();

 private:
  enum class Hand { kMarkdown, kRaw, kFold };
  struct Opened {
    std::string_view name;
    Shape shape;
    Hand hand;
    bool written;  // false: an element of Markdown that is nested too deeply
  };
  using Shapes = std::initializer_list<Shape>;

  // False, and full from then on: it does not fit.
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

  SafeHtmlLimits bounds_;
  PlainText& words_;
  std::string html_;
  std::vector<Opened> open_;
  std::array<std::size_t, kShapes> shapes_ = {};  // how many of each are open
  std::size_t written_ = 0;                       // of open_
  std::size_t of_markdown_ = 0;                   // of open_
  bool folded_ = false;
  bool full_ = false;  // something was dropped
};

}  // namespace koya::markup
