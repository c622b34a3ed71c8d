#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "base/text.h"
#include "upstream/modules/module_location.h"

namespace koya::upstream {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f";

std::string Unescaped(std::string_view text) {
  struct Entity {
    std::string_view name;
    char character;
  };
  constexpr Entity kEntities[] = {{"&amp;", '&'}, {"&quot;", '"'}, {"&#34;", '"'}, {"&#39;", '\''},
                                  {"&lt;", '<'},  {"&gt;", '>'},   {"&#38;", '&'}};
  std::string out;
  while (!text.empty()) {
    const auto* entity = std::ranges::find_if(
        kEntities, [&](const Entity& each) { return text.starts_with(each.name); });
    bool known = entity != std::end(kEntities);
    out += known ? entity->character : text.front();
    text.remove_prefix(known ? entity->name.size() : 1);
  }
  return out;
}

void SkipBlanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
}

std::string_view TakeUntil(std::string_view& text, std::string_view ends) {
  std::size_t end = std::min(text.find_first_of(ends), text.size());
  std::string_view taken = text.substr(0, end);
  text.remove_prefix(end);
  return taken;
}

std::string_view TakeValue(std::string_view& text) {
  bool quoted = text.starts_with('"') || text.starts_with('\'');
  if (!quoted) return TakeUntil(text, " \t\r\n\f>");
  std::string_view quote = text.substr(0, 1);
  text.remove_prefix(1);
  std::string_view value = TakeUntil(text, quote);
  if (!text.empty()) text.remove_prefix(1);
  return value;
}

// The attributes of the tag whose name stood before `text`, which is left behind the tag.
std::map<std::string, std::string> TakeAttributes(std::string_view& text) {
  std::map<std::string, std::string> attributes;
  while (true) {
    SkipBlanks(text);
    if (text.starts_with('/')) {
      text.remove_prefix(1);
      continue;
    }
    if (text.empty() || text.front() == '>') return attributes;
    std::string name = AsciiLower(TakeUntil(text, " \t\r\n\f=>/"));
    SkipBlanks(text);
    std::string_view value;
    if (text.starts_with('=')) {
      text.remove_prefix(1);
      SkipBlanks(text);
      value = TakeValue(text);
    }
    attributes.emplace(std::move(name), Unescaped(value));
  }
}

bool Begins(std::string_view text, std::string_view lower) {
  return EqualsIgnoreCase(text.substr(0, lower.size()), lower);
}

// Behind `end` (in lower case), or at the end.
void SkipBehind(std::string_view& text, std::string_view end) {
  while (!text.empty() && !Begins(text, end)) text.remove_prefix(1);
}

}  // namespace

std::string FindTerraformGet(std::string_view html) {
  while (true) {
    TakeUntil(html, "<");
    if (html.empty() || Begins(html, "<body") || Begins(html, "</head")) return {};
    if (Begins(html, "<!--")) {
      SkipBehind(html, "-->");
    } else if (Begins(html, "<script")) {
      SkipBehind(html, "</script");
      html.remove_prefix(std::min<std::size_t>(html.size(), 1));
    } else if (Begins(html, "<meta") && html.size() > 5 &&
               (kBlanks.find(html[5]) != std::string_view::npos || html[5] == '/')) {
      html.remove_prefix(5);
      auto attributes = TakeAttributes(html);
      if (attributes["name"] == "terraform-get") return attributes["content"];
    } else {
      html.remove_prefix(1);
    }
  }
}

}  // namespace koya::upstream
