// Splits the raw HTML in Markdown into tokens, without building a tree and without ever failing:
// anything that is not a tag is text. Linear time. Pure: any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace koya::markup {

struct HtmlAttribute {
  std::string name;   // lower case
  std::string value;  // with character references decoded
};

struct HtmlToken {
  enum class Kind { kEnd, kText, kOpen, kClose, kComment, kOther };
  Kind kind = Kind::kEnd;
  std::string_view text;  // kText: unchanged, with its references; kComment: the comment's content
  std::string name;       // of kOpen and kClose, lower case
  std::vector<HtmlAttribute> attributes;  // of kOpen, at most 32; of duplicates the first
};

class HtmlTokens {
 public:
  // `text` must outlive the reader and its tokens.
  explicit HtmlTokens(std::string_view text) : text_(text) {}

  // The next token; kEnd forever at the end. kOther stands for markup that shows nothing: <!DOCTYPE
  // …>, <? … ?>, <![CDATA[ … ]]>. If its end is missing, it is text.
  HtmlToken Next();

  // Continues behind the end tag of `name`; does nothing when there is none.
  void SkipPast(std::string_view name);

 private:
  char At(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }
  bool ReadMarked(std::string_view begin, std::string_view end, HtmlToken::Kind kind,
                  HtmlToken& token);
  bool ReadTag(HtmlToken& token);
  bool ReadAttribute(std::size_t& at, HtmlToken& token) const;
  std::string ReadValue(std::size_t& at) const;
  HtmlToken ReadText();

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string_view> endless_;  // end marks already searched for, and not found
  std::vector<std::string> unended_;       // elements without end tags
};

}  // namespace koya::markup
