#include "service/providers/docs_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "archive/docs_package.h"
#include "base/text.h"
#include "inspect/provider/provider_doc.h"
#include "markup/markdown.h"

namespace koya::service {
namespace {

namespace provider = inspect::provider;

constexpr std::uint64_t kFoundBytes = 16U << 20;  // of the texts of all pages
constexpr std::uint64_t kMostOfPage = 8U << 10;   // of the text of one
constexpr std::size_t kReadOfPage = 32U << 10;    // Markdown, to find that much text in

// More than deflate can do: pages are unpacked one at a time, none of more than 1 MiB, so that the
// limit of bytes is enough.
constexpr std::uint64_t kDocsRatio = 2000;

ArchiveLimits PackageLimits(const provider::DocsLimits& limits) {
  // Folders are entries, too; files are counted when they are known.
  return {.unpacked_bytes = limits.bytes,
          .ratio = kDocsRatio,
          .entries = 2 * std::uint64_t{limits.files},
          .entries_name = "limits.docs_files",
          .unpacked_name = "limits.docs_bytes"};
}

// The zip, or why there is none.
struct OpenedDocs {
  std::unique_ptr<DocsPackage> package;
  std::vector<provider::DocFile> files;
  std::vector<std::string> problems;
  std::string unreadable;
};

Result<OpenedDocs> OpenDocs(const DocsSource& source, const provider::DocsLimits& limits) {
  OpenedDocs opened;
  auto package = DocsPackage::Open(source.descriptor, source.size, PackageLimits(limits));
  if (!package && package.error().kind != ErrorKind::kRefused) {
    return Failure(std::move(package).error());
  }
  if (!package) {
    const Error& error = package.error();
    if (!error.limit.empty()) opened.problems.push_back(ProblemOf(error));
    if (error.limit.empty()) opened.unreadable = error.message;
    return opened;
  }
  opened.package = *std::move(package);
  opened.problems = opened.package->unsafe();
  for (const DocsPackage::File& file : opened.package->files()) {
    opened.files.push_back({.path = file.path, .bytes = file.size});
  }
  return opened;
}

// Takes pages one by one.
class PageTaker {
 public:
  PageTaker(DocsPackage& package, std::size_t pages, DocsFindings& findings)
      : package_(package), pages_(pages), findings_(findings) {}

  Status Take(const provider::DocsPlan::Page& page, const std::string& path,
              const provider::DocsLimits& limits, provider::DocWarnings& warnings) {
    if (package_.files()[page.file].link) {
      warnings.Add({path, 0, "this is a link, which is ignored: pack a copy of its target"});
      return {};
    }
    Result<DocsPackage::Content> content = package_.Read(page.file);
    if (!content && content.error().kind != ErrorKind::kRefused) {
      return Failure(std::move(content).error());
    }
    if (!content) {
      warnings.Add({path, 0, "this page cannot be read: " + content.error().message});
      return {};
    }
    Keep(provider::ReadProviderDoc(page.address, path, content->text, limits.file_bytes, warnings),
         content->part);
    return {};
  }

 private:
  void Keep(provider::ProviderDoc doc, const PackedPart& part) {
    const bool overview = doc.address.kind == provider::DocKind::kOverview;
    if (doc.address.language.empty()) findings_.searchable.push_back(PageForSearch(doc, pages_));
    findings_.pages.push_back(
        {.name = {doc.address.language,
                  overview ? "overview" : std::string(provider::DocKindFolder(doc.address.kind)),
                  doc.address.name},
         .title = std::move(doc.title),
         .subcategory = std::move(doc.subcategory),
         .description = std::move(doc.description),
         .deprecated = doc.deprecated,
         .part = part});
  }

  DocsPackage& package_;
  std::size_t pages_;
  DocsFindings& findings_;
};

void AddWarnings(const DocsSource& source, const provider::DocWarnings& warnings,
                 DocsFindings& findings) {
  for (const provider::DocWarning& each : warnings.kept()) {
    findings.warnings.push_back({each.path, each.line, each.why});
  }
  if (warnings.left_out() == 0) return;
  findings.warnings.push_back({std::string(source.name), 0,
                               fmt::format("{} more warnings are omitted", warnings.left_out())});
}

}  // namespace

SearchablePage PageForSearch(const provider::ProviderDoc& doc, std::size_t pages) {
  const bool overview = doc.address.kind == provider::DocKind::kOverview;
  markup::MarkdownOptions options;
  options.most_input = kReadOfPage;
  options.most_text = std::min(kMostOfPage, kFoundBytes / std::max<std::size_t>(pages, 1));
  const std::string_view body = CutUtf8(doc.body, kReadOfPage);
  std::string text = markup::RenderMarkdown(body, options).text;
  if (!doc.description.empty()) text.insert(0, doc.description + "\n");
  return {.kind = overview ? "overview" : std::string(provider::DocKindFolder(doc.address.kind)),
          .name = doc.address.name,
          .title = doc.title,
          .text = std::move(text)};
}

std::string ProblemOf(const Error& error) {
  if (error.limit.empty() || error.message.contains(error.limit.text())) return error.message;
  return fmt::format("{} ({})", error.message, error.limit.text());
}

Result<std::vector<std::string>> FindDocsProblems(const DocsSource& source,
                                                  const provider::DocsLimits& limits) {
  ASSIGN_OR_RETURN(OpenedDocs opened, OpenDocs(source, limits));
  auto plan = provider::PlanDocs(opened.files, limits);
  if (!plan) opened.problems.push_back(ProblemOf(plan.error()));
  return std::move(opened.problems);
}

Result<DocsFindings> ReadDocs(const DocsSource& source, const provider::DocsLimits& limits) {
  ASSIGN_OR_RETURN(OpenedDocs opened, OpenDocs(source, limits));
  DocsFindings findings;
  findings.problems = std::move(opened.problems);
  if (!opened.unreadable.empty()) {
    findings.warnings.push_back(
        {std::string(source.name), 0, "the docs cannot be read: " + std::move(opened.unreadable)});
  }
  if (!opened.package) return findings;
  auto plan = provider::PlanDocs(opened.files, limits);
  if (!plan) {
    findings.problems.push_back(ProblemOf(plan.error()));
    return findings;
  }
  if (plan->pages.empty()) {
    findings.warnings.push_back({std::string(source.name), 0,
                                 "it contains no page of docs: pages are docs/index.md, "
                                 "docs/resources/NAME.md and the like"});
  }
  PageTaker taker(*opened.package, plan->pages.size(), findings);
  for (const provider::DocsPlan::Page& page : plan->pages) {
    RETURN_IF_ERROR(taker.Take(page, opened.files[page.file].path, limits, plan->warnings));
  }
  AddWarnings(source, plan->warnings, findings);
  return findings;
}

}  // namespace koya::service
