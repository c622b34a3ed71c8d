// The page of a version as Markdown.
#include <fmt/format.h>

#include <algorithm>

#include "inspect/module_block.h"
#include "markup/markdown.h"
#include "markup/plain_text.h"
#include "web/modules/module_pages.h"
#include "web/modules/module_parts.h"

namespace koya::web {
namespace {

constexpr std::size_t kMostReadmeText = 256U << 10;
constexpr std::size_t kMostListed = 1000;
constexpr std::size_t kMostBlocks = 50;

// In one line, without what would end a cell or begin a tag.
std::string Cell(std::string_view text) {
  std::string cell;
  for (char c : markup::OneLine(text, 400)) {
    if (c == '|' || c == '<' || c == '\\') cell += '\\';
    cell += c;
  }
  return cell.empty() ? " " : cell;
}

std::string InCode(std::string_view text) {
  std::string code = markup::OneLine(text, 200);
  std::ranges::replace(code, '`', '\'');
  std::string escaped;
  for (char c : code) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped.empty() ? " " : fmt::format("`{}`", escaped);
}

// Its beginning, cut behind a whole line.
std::string WholeLines(std::string_view text) {
  if (text.size() <= kMostReadmeText) return std::string(text);
  return std::string(text.substr(0, text.rfind('\n', kMostReadmeText)));
}

// A fence of backquotes longer than any in `text`: text between two of them is verbatim.
std::string FenceFor(std::string_view text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`') + "\n";
}

void AddInputTable(const inspect::ModulePart& root, std::string& out) {
  const std::vector<const inspect::Input*> inputs = Shown(root.inputs);
  if (inputs.empty()) return;
  out += "\n## Inputs\n\n| Name | Type | Default | Description |\n| --- | --- | --- | --- |\n";
  for (std::size_t i = 0; i < std::min(inputs.size(), kMostListed); ++i) {
    const inspect::Input& each = *inputs[i];
    const std::string note = each.deprecated.empty() ? "" : " Deprecated: " + each.deprecated;
    out += fmt::format("| {} | {} | {} | {} |\n", InCode(each.name), InCode(each.type),
                       each.required ? "required" : InCode(each.default_text),
                       Cell(each.description + note));
  }
}

void AddOutputTable(const inspect::ModulePart& root, std::string& out) {
  const std::vector<const inspect::Output*> outputs = Shown(root.outputs);
  if (outputs.empty()) return;
  out += "\n## Outputs\n\n| Name | Description |\n| --- | --- |\n";
  for (std::size_t i = 0; i < std::min(outputs.size(), kMostListed); ++i) {
    out += fmt::format("| {} | {} |\n", InCode(outputs[i]->name), Cell(outputs[i]->description));
  }
}

void AddNeedTable(const inspect::ModulePart& root, std::string& out) {
  if (root.required_version.empty() && root.required_opentofu.empty() &&
      root.requirements.empty()) {
    return;
  }
  out += "\n## Requirements\n\n| Name | Version |\n| --- | --- |\n";
  if (!root.required_version.empty()) {
    out += fmt::format("| OpenTofu, Terraform | {} |\n", InCode(root.required_version));
  }
  if (!root.required_opentofu.empty()) {
    out += fmt::format("| OpenTofu | {} |\n", InCode(root.required_opentofu));
  }
  for (const inspect::Requirement& each : root.requirements) {
    out += fmt::format("| {} | {} |\n", InCode(each.source.empty() ? each.name : each.source),
                       InCode(each.constraint));
  }
}

}  // namespace

std::string ModuleMarkdown(const ModulePage& page) {
  const ModuleVersionRecord& record = *page.record;
  std::string out =
      fmt::format("# {} {}\n\n", record.address.ToString(), record.version.ToString());
  if (!record.description.empty()) out += Cell(record.description) + "\n\n";
  if (!record.deprecation.empty()) out += "Deprecated: " + Cell(record.deprecation) + "\n\n";
  out += fmt::format("Published {} by {}. Newest version: {}. SHA-256 of the archive: {}\n\n",
                     FormatRfc3339(record.published_at), Cell(record.published_by),
                     page.newest().version.ToString(), record.digest.hex());
  const inspect::ModulePart* root = page.contents == nullptr ? nullptr : &page.contents->root;
  const auto add_block = [&page, &out](const inspect::ModulePart* part) {
    out += fmt::format("```hcl\n{}```\n", inspect::WriteModuleBlock(ModuleBlockOf(page, part)));
  };
  out += "## Usage\n\n";
  if (!UsesSubmodules(page)) {
    add_block(root);
  } else {
    out += "This version has no configuration of its own. Use its submodules.\n";
    for (std::size_t i = 0; i < std::min(page.contents->submodules.size(), kMostBlocks); ++i) {
      out += "\n";
      add_block(&page.contents->submodules[i]);
    }
  }
  if (root == nullptr) return out;
  AddInputTable(*root, out);
  AddOutputTable(*root, out);
  AddNeedTable(*root, out);
  if (!root->readme.text.empty()) {
    const std::string text = WholeLines(root->readme.text);
    const std::string fence = markup::IsMarkdownFile(root->readme.file) ? "" : FenceFor(text);
    out += "\n## README\n\n" + fence + text + "\n" + fence;
  }
  return out;
}

}  // namespace koya::web
