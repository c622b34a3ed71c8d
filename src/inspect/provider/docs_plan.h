// Which of a provider's files are pages of its docs, before any is read. Files come from a folder
// (`koya publish provider --docs`) or from terraform-provider-TYPE_VERSION_docs.zip: both hold
// "docs/" or "website/docs/", or are such a folder themselves. Pure: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "inspect/provider/doc_address.h"

namespace koya::inspect::provider {

struct DocFile {
  std::string path;  // with "/" between its parts, relative to what was given
  std::uint64_t bytes = 0;
};

struct DocsLimits {
  std::size_t files = 20'000;          // limits.docs_files
  std::uint64_t bytes = 256U << 20;    // limits.docs_bytes, of all files
  std::uint64_t file_bytes = 1 << 20;  // of one page; a larger one is left out
};

struct DocWarning {
  std::string path;      // as it was given
  std::size_t line = 0;  // 0: the whole file
  std::string why;       // one sentence without the place

  friend bool operator==(const DocWarning&, const DocWarning&) = default;
};

// What was found odd; nothing of it refuses anything.
class DocWarnings {
 public:
  void Add(DocWarning warning);
  const std::vector<DocWarning>& kept() const { return kept_; }  // at most 100
  std::size_t left_out() const { return left_out_; }

 private:
  std::vector<DocWarning> kept_;
  std::size_t left_out_ = 0;
};

struct DocsPlan {
  struct Page {
    DocAddress address;
    std::size_t file = 0;  // its place in what was given
  };
  std::string root;         // "website/docs/", "docs/" or "": what the pages' paths begin with
  std::vector<Page> pages;  // in the order of their addresses, each once
  DocWarnings warnings;
};

// "website/docs/" is taken before "docs/", where older providers keep notes for themselves. Files
// that are no Markdown are no pages, and nothing is said about them.
// Fails: kTooLarge, with limits.docs_files or limits.docs_bytes.
Result<DocsPlan> PlanDocs(std::span<const DocFile> files, const DocsLimits& limits);

}  // namespace koya::inspect::provider
