#include "web/common/html_page_fake.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace koya::web {
namespace {

constexpr std::string_view kVoid[] = {"meta", "link", "input", "br", "img"};
constexpr std::pair<std::string_view, std::string_view> kEntities[] = {
    {"&amp;", "&"},   {"&lt;", "<"},   {"&gt;", ">"},
    {"&quot;", "\""}, {"&apos;", "'"}, {"&#39;", "'"}};

// Reads a page from its beginning to its end, once.
class HtmlReader {
 public:
  explicit HtmlReader(std::string_view html) : rest_(html) {}

  HtmlPage Read() {
    Expect(Take("<!doctype html>\n"), "it does not begin with a doctype");
    while (!rest_.empty()) {
      if (rest_[0] == '<') {
        ReadTag();
      } else {
        ReadText();
      }
    }
    Expect(open_.empty(), "not every element is closed");
    Expect(!page_.text.contains("[[") && !page_.text.contains("]]"), "a mark is left");
    return std::move(page_);
  }

 private:
  bool Take(std::string_view start) {
    if (!rest_.starts_with(start)) return false;
    rest_.remove_prefix(start.size());
    return true;
  }

  std::string_view TakeWhile(auto matches) {
    auto end = std::ranges::find_if_not(rest_, matches);
    std::string_view taken = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  void Expect(bool good, std::string_view problem) {
    if (!good) page_.problems.push_back(fmt::format("{}, at: {}", problem, rest_.substr(0, 60)));
  }

  static bool IsNameChar(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  }

  void ReadText() {
    std::string decoded = Decoded(TakeWhile([](char c) { return c != '<'; }));
    page_.text += decoded;
    if (!open_.empty() && open_.back() == "title") page_.title += decoded;
  }

  std::string Decoded(std::string_view text) {
    std::string decoded;
    Expect(!text.contains('>'), "a bare > in a text");
    while (!text.empty()) {
      if (text[0] != '&') {
        decoded += text[0];
        text.remove_prefix(1);
        continue;
      }
      auto entity = std::ranges::find_if(
          kEntities, [text](const auto& candidate) { return text.starts_with(candidate.first); });
      Expect(entity != std::end(kEntities), "an entity that nobody writes here");
      if (entity == std::end(kEntities)) return decoded;
      decoded += entity->second;
      text.remove_prefix(entity->first.size());
    }
    return decoded;
  }

  void ReadTag() {
    if (Take("</")) {
      std::string name(TakeWhile(IsNameChar));
      Expect(!open_.empty() && open_.back() == name, "an end tag that closes something else");
      if (!open_.empty()) open_.pop_back();
      if (name == "form") form_ = -1;
      Expect(Take(">"), "an end tag with something in it");
      return;
    }
    Take("<");
    HtmlElement element;
    element.name = TakeWhile(IsNameChar);
    Expect(!element.name.empty(), "a bare <");
    while (TakeWhile([](char c) { return c == ' ' || c == '\n'; }).size() > 0) {
      if (rest_.starts_with('>') || rest_.starts_with('/')) break;
      if (!ReadAttribute(element)) return;
    }
    bool empty = Take("/") || std::ranges::find(kVoid, element.name) != std::end(kVoid);
    Expect(Take(">"), "a start tag that does not end");
    Open(std::move(element), empty);
  }

  bool ReadAttribute(HtmlElement& element) {
    std::string name(TakeWhile(IsNameChar));
    std::string value;
    bool good = !name.empty();
    if (good && Take("=")) {
      good = Take("\"");
      value = TakeWhile([](char c) { return c != '"'; });
      good = good && Take("\"") && !value.contains('<');
      Decoded(value);
    }
    good = element.attributes.emplace(name, value).second && good;
    Expect(good, "an attribute without quotes, or twice");
    if (!good) rest_ = {};
    return good;
  }

  void Open(HtmlElement element, bool empty) {
    if (element.name == "form") {
      Expect(form_ == -1, "a form in a form");
      form_ = forms_++;
    }
    element.form = form_;
    if (!empty) open_.push_back(element.name);
    page_.elements.push_back(std::move(element));
  }

  std::string_view rest_;
  std::vector<std::string> open_;
  int forms_ = 0;
  int form_ = -1;
  HtmlPage page_;
};

std::vector<std::string> Split(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

void CheckOutline(const HtmlPage& page, std::vector<std::string>& problems) {
  for (std::string_view once :
       {"html", "head", "title", "body", "h1", "main", "header", "footer"}) {
    if (page.All(once).size() != 1) problems.push_back(fmt::format("not one <{}>", once));
  }
  if (page.All("nav").empty()) problems.push_back("no <nav>");
  for (const HtmlElement& nav : page.All("nav")) {
    if (nav.Value("aria-label").empty()) problems.push_back("a <nav> without a name");
  }
  for (std::string_view never : {"style", "iframe", "base", "object"}) {
    if (!page.All(never).empty()) problems.push_back(fmt::format("a <{}>", never));
  }
  for (const HtmlElement& script : page.All("script")) {
    bool ours = script.Value("src").starts_with("/-/assets/") && script.Has("defer");
    if (!ours) problems.push_back("a <script> that is not koya.js");
  }
  if (page.title.empty()) problems.push_back("no title");
  auto html = page.All("html");
  if (html.empty() || html[0].Value("lang").empty() || html[0].Value("data-theme").empty()) {
    problems.push_back("<html> without lang or data-theme");
  }
}

void CheckInline(const HtmlElement& element, std::vector<std::string>& problems) {
  for (const auto& [name, value] : element.attributes) {
    if (name == "style" || name.starts_with("on")) {
      problems.push_back(fmt::format("<{}> has {}", element.name, name));
    }
    bool address = name == "href" || name == "action" || name == "src";
    // The page does not request addresses that it only announces to other sites.
    const std::string rel = element.Value("rel");
    if (element.name == "link" && (rel == "canonical" || rel == "alternate")) continue;
    // A link marked as external leads to another site when the reader follows it.
    const bool is_web = value.starts_with("https://") || value.starts_with("http://");
    if (element.name == "a" && rel.starts_with("external") && is_web) continue;
    const bool is_relative =
        value.starts_with('?') || value.starts_with("./") || value.starts_with("../");
    if (address && !value.starts_with('#') && !is_relative &&
        (!value.starts_with('/') || value.starts_with("//"))) {
      problems.push_back(fmt::format("{}=\"{}\" leads elsewhere", name, value));
    }
  }
}

void CheckForms(const HtmlPage& page, std::vector<std::string>& problems) {
  std::set<int> guarded;
  for (const HtmlElement& input : page.All("input")) {
    if (input.Value("name") == "csrf" && !input.Value("value").empty()) guarded.insert(input.form);
  }
  for (const HtmlElement& form : page.All("form")) {
    bool harmless = form.Value("action") == "/-/prefs";
    if (form.Value("method") == "post" && !harmless && !guarded.contains(form.form)) {
      problems.push_back(fmt::format("no csrf in the form {}", form.Value("action")));
    }
  }
  std::set<std::string> labelled;
  for (const HtmlElement& label : page.All("label")) labelled.insert(label.Value("for"));
  for (const HtmlElement& input : page.All("input")) {
    if (input.Value("type") != "hidden" && !labelled.contains(input.Value("id"))) {
      problems.push_back(fmt::format("no label for {}", input.Value("name")));
    }
  }
}

void CheckIds(const HtmlPage& page, std::vector<std::string>& problems) {
  std::set<std::string> ids;
  for (const HtmlElement& element : page.elements) {
    if (element.Has("id") && !ids.insert(element.Value("id")).second) {
      problems.push_back("twice: id " + element.Value("id"));
    }
  }
  for (const HtmlElement& element : page.elements) {
    std::vector<std::string> wanted = Split(element.Value("aria-describedby"));
    for (std::string& id : Split(element.Value("aria-labelledby"))) wanted.push_back(std::move(id));
    if (element.Value("href").starts_with('#')) wanted.push_back(element.Value("href").substr(1));
    if (element.name == "label") wanted.push_back(element.Value("for"));
    for (const std::string& id : wanted) {
      if (!ids.contains(id)) problems.push_back("nowhere: id " + id);
    }
  }
}

}  // namespace

std::vector<HtmlElement> HtmlPage::All(std::string_view name) const {
  std::vector<HtmlElement> found;
  std::ranges::copy_if(elements, std::back_inserter(found),
                       [name](const HtmlElement& element) { return element.name == name; });
  return found;
}

HtmlPage ReadHtml(std::string_view html) { return HtmlReader(html).Read(); }

std::vector<std::string> PageProblems(const HtmlPage& page) {
  std::vector<std::string> problems = page.problems;
  CheckOutline(page, problems);
  for (const HtmlElement& element : page.elements) CheckInline(element, problems);
  CheckForms(page, problems);
  CheckIds(page, problems);
  return problems;
}

}  // namespace koya::web
