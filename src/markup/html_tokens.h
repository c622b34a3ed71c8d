// The raw HTML that stands in Markdown, taken apart without a tree and without ever failing: what
// is no tag is text. Linear in time. Pure: any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace koya::markup {

struct HtmlAttribute {
  std::string name;   // in small letters
  std::string value;  // with character references decoded
};

struct HtmlToken {
  enum class Kind { kEnd, kText, kOpen, kClose, kComment, kOther };
  Kind kind = Kind::kEnd;
  std::string_view text;  // kText: as it stands, with its references; kComment: between its marks
  std::string name;       // of kOpen and kClose, in small letters
  std::vector<HtmlAttribute> attributes;  // of kOpen, at most 32; of equal names the first
};

class HtmlTokens {
 public:
  // `text` must outlive the reader and its tokens.
  explicit HtmlTokens(std::string_view text) : text_(text) {}

  // The next one; kEnd for ever at the end. kOther is what shows nothing: <!DOCTYPE …>, <? … ?>,
  // <![CDATA[ … ]]>. What begins there and has no end is text.
  HtmlToken Next();

  // Goes on behind the end tag of `name`, or stays when there is none.
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
  std::vector<std::string_view> endless_;  // ends that were looked for, and are not there
  std::vector<std::string> unended_;       // elements whose end tags are not there
};

}  // namespace koya::markup
