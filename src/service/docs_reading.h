// Reading a zip of docs: which pages it has, what is to be found by a search, what is odd. Blocks;
// input is hostile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/provider_docs_record.h"
#include "service/search_entries.h"

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
  std::vector<ReadWarning> warnings;       // what could not be read
  std::vector<std::string>
      problems;  // what must be refused: unsafe names, and more than the limits
};

// Memory: the largest page and, for each page, what a search finds it by: 16 MiB in all.
// Fails: kInternal: the file cannot be read.
Result<DocsFindings> ReadDocs(const DocsSource& source,
                              const inspect::provider::DocsLimits& limits);

// The problems alone, without reading a page.
Result<std::vector<std::string>> FindDocsProblems(const DocsSource& source,
                                                  const inspect::provider::DocsLimits& limits);

// What a search finds a page by. `pages`: how many the release has, which share 16 MiB.
// Milliseconds.
SearchablePage PageForSearch(const inspect::provider::ProviderDoc& doc, std::size_t pages);

// An error that names its limit as a sentence that does, too.
std::string ProblemOf(const Error& error);

}  // namespace koya::service
