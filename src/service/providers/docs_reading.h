// Reads a zip of docs: its pages, their searchable text, and its problems. Blocks; input is
// hostile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/provider_docs_record.h"
#include "service/search/search_entries.h"

namespace koya::inspect::provider {
struct DocsLimits;
struct ProviderDoc;
}  // namespace koya::inspect::provider

namespace koya::service {

// A file of a draft, as a descriptor.
struct DocsSource {
  std::string_view name;  // for warnings
  int descriptor = -1;
  std::uint64_t size = 0;
};

struct DocsFindings {
  std::vector<DocRecord> pages;
  std::vector<SearchablePage> searchable;  // those in no cdktf language
  std::vector<ReadWarning> warnings;       // parts that could not be read
  std::vector<std::string>
      problems;  // reasons for rejection: unsafe names, and more than the limits
};

// Memory: the largest page and the searchable texts of all pages: 16 MiB in all. Fails: kInternal:
// the file cannot be read.
Result<DocsFindings> ReadDocs(const DocsSource& source,
                              const inspect::provider::DocsLimits& limits);

// Returns only the problems, without reading a page.
Result<std::vector<std::string>> FindDocsProblems(const DocsSource& source,
                                                  const inspect::provider::DocsLimits& limits);

// Searchable text of a page. `pages`: number of pages in the release, which share 16 MiB. Takes
// milliseconds.
SearchablePage PageForSearch(const inspect::provider::ProviderDoc& doc, std::size_t pages);

// The error as a sentence that also names the limit, if the error has one.
std::string ProblemOf(const Error& error);

}  // namespace koya::service
