// Collects the words of a page while its HTML is written, for search and for lists. One thread; one
// text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace koya::markup {

class PlainText {
 public:
  // `most`: bytes of all().
  explicit PlainText(std::size_t most) : most_(most) {}

  // Plain text, without character references.
  void Add(std::string_view text);
  // Removes the mark at the beginning of the block, and the line end after it.
  void DropMark(std::string_view mark);
  // Ends the block: following text is not joined to its words.
  void EndBlock();

  // The text since the last end of a block; at most 2 KiB.
  const std::string& block() const { return block_; }
  // All text, each block on lines of its own.
  const std::string& all() const { return all_; }

 private:
  std::size_t most_;
  std::string all_;
  std::size_t begin_ = 0;  // of the block in it
  std::string block_;
};

// Collapses runs of blanks, trims the ends, and cuts to at most `most` bytes, then with "…" at the
// end.
std::string OneLine(std::string_view text, std::size_t most);

}  // namespace koya::markup
