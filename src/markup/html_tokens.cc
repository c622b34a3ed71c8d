#include "markup/html_tokens.h"

#include <algorithm>

#include "base/text.h"
#include "markup/characters.h"

namespace koya::markup {
namespace {

constexpr std::size_t kMostAttributes = 32;
constexpr std::string_view kBlanks = " \t\n\f\r";

bool IsBlank(char c) { return kBlanks.contains(c); }
bool BeginsName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

HtmlToken HtmlTokens::Next() {
  HtmlToken token;
  if (at_ >= text_.size()) return token;
  if (text_[at_] != '<') return ReadText();
  using Kind = HtmlToken::Kind;
  if (ReadMarked("<!--", "-->", Kind::kComment, token)) return token;
  if (ReadMarked("<![CDATA[", "]]>", Kind::kOther, token)) return token;
  if (ReadMarked("<?", "?>", Kind::kOther, token)) return token;
  if (BeginsName(At(at_ + 2)) && ReadMarked("<!", ">", Kind::kOther, token)) return token;
  if (ReadTag(token)) return token;
  return ReadText();
}

// Each end is looked for in vain once only.
bool HtmlTokens::ReadMarked(std::string_view begin, std::string_view end, HtmlToken::Kind kind,
                            HtmlToken& token) {
  std::string_view rest = text_.substr(at_);
  if (!rest.starts_with(begin) || std::ranges::find(endless_, end) != endless_.end()) return false;
  std::size_t place = rest.find(end, begin.size());
  if (place == rest.npos) {
    endless_.push_back(end);
    return false;
  }
  token.kind = kind;
  token.text = rest.substr(begin.size(), place - begin.size());
  at_ += place + end.size();
  return true;
}

// A tag that has no ">" is text from its "<" on: whatever follows cannot become part of it.
bool HtmlTokens::ReadTag(HtmlToken& token) {
  bool closes = At(at_ + 1) == '/';
  std::size_t at = at_ + (closes ? 2 : 1);
  if (!BeginsName(At(at)) || std::ranges::find(endless_, ">") != endless_.end()) return false;
  std::size_t begin = at;
  while (at < text_.size() && !IsBlank(text_[at]) && text_[at] != '/' && text_[at] != '>') ++at;
  HtmlToken tag;
  tag.kind = closes ? HtmlToken::Kind::kClose : HtmlToken::Kind::kOpen;
  tag.name = AsciiLower(text_.substr(begin, at - begin));
  while (ReadAttribute(at, tag)) {
  }
  if (at >= text_.size()) {
    endless_.push_back(">");
    return false;
  }
  at_ = at + 1;
  token = std::move(tag);
  return true;
}

// False at ">" and at the end of the text.
bool HtmlTokens::ReadAttribute(std::size_t& at, HtmlToken& token) const {
  while (at < text_.size() && (IsBlank(text_[at]) || text_[at] == '/')) ++at;
  if (at >= text_.size() || text_[at] == '>') return false;
  std::size_t begin = at++;  // "=" may begin a name
  while (at < text_.size() && !IsBlank(text_[at]) && !std::string_view("/>=").contains(text_[at])) {
    ++at;
  }
  HtmlAttribute found{AsciiLower(text_.substr(begin, at - begin)), {}};
  std::size_t after = std::min(text_.find_first_not_of(kBlanks, at), text_.size());
  if (At(after) == '=') {
    at = after + 1;
    found.value = ReadValue(at);
  }
  bool known = std::ranges::find(token.attributes, found.name, &HtmlAttribute::name) !=
               token.attributes.end();
  if (!known && token.attributes.size() < kMostAttributes) {
    token.attributes.push_back(std::move(found));
  }
  return true;
}

std::string HtmlTokens::ReadValue(std::size_t& at) const {
  at = std::min(text_.find_first_not_of(kBlanks, at), text_.size());
  std::size_t begin = at;
  char quote = At(at);
  if (quote == '"' || quote == '\'') {
    at = std::min(text_.find(quote, at + 1), text_.size());
    std::string value = DecodeReferences(text_.substr(begin + 1, at - begin - 1));
    if (at < text_.size()) ++at;
    return value;
  }
  while (at < text_.size() && !IsBlank(text_[at]) && text_[at] != '>') ++at;
  return DecodeReferences(text_.substr(begin, at - begin));
}

void HtmlTokens::SkipPast(std::string_view name) {
  if (std::ranges::find(unended_, name) != unended_.end()) return;
  for (std::size_t at = text_.find("</", at_); at != text_.npos; at = text_.find("</", at + 2)) {
    if (!EqualsIgnoreCase(text_.substr(at + 2, name.size()), name)) continue;
    at_ = text_.find('>', at);
    at_ = at_ == text_.npos ? text_.size() : at_ + 1;
    return;
  }
  unended_.emplace_back(name);
}

HtmlToken HtmlTokens::ReadText() {
  HtmlToken token{HtmlToken::Kind::kText, {}, {}, {}};
  std::size_t end = std::min(text_.find('<', at_ + 1), text_.size());
  token.text = text_.substr(at_, end - at_);
  at_ = end;
  return token;
}

}  // namespace koya::markup
