#include "markup/safe_html.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "markup/characters.h"

namespace koya::markup {
namespace {

static_assert(static_cast<std::size_t>(Shape::kCell) + 1 == kShapes);

bool IsInline(Shape shape) { return shape == Shape::kPhrase || shape == Shape::kLink; }

// What scrolls is reached with the keyboard.
std::string_view Focus(std::string_view name) {
  return name == "pre" || name == "table" ? R"( tabindex="0")" : "";
}

// The beginning of a text, which ends between characters and outside of references: when it is
// escaped, it is not much longer than there is room for.
std::string_view TakeSlice(std::string_view& text) {
  constexpr std::size_t kSlice = 256;
  std::string_view slice = CutUtf8(text, kSlice);
  if (slice.empty()) slice = text;
  if (slice.size() < text.size()) {
    const std::size_t reference = slice.rfind('&');
    const bool cuts =
        reference != slice.npos && reference > 0 && slice.find(';', reference) == slice.npos;
    if (cuts) slice = slice.substr(0, reference);
  }
  text.remove_prefix(slice.size());
  return slice;
}

bool HasEnd(Shape shape) { return shape != Shape::kVoid && shape != Shape::kImage; }

}  // namespace

bool SafeHtml::Begin(std::string_view name, Shape shape, std::string_view attributes) {
  if (!IsInline(shape)) {
    EndParagraph();
    words_.EndBlock();
  }
  ++of_markdown_;
  return Push(name, shape, Hand::kMarkdown, attributes);
}

void SafeHtml::End() {
  while (!open_.empty() && open_.back().hand != Hand::kMarkdown) Pop();
  if (open_.empty()) return;
  --of_markdown_;
  Pop();
}

bool SafeHtml::BeginRaw(std::string_view name, Shape shape, std::string_view attributes) {
  // Looked at first: below, elements are counted that are open, which are few only when they are
  // all written.
  if (written_ >= bounds_.depth) return false;
  EndImplied(shape);
  if (!MayStandHere(shape)) return false;
  if (HasEnd(shape)) {
    if (!IsInline(shape)) words_.EndBlock();
    return Push(name, shape, Hand::kRaw, attributes);
  }
  if (shape == Shape::kVoid) words_.Add("\n");
  if (!Fits(name.size() + attributes.size() + 2)) return false;
  html_.append("<").append(name).append(attributes).append(">");
  return true;
}

bool SafeHtml::EndRaw(std::string_view name) {
  auto ends = [&](const Opened& opened) {
    return opened.hand != Hand::kRaw || opened.name == name;
  };
  auto found = std::find_if(open_.rbegin(), open_.rend(), ends);
  if (found == open_.rend() || found->hand != Hand::kRaw) return false;
  for (auto left = found - open_.rbegin(); left >= 0; --left) Pop();
  return true;
}

bool SafeHtml::UnwrapParagraph() {
  constexpr std::string_view kTag = "<p>";
  if (open_.empty() || !html_.ends_with(kTag)) return false;
  Opened& last = open_.back();
  if (last.hand != Hand::kMarkdown || last.shape != Shape::kParagraph || !last.written)
    return false;
  html_.resize(html_.size() - kTag.size());
  --written_;
  --shapes_[static_cast<std::size_t>(last.shape)];
  last.written = false;
  last.shape = Shape::kBlock;
  return true;
}

void SafeHtml::BeginFold(std::string_view content) {
  if (folded_ || of_markdown_ > 0 || written_ >= bounds_.depth) return;
  EndParagraph();
  if (InLine()) return;
  folded_ = Push("details", Shape::kDetails, Hand::kFold, {});
  html_ += content;
}

void SafeHtml::EndFold() {
  if (!folded_ || of_markdown_ > 0) return;
  while (open_.back().hand != Hand::kFold) Pop();
  Pop();
  folded_ = false;
}

void SafeHtml::Text(std::string_view text) {
  words_.Add(text);
  while (!text.empty() && !full()) AppendEscaped(TakeSlice(text), html_);
  full_ = full_ || !text.empty();
}

void SafeHtml::TextWithReferences(std::string_view text) {
  words_.Add(text.contains('&') ? DecodeReferences(text) : std::string(text));
  while (!text.empty() && !full()) AppendWithReferences(TakeSlice(text), html_);
  full_ = full_ || !text.empty();
}

std::string SafeHtml::Finish() {
  while (!open_.empty()) Pop();
  of_markdown_ = 0;
  folded_ = false;
  return std::exchange(html_, {});
}

bool SafeHtml::Push(std::string_view name, Shape shape, Hand hand, std::string_view attributes) {
  bool written = written_ < bounds_.depth && Fits(name.size() + attributes.size() + 2);
  open_.push_back({name, shape, hand, written});
  if (!written) return false;
  ++written_;
  ++shapes_[static_cast<std::size_t>(shape)];
  html_.append("<").append(name).append(attributes).append(Focus(name)).append(">");
  return true;
}

void SafeHtml::Pop() {
  Opened last = open_.back();
  open_.pop_back();
  if (!IsInline(last.shape)) words_.EndBlock();
  if (!last.written) return;
  --written_;
  --shapes_[static_cast<std::size_t>(last.shape)];
  html_.append("</").append(last.name).append(">");
}

// Ends the nearest `wanted` and the elements inside it, when all of them are raw.
void SafeHtml::EndNearestRaw(Shape wanted, Shapes but_not_beyond) {
  std::size_t left = open_.size();
  while (left > 0 && open_[left - 1].hand == Hand::kRaw) {
    Shape shape = open_[--left].shape;
    if (shape == wanted) {
      while (open_.size() > left) Pop();
      return;
    }
    if (std::ranges::find(but_not_beyond, shape) != but_not_beyond.end()) return;
  }
}

void SafeHtml::EndParagraph() {
  std::size_t left = open_.size();
  while (left > 0 && open_[left - 1].hand == Hand::kRaw && IsInline(open_[left - 1].shape)) --left;
  if (left == 0 || open_[left - 1].hand != Hand::kRaw) return;
  if (open_[left - 1].shape != Shape::kParagraph) return;
  while (open_.size() >= left) Pop();
}

void SafeHtml::EndImplied(Shape by) {
  switch (by) {
    case Shape::kItem:
      return EndNearestRaw(Shape::kItem, {Shape::kList, Shape::kCell});
    case Shape::kTerm:
      return EndNearestRaw(Shape::kTerm, {Shape::kTerms, Shape::kCell});
    case Shape::kCell:
      return EndNearestRaw(Shape::kCell, {Shape::kRow, Shape::kTable});
    case Shape::kRow:
      return EndNearestRaw(Shape::kRow, {Shape::kTable});
    case Shape::kTablePart:
      return EndNearestRaw(Shape::kTablePart, {Shape::kTable});
    case Shape::kPhrase:
    case Shape::kLink:
    case Shape::kVoid:
    case Shape::kImage:
    case Shape::kSummary:
      return;
    case Shape::kParagraph:
    case Shape::kHeading:
    case Shape::kBlock:
    case Shape::kList:
    case Shape::kTerms:
    case Shape::kDetails:
    case Shape::kTable:
      return EndParagraph();
  }
}

bool SafeHtml::TopIs(Shapes shapes) const {
  return !open_.empty() && std::ranges::find(shapes, open_.back().shape) != shapes.end();
}

// In an element that holds no blocks.
bool SafeHtml::InLine() const {
  auto block = std::find_if(open_.rbegin(), open_.rend(),
                            [](const Opened& opened) { return !IsInline(opened.shape); });
  if (block == open_.rend()) return false;
  return block->shape == Shape::kParagraph || block->shape == Shape::kHeading;
}

bool SafeHtml::MayStandHere(Shape shape) const {
  switch (shape) {
    case Shape::kPhrase:
    case Shape::kVoid:
    case Shape::kImage:
      return true;
    case Shape::kLink:
      return !IsOpen(Shape::kLink);
    case Shape::kHeading:
      return !IsOpen(Shape::kHeading) && !InLine();
    case Shape::kParagraph:
    case Shape::kBlock:
    case Shape::kList:
    case Shape::kTerms:
    case Shape::kDetails:
    case Shape::kTable:
      return !InLine();
    case Shape::kItem:
      return TopIs({Shape::kList});
    case Shape::kTerm:
      return TopIs({Shape::kTerms});
    case Shape::kSummary:
      return TopIs({Shape::kDetails});
    case Shape::kTablePart:
      return TopIs({Shape::kTable});
    case Shape::kRow:
      return TopIs({Shape::kTable, Shape::kTablePart});
    case Shape::kCell:
      return TopIs({Shape::kRow});
  }
  return false;
}

}  // namespace koya::markup
