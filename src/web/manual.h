// The texts of docs/ that are part of the program, as pages show them. They are in English, and
// written once: what the source has for readers of the source is what a registry shows.
// Pure and thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "markup/markdown.h"

namespace koya::web {

struct ManualText {
  std::string_view name;   // "access", in addresses too
  std::string_view title;  // of its first heading: "Who may do what"
  std::string_view body;   // Markdown, without that heading
};

// All of them, by name.
const std::vector<ManualText>& ManualTexts();
// nullptr: there is none of that name.
const ManualText* FindManualText(std::string_view name);

// What stands below the heading "## NAME" of a text, without the heading; nullopt: there is none.
std::optional<std::string_view> ManualSection(const ManualText& text, std::string_view heading);
// What stands before the first "## ".
std::string_view ManualPreface(const ManualText& text);

// Markdown of ours as it stands in a page. Links to other texts lead to their pages; those to what
// is in the source alone are text.
markup::Rendered RenderManual(std::string_view markdown);

// "/-/docs/access".
std::string ManualPath(std::string_view name);

}  // namespace koya::web
