// Selects the files of a provider that are pages of its docs, before any is read, and reads the
// front matter and the first lines of a page. Pure: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inspect/provider/doc_address.h"

namespace koya::inspect::provider {

// Files come from a folder (`koya publish provider --docs`) or from
// terraform-provider-TYPE_VERSION_docs.zip: both contain "docs/" or "website/docs/", or are such a
// folder themselves.
struct DocFile {
  std::string path;  // separated by "/", relative to the given folder
  std::uint64_t bytes = 0;
};

struct DocsLimits {
  std::size_t files = 20'000;          // limits.docs_files
  std::uint64_t bytes = 256U << 20;    // limits.docs_bytes, of all files
  std::uint64_t file_bytes = 1 << 20;  // of one page; larger pages are left out
};

struct DocWarning {
  std::string path;      // as given
  std::size_t line = 0;  // 0: the whole file
  std::string why;       // one sentence without the position

  friend bool operator==(const DocWarning&, const DocWarning&) = default;
};

// Oddities of the docs; none of them causes a rejection.
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
    std::size_t file = 0;  // index into the given files
  };
  std::string root;         // "website/docs/", "docs/" or "": the prefix of the pages' paths
  std::vector<Page> pages;  // sorted by address, each once
  DocWarnings warnings;
};

// Prefers "website/docs/" to "docs/", where older providers keep internal notes. Files that are not
// Markdown are ignored without a warning. Fails: kTooLarge, with limits.docs_files or
// limits.docs_bytes.
Result<DocsPlan> PlanDocs(std::span<const DocFile> files, const DocsLimits& limits);

struct ProviderDoc {
  DocAddress address;
  std::string title;        // from the front matter, else the first heading, else the name
  std::string subcategory;  // groups pages; may be empty
  std::string description;  // may be empty
  bool deprecated = false;  // according to its title, group, description or first note
  std::string_view body;    // Markdown, without the front matter
};

// Never fails. `text` must outlive the result; bytes beyond `most` are left out.
ProviderDoc ReadProviderDoc(const DocAddress& address, std::string_view path, std::string_view text,
                            std::uint64_t most, DocWarnings& warnings);

// Reads all pages, one at a time. `read` returns a file's text, at most `limits.file_bytes` and one
// byte more; `take` gets each page, sorted by address. A file that cannot be read becomes a
// warning. Fails: as PlanDocs, and as `take` does.
struct DocsReading {
  std::function<Result<std::string>(const DocFile& file)> read;
  std::function<Status(const ProviderDoc& page)> take;
};
Result<DocsPlan> ReadProviderDocs(std::span<const DocFile> files, const DocsLimits& limits,
                                  const DocsReading& reading);

}  // namespace koya::inspect::provider
