// The words that a search index is made of, so that every engine indexes the same ones.
//
// A run is letters, digits and marks, with "_", "-", "." and "/" between them. It is cut there, and
// where camelCase begins a word, and kept whole besides: "aws_vpcName" is "aws", "vpc", "name" and
// "aws_vpcname". Chinese, Japanese and Korean have no blanks to cut at: of such text each two
// neighbours are a word, "日本語" is "日本" and "本語", and its last character "語" besides; so
// each character begins a word, and one or two are found. Case is folded code point by code point
// (Unicode's simple folding, through ICU); nothing else is normalised. Linear time; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace koya {

struct SearchWord {
  std::string text;       // folded; ASCII in it is [0-9a-z_./-]; at most kLongestSearchWord bytes
  std::size_t begin = 0;  // where it stands in the source, in bytes
  std::size_t end = 0;
  // What is kept besides: a whole run, a last character. The others follow each other as in the
  // source, each once.
  bool besides = false;
  bool cjk = false;
  friend bool operator==(const SearchWord&, const SearchWord&) = default;
};

// What is longer is cut; of a query, too, so that it is still found.
inline constexpr std::size_t kLongestSearchWord = 64;

// At most `most` words, from the beginning. What is not UTF-8 separates words.
std::vector<SearchWord> SplitSearchWords(std::string_view text, std::size_t most);

// All of `text` as it is compared as a whole: folded. What is not UTF-8 is left out.
std::string FoldForSearch(std::string_view text);

// At most `most` bytes of `text`, not in the middle of a character.
std::string_view CutUtf8(std::string_view text, std::size_t most);

}  // namespace koya
