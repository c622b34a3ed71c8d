#include "inspect/provider/provider_doc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "markup/characters.h"
#include "markup/front_matter.h"
#include "markup/plain_text.h"

namespace koya::inspect::provider {
namespace {

constexpr std::size_t kLongestTitle = 300;
constexpr std::size_t kFirstLines = 40;
constexpr std::array<std::string_view, 3> kNotes = {"~> ", "!> ", "-> "};
// In small letters. A note about an argument that is deprecated is none about the page.
constexpr std::array<std::string_view, 6> kOfThePage = {
    "**deprecated",           "deprecated:**",
    "resource is deprecated", "data source is deprecated",
    "function is deprecated", "resource has been deprecated"};

struct FirstLines {
  std::string heading;
  bool deprecated = false;
};

FirstLines ReadFirstLines(std::string_view body) {
  FirstLines out;
  for (std::size_t i = 0; i < kFirstLines && !body.empty(); ++i) {
    std::size_t end = std::min(body.find('\n'), body.size());
    std::string_view line = body.substr(0, std::min(end, std::size_t{2000}));
    body.remove_prefix(std::min(end + 1, body.size()));
    if (out.heading.empty() && line.starts_with("# ")) {
      out.heading = markup::OneLine(markup::FitToShow(line.substr(2)), kLongestTitle);
    }
    bool note = std::ranges::any_of(
        kNotes, [line](std::string_view mark) { return line.starts_with(mark); });
    if (!note) continue;
    std::string low = AsciiLower(line);
    out.deprecated |= std::ranges::any_of(
        kOfThePage, [&low](std::string_view words) { return low.contains(words); });
  }
  return out;
}

bool SaysDeprecated(std::string_view text) {
  std::string low = AsciiLower(text);
  return low.starts_with("deprecated") || low.contains("(deprecated") ||
         low.contains("[deprecated");
}

}  // namespace

ProviderDoc ReadProviderDoc(const DocAddress& address, std::string_view path, std::string_view text,
                            std::uint64_t most, DocWarnings& warnings) {
  text = CutUtf8(text, most);
  if (!IsUtf8(text)) warnings.Add({std::string(path), 0, "the text is no UTF-8 everywhere"});
  markup::FrontMatter matter = markup::ReadFrontMatter(text);
  for (markup::FrontMatter::Unread& each : matter.unread) {
    warnings.Add({std::string(path), each.line, std::move(each.why)});
  }
  FirstLines first = ReadFirstLines(matter.body);
  ProviderDoc out;
  out.address = address;
  out.body = matter.body;
  out.deprecated = first.deprecated || SaysDeprecated(matter.page_title) ||
                   SaysDeprecated(matter.subcategory) || SaysDeprecated(matter.description) ||
                   SaysDeprecated(first.heading);
  out.title = std::move(matter.page_title);
  if (out.title.empty()) out.title = std::move(first.heading);
  if (out.title.empty()) out.title = address.name;
  out.subcategory = std::move(matter.subcategory);
  out.description = std::move(matter.description);
  return out;
}

Result<DocsPlan> ReadProviderDocs(std::span<const DocFile> files, const DocsLimits& limits,
                                  const DocsReading& reading) {
  ASSIGN_OR_RETURN(DocsPlan plan, PlanDocs(files, limits));
  for (const DocsPlan::Page& page : plan.pages) {
    const DocFile& file = files[page.file];
    Result<std::string> text = reading.read(file);
    if (!text) {
      plan.warnings.Add({file.path, 0, "this file cannot be read: " + text.error().message});
      continue;
    }
    ProviderDoc doc =
        ReadProviderDoc(page.address, file.path, *text, limits.file_bytes, plan.warnings);
    RETURN_IF_ERROR(reading.take(doc));
  }
  return plan;
}

namespace {

constexpr std::size_t kMostWarnings = 100;
constexpr std::array<std::string_view, 3> kRoots = {"website/docs/", "docs/", ""};

Status CheckLimits(std::span<const DocFile> files, const DocsLimits& limits) {
  if (files.size() > limits.files) {
    return FailLimit(ErrorKind::kTooLarge, "limits.docs_files",
                     fmt::format("the docs are {} files, and limits.docs_files allows {}",
                                 files.size(), limits.files));
  }
  std::uint64_t left = limits.bytes;
  for (const DocFile& file : files) {
    if (file.bytes > left) {
      return FailLimit(
          ErrorKind::kTooLarge, "limits.docs_bytes",
          fmt::format("the docs are more than the {} bytes of limits.docs_bytes", limits.bytes));
    }
    left -= file.bytes;
  }
  return {};
}

std::optional<DocAddress> PageBelow(std::string_view root, std::string_view path) {
  if (!path.starts_with(root)) return std::nullopt;
  return ParseDocPath(path.substr(root.size()));
}

std::string_view FindRoot(std::span<const DocFile> files) {
  for (std::string_view root : kRoots) {
    bool found = std::ranges::any_of(
        files, [root](const DocFile& file) { return PageBelow(root, file.path).has_value(); });
    if (found) return root;
  }
  return kRoots.back();
}

bool IsMarkdown(std::string_view path) {
  return path.ends_with(".md") || path.ends_with(".markdown");
}

// A file of the folder of docs that looks as if it were meant to be a page.
bool IsStray(std::string_view root, std::string_view path) {
  return !root.empty() && path.starts_with(root) && IsMarkdown(path);
}

// Leaves the first page of each address.
void RemoveTwins(std::span<const DocFile> files, DocsPlan& plan) {
  auto is_twin = [&](const DocsPlan::Page& first, const DocsPlan::Page& second) {
    if (first.address != second.address) return false;
    plan.warnings.Add(
        {files[second.file].path, 0,
         "this page is left out, as it is the same as " + Printable(files[first.file].path)});
    return true;
  };
  auto twins = std::ranges::unique(plan.pages, is_twin);
  plan.pages.erase(twins.begin(), twins.end());
}

}  // namespace

void DocWarnings::Add(DocWarning warning) {
  if (kept_.size() >= kMostWarnings) {
    ++left_out_;
    return;
  }
  warning.path = Printable(warning.path);
  kept_.push_back(std::move(warning));
}

Result<DocsPlan> PlanDocs(std::span<const DocFile> files, const DocsLimits& limits) {
  RETURN_IF_ERROR(CheckLimits(files, limits));
  DocsPlan plan;
  plan.root = FindRoot(files);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const DocFile& file = files[i];
    std::optional<DocAddress> address = PageBelow(plan.root, file.path);
    if (address && file.bytes > limits.file_bytes) {
      plan.warnings.Add(
          {file.path, 0,
           fmt::format("this page is left out: it has {} bytes, and a page may have {}", file.bytes,
                       limits.file_bytes)});
    } else if (address) {
      plan.pages.push_back({*std::move(address), i});
    } else if (IsStray(plan.root, file.path)) {
      plan.warnings.Add({file.path, 0, "this is not a docs page: its folder or name is unknown"});
    }
  }
  std::ranges::sort(plan.pages, [&](const DocsPlan::Page& a, const DocsPlan::Page& b) {
    return std::tie(a.address, files[a.file].path) < std::tie(b.address, files[b.file].path);
  });
  RemoveTwins(files, plan);
  return plan;
}

}  // namespace koya::inspect::provider
