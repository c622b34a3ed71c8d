#include "markup/fragment.h"

#include "markup/entities.h"
#include "markup/highlight.h"
#include "markup/markdown.h"

namespace koya::markup {

Fragment Fragment::Of(Rendered rendered) { return Fragment(std::move(rendered.html)); }

Fragment Fragment::Code(std::string_view code) { return Marked(code, {}); }

Fragment Fragment::Hcl(std::string_view code) { return Fragment(HighlightHcl(code), true); }

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
