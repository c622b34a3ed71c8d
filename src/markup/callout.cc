#include "markup/callout.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "base/text.h"

namespace koya::markup {
namespace {

struct Kind {
  std::string_view html;
  std::string_view attributes;
  std::string_view title;
  std::string_view mark;
};

constexpr std::array kQuoted = std::to_array<Kind>({
    {"[!NOTE]", R"( class="callout note")", "Note", "[!NOTE]"},
    {"[!TIP]", R"( class="callout tip")", "Tip", "[!TIP]"},
    {"[!IMPORTANT]", R"( class="callout important")", "Important", "[!IMPORTANT]"},
    {"[!WARNING]", R"( class="callout warning")", "Warning", "[!WARNING]"},
    {"[!CAUTION]", R"( class="callout caution")", "Caution", "[!CAUTION]"},
});
constexpr std::array kArrows = std::to_array<Kind>({
    {"-&gt; ", R"( class="callout note")", "Note", "-> "},
    {"~&gt; ", R"( class="callout warning")", "Warning", "~> "},
    {"!&gt; ", R"( class="callout caution")", "Caution", "!> "},
});

Callout Find(std::span<const Kind> kinds, std::string_view html) {
  for (const Kind& kind : kinds) {
    if (html.starts_with(kind.html)) {
      return {kind.html.size(), kind.attributes, kind.title, kind.mark};
    }
  }
  return {};
}

// Whether the text begins with a word of its own: "**NOTE:** …", "Important: …".
bool HasTitle(std::string_view html) {
  constexpr std::array<std::string_view, 9> kWords{"note",    "notice",    "tip",
                                                   "warning", "important", "caution",
                                                   "danger",  "attention", "deprecat"};
  html.remove_prefix(std::min(html.find_first_not_of(' '), html.size()));
  for (std::string_view tag : {"<strong>", "<em>", "<b>"}) {
    if (html.starts_with(tag)) html.remove_prefix(tag.size());
  }
  const std::string begin = AsciiLower(html.substr(0, 9));
  return std::ranges::any_of(kWords,
                             [&begin](std::string_view word) { return begin.starts_with(word); });
}

}  // namespace

Callout FindQuotedCallout(std::string_view html) {
  Callout found = Find(kQuoted, html);
  std::string_view rest = html.substr(found.bytes);
  bool alone = rest.empty() || rest.starts_with('\n') || rest.starts_with("<br>");
  return alone ? found : Callout{};
}

Callout FindArrowCallout(std::string_view html) {
  Callout found = Find(kArrows, html);
  if (HasTitle(html.substr(found.bytes))) found.title = {};
  return found;
}

}  // namespace koya::markup
