// Splits text into the words of the search index, so that every engine indexes the same ones.
//
// A run is letters, digits and marks, with "_", "-", "." and "/" between them. It is split there
// and where camelCase begins a word, and is also kept whole: "aws_vpcName" is "aws", "vpc", "name"
// and "aws_vpcname". Chinese, Japanese and Korean have no blanks to split at: in such text each
// pair of neighbours is a word, "日本語" is "日本" and "本語", and also the last character "語"; so
// each character begins a word, and one or two characters can be found. Case is folded code point
// by code point (Unicode's simple folding, through ICU); nothing else is normalised. Linear time;
// any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace koya {

struct SearchWord {
  std::string text;       // folded; ASCII in it is [0-9a-z_./-]; at most kLongestSearchWord bytes
  std::size_t begin = 0;  // position in the source, in bytes
  std::size_t end = 0;
  // An additional word: a whole run, or a last character. The other words follow each other as in
  // the source, each once.
  bool besides = false;
  bool cjk = false;
  friend bool operator==(const SearchWord&, const SearchWord&) = default;
};

// Longer words are cut, in queries too, so that they are still found.
inline constexpr std::size_t kLongestSearchWord = 64;

// At most `most` words, from the beginning. Bytes that are not UTF-8 separate words.
std::vector<SearchWord> SplitSearchWords(std::string_view text, std::size_t most);

// `text` folded, for comparison as a whole. Bytes that are not UTF-8 are left out.
std::string FoldForSearch(std::string_view text);

// Finds words at distance one: one letter more, less or different, or two neighbours swapped. An
// index finds such words by their pieces: two words at distance one share a piece.
//
// True if misspellings of `word` are looked up: UTF-8 of 5 to 32 characters, not all digits.
bool IsForgivable(std::string_view word);

// The word, and its variants without one character: each once, in order.
// REQUIRES: UTF-8.
std::vector<std::string> SpellingPieces(std::string_view word);

// True if they are at most one letter apart. REQUIRES: UTF-8.
bool IsNearlySpelt(std::string_view a, std::string_view b);

}  // namespace koya
