#include "markup/html_judge_fake.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/text.h"

namespace koya::markup {
namespace {

const std::set<std::string_view>& GoodElements() {
  static const std::set<std::string_view> elements = {
      "a",       "abbr",       "b",      "bdi",    "blockquote", "br",      "caption", "cite",
      "code",    "dd",         "del",    "dfn",    "div",        "dl",      "dt",      "em",
      "details", "figcaption", "figure", "h2",     "h3",         "h4",      "h5",      "h6",
      "hr",      "i",          "img",    "ins",    "kbd",        "li",      "mark",    "ol",
      "p",       "pre",        "q",      "rp",     "rt",         "ruby",    "s",       "samp",
      "small",   "span",       "strike", "strong", "sub",        "summary", "sup",     "table",
      "tbody",   "td",         "tfoot",  "th",     "thead",      "tr",      "tt",      "u",
      "ul",      "var",        "wbr"};
  return elements;
}

bool IsEmptyElement(std::string_view name) {
  return name == "br" || name == "hr" || name == "img" || name == "wbr";
}

// What the value means, as far as this writer escapes.
std::string Meant(std::string_view value) {
  std::string out(value);
  for (auto [from, to] :
       {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}}) {
    std::string_view what = from;
    for (std::size_t at = 0; (at = out.find(what, at)) != out.npos; ++at) {
      out.replace(at, what.size(), to);
    }
  }
  return out;
}

std::string LinkFault(std::string_view value, bool image) {
  std::string address = Meant(value);
  bool unfit = std::ranges::any_of(
      address, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; });
  if (unfit || address.empty()) return "a link with blanks or without anything";
  std::string_view path = std::string_view(address).substr(0, address.find_first_of("?#"));
  std::size_t colon = path.substr(0, path.find('/')).find(':');
  if (path.starts_with("//") || path.contains('\\')) return "a link to another host";
  if (colon == path.npos) return "";
  std::string scheme = AsciiLower(path.substr(0, colon));
  if (image) return "an image from elsewhere";
  if (scheme == "mailto") return "";
  std::string_view rest = std::string_view(address).substr(colon + 1);
  bool web = (scheme == "http" || scheme == "https") && rest.starts_with("//");
  return web ? "" : "a link with the scheme " + scheme;
}

bool IsGoodAttribute(std::string_view element, std::string_view name) {
  static const std::set<std::string_view> anywhere = {"title", "dir", "lang",
                                                      "align", "id",  "class"};
  static const std::set<std::string> here = {
      "a href",       "a rel",          "img src",          "img alt",    "img width",
      "img height",   "img loading",    "td colspan",       "td rowspan", "th colspan",
      "th rowspan",   "td width",       "th width",         "ol start",   "details open",
      "pre tabindex", "table tabindex", "a aria-labelledby"};
  return anywhere.contains(name) || here.contains(std::string(element) + " " + std::string(name));
}

class HtmlJudge {
 public:
  explicit HtmlJudge(std::string_view html) : html_(html) {}

  std::string Judge() {
    while (fault_.empty() && at_ < html_.size()) {
      if (html_[at_] == '<') {
        Tag();
      } else {
        Text();
      }
    }
    if (fault_.empty() && !open_.empty()) fault_ = "<" + open_.back() + "> has no end";
    return fault_;
  }

 private:
  void Text() {
    char c = html_[at_++];
    if (c == '>' || c == '"' || c == '\'') fault_ = std::string("unescaped ") + c;
    if (c == '\0' || c == '\x7F' || (c > 0 && c < ' ' && c != '\n' && c != '\t')) {
      fault_ = "a control character";
    }
  }

  std::string Word() {
    std::size_t end = at_;
    while (end < html_.size() && ((html_[end] >= 'a' && html_[end] <= 'z') ||
                                  (html_[end] >= '0' && html_[end] <= '9') || html_[end] == '-')) {
      ++end;
    }
    std::string word(html_.substr(at_, end - at_));
    at_ = end;
    return word;
  }

  bool Take(std::string_view what) {
    if (!html_.substr(at_).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }

  void Tag() {
    Take("<");
    bool closes = Take("/");
    std::string name = Word();
    if (!GoodElements().contains(name)) {
      fault_ = "the element <" + name + ">";
      return;
    }
    if (closes) {
      if (open_.empty() || open_.back() != name) fault_ = "</" + name + "> ends nothing";
      if (!open_.empty()) open_.pop_back();
      if (!Take(">")) fault_ = "</" + name + " is no tag";
      return;
    }
    if (name == "a" && std::ranges::find(open_, "a") != open_.end()) fault_ = "a link in a link";
    std::set<std::string> seen;
    while (fault_.empty() && Take(" ")) AttributeOf(name, seen);
    if (fault_.empty() && !Take(">")) fault_ = "<" + name + " does not end";
    if (!IsEmptyElement(name)) open_.push_back(name);
  }

  void AttributeOf(const std::string& element, std::set<std::string>& seen) {
    std::string name = Word();
    if (!IsGoodAttribute(element, name)) fault_ = "the attribute " + element + " " + name;
    if (!seen.insert(name).second) fault_ = name + " stands twice";
    if (!Take("=\"")) fault_ = name + " is not quoted";
    std::size_t end = html_.find('"', at_);
    if (end == html_.npos) fault_ = name + " does not end";
    if (!fault_.empty()) return;
    std::string_view value = html_.substr(at_, end - at_);
    at_ = end + 1;
    if (value.find_first_of("<>'") != value.npos) fault_ = name + " is not escaped";
    if (name == "id" && !value.starts_with("user-"))
      fault_ = "a place called " + std::string(value);
    if (name == "href" || name == "src") fault_ = LinkFault(value, name == "src");
  }

  std::string_view html_;
  std::size_t at_ = 0;
  std::vector<std::string> open_;
  std::string fault_;
};

}  // namespace

std::string WhatIsUnsafe(std::string_view html) { return HtmlJudge(html).Judge(); }

}  // namespace koya::markup
