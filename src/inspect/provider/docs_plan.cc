#include "inspect/provider/docs_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace koya::inspect::provider {
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
