#include "web/common/badge.h"

#include <fmt/format.h>

#include "markup/entities.h"
#include "web/common/html_text.h"

namespace koya::web {
namespace {

constexpr std::size_t kMostBadgeText = 64;
constexpr std::size_t kHeight = 20;
constexpr std::size_t kMargin = 6;

std::string BadgeXml(std::string_view text) {
  std::string escaped;
  markup::AppendEscaped(TitleText(text), escaped);
  return escaped;
}

// A letter of 11 px takes about seven, wherever it is read; textLength makes it exact.
std::size_t WidthOf(std::string_view text) { return text.size() * 7; }

}  // namespace

std::string BadgeText(std::string_view label, std::string_view value) {
  label = label.substr(0, kMostBadgeText);
  value = value.substr(0, kMostBadgeText);
  const std::size_t left = WidthOf(label) + 2 * kMargin;
  const std::size_t right = WidthOf(value) + 2 * kMargin;
  const std::string shown_label = BadgeXml(label);
  const std::string shown_value = BadgeXml(value);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "aria-label=\"{2}: {3}\"><title>{2}: {3}</title>"
      "<rect width=\"{0}\" height=\"{1}\" rx=\"3\" fill=\"#5d584b\"/>"
      "<path d=\"M{4} 0h{5}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{5}z\" fill=\"#175878\"/>"
      "<g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">"
      "<text x=\"{6}\" y=\"14\" textLength=\"{7}\">{2}</text>"
      "<text x=\"{8}\" y=\"14\" textLength=\"{9}\">{3}</text></g></svg>\n",
      left + right, kHeight, shown_label, shown_value, left, right - 3, kMargin, WidthOf(label),
      left + kMargin, WidthOf(value));
}

}  // namespace koya::web
