#include <fmt/format.h>

#include <string>
#include <string_view>

#include "domain/provider_address.h"
#include "web/providers/provider_pages.h"

namespace koya::web {
namespace {

// Into one line of a table, or of a paragraph: what means something to Markdown means itself.
std::string Inline(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\n' || c == '\r' || c == '\t') {
      out += ' ';
      continue;
    }
    if (std::string_view("\\`*_[]<>|#").contains(c)) out += '\\';
    out += c;
  }
  return out;
}

std::string DateOnly(UnixSeconds time) {
  constexpr std::size_t kDate = 10;
  return time == 0 ? "–" : FormatRfc3339(time).substr(0, kDate);
}

std::string_view Mark(PlatformState state) {
  switch (state) {
    case PlatformState::kHere:
      return "yes";
    case PlatformState::kElsewhere:
      return "at its registry";
    case PlatformState::kNotBuilt:
      break;
  }
  return "–";
}

void AppendMatrix(const ProviderPage& page, std::string& out) {
  out += "\n## Versions and platforms\n\n| version | published |";
  std::string rule = "| --- | --- |";
  for (const std::string& platform : page.platforms) {
    out += fmt::format(" {} |", Inline(platform));
    rule += " --- |";
  }
  out += "\n" + rule + "\n";
  for (const MatrixRow& row : page.rows) {
    out +=
        fmt::format("| {} | {} |", Inline(row.release.version), DateOnly(row.release.published_at));
    for (PlatformState state : row.states) out += fmt::format(" {} |", Mark(state));
    out += "\n";
  }
}

void AppendFiles(const ProviderPage& page, std::string& out) {
  out +=
      "\n## Files of this version\n\n| platform | bytes | h1 | sha256 |\n"
      "| --- | --- | --- | --- |\n";
  for (const ShownPackage& package : page.packages) {
    out += fmt::format("| {} | {} | {} | {} |\n", Inline(package.platform), package.size,
                       package.h1.empty() ? "–" : Inline(package.h1.front()), package.sha256);
  }
}

}  // namespace

std::string ProviderMarkdown(const ProviderPage& page, std::string_view site_url) {
  const ProviderHead& head = page.head;
  std::string out = fmt::format("# {}/{} {}\n\n", Inline(head.name.ns), Inline(head.name.type),
                                Inline(head.version));
  if (!head.description.empty()) out += Inline(head.description) + "\n\n";
  if (!head.deprecation.empty()) {
    out += fmt::format("**Deprecated:** {}\n\n", Inline(head.deprecation));
  }
  out += fmt::format("Newest version: {}. Versions: {}.\n", Inline(head.latest), head.versions);
  out += fmt::format(
      "\n```hcl\nterraform {{\n  required_providers {{\n    {} = {{\n      source  = \"{}\"\n"
      "      version = \"{}\"\n    }}\n  }}\n}}\n```\n",
      ProviderLocalName(head.name.type), page.source, page.constraint);
  AppendMatrix(page, out);
  out += "\n## Lock file entry\n\n```hcl\n" + LockEntry(page) + "\n```\n";
  AppendFiles(page, out);
  if (head.docs) {
    out += fmt::format("\nDocumentation: {}{}/docs\n", site_url,
                       ProviderVersionPath(head.name, head.version));
  }
  return out;
}

}  // namespace koya::web
