#include "markup/callout.h"

#include <array>
#include <span>

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
    {"-&gt; ", R"( class="callout note")", "", "-> "},
    {"~&gt; ", R"( class="callout warning")", "", "~> "},
    {"!&gt; ", R"( class="callout caution")", "", "!> "},
});

Callout Find(std::span<const Kind> kinds, std::string_view html) {
  for (const Kind& kind : kinds) {
    if (html.starts_with(kind.html)) {
      return {kind.html.size(), kind.attributes, kind.title, kind.mark};
    }
  }
  return {};
}

}  // namespace

Callout FindQuotedCallout(std::string_view html) {
  Callout found = Find(kQuoted, html);
  std::string_view rest = html.substr(found.bytes);
  bool alone = rest.empty() || rest.starts_with('\n') || rest.starts_with("<br>");
  return alone ? found : Callout{};
}

Callout FindArrowCallout(std::string_view html) { return Find(kArrows, html); }

}  // namespace koya::markup
