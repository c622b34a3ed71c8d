// The texts of docs/ that are embedded in the program, as pages show them. They are in English and
// have a single source: a registry shows the same files that developers read. Pure and thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "markup/markdown.h"

namespace koya::web {

struct ManualText {
  std::string_view name;   // "access", in paths too
  std::string_view title;  // of its first heading: "Who may do what"
  std::string_view body;   // Markdown, without that heading
};

// All texts, by name.
const std::vector<ManualText>& ManualTexts();
// nullptr: no text has that name.
const ManualText* FindManualText(std::string_view name);

// The section below the heading "## NAME" of a text, without the heading; nullopt: there is none.
std::optional<std::string_view> ManualSection(const ManualText& text, std::string_view heading);
// The text before the first "## ".
std::string_view ManualPreface(const ManualText& text);

// Renders our own Markdown. Links to other texts lead to their pages; links to files that only the
// source has become plain text.
markup::Rendered RenderManual(std::string_view markdown);

// "/-/docs/access".
std::string ManualPath(std::string_view name);

}  // namespace koya::web
