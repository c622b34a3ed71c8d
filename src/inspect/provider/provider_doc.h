// Reads the front matter and the first lines of a page of a provider's docs. Pure: any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "inspect/provider/docs_plan.h"

namespace koya::inspect::provider {

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
