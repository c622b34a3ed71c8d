#include "markup/fragment.h"

#include <algorithm>

#include "markup/characters.h"
#include "markup/highlight.h"
#include "markup/markdown.h"

namespace koya::markup {

Fragment Fragment::Of(Rendered rendered) { return Fragment(std::move(rendered.html)); }

Fragment Fragment::Code(std::string_view code) { return Marked(code, {}); }

Fragment Fragment::Hcl(std::string_view code) { return Fragment(HighlightHcl(code), true); }

Fragment Fragment::Lines(const Fragment& code, std::size_t most) {
  std::string_view rest = code.html();
  std::string html;
  std::string open;  // the tag of a span that goes on over lines: they are never in one another
  std::size_t number = 0;
  while (!rest.empty() && number < most) {
    std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
    rest.remove_prefix(line.size());
    html += "<span id=\"L" + std::to_string(++number) + "\">" + open;
    const std::size_t begin = line.rfind("<span ");
    const std::size_t end = line.rfind("</span>");
    if (begin != line.npos && (end == line.npos || end < begin)) {
      open = line.substr(begin, line.find('>', begin) + 1 - begin);
    } else if (end != line.npos) {
      open.clear();
    }
    html += line;
    if (!open.empty()) html += "</span>";
    html += "</span>";
  }
  html += open;
  html += rest;
  if (!open.empty() && rest.find("</span>") == rest.npos) html += "</span>";
  return Fragment(std::move(html), code.is_as_written());
}

Fragment Fragment::Marked(std::string_view text, std::span<const Mark> marks) {
  std::string html;
  std::size_t at = 0;
  for (const Mark& mark : marks) {
    AppendEscaped(text.substr(at, mark.begin - at), html);
    html += "<mark>";
    AppendEscaped(text.substr(mark.begin, mark.end - mark.begin), html);
    html += "</mark>";
    at = mark.end;
  }
  AppendEscaped(text.substr(at), html);
  return Fragment(std::move(html), true);
}

}  // namespace koya::markup
