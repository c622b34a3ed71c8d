// The words of a page, for a search and for lists: collected while its HTML is written. One thread;
// one text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace koya::markup {

class PlainText {
 public:
  // `most`: bytes of all().
  explicit PlainText(std::size_t most) : most_(most) {}

  // Text as it is read, without references.
  void Add(std::string_view text);
  // The block begins with a mark that nobody reads: without it, and the end of a line after it.
  void DropMark(std::string_view mark);
  // What comes is no part of the words before.
  void EndBlock();

  // What was added since the last end of a block; at most 2 KiB.
  const std::string& block() const { return block_; }
  // Each block on lines of its own.
  const std::string& all() const { return all_; }

 private:
  std::size_t most_;
  std::string all_;
  std::size_t begin_ = 0;  // of the block in it
  std::string block_;
};

// Runs of blanks as one, none at the ends, and at most `most` bytes: then with "…" at its end.
std::string OneLine(std::string_view text, std::size_t most);

}  // namespace koya::markup
