// One page of a provider's docs: what its front matter and its first lines say of it. Pure: any
// thread.
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
  bool deprecated = false;  // says so of itself, in its title, group, description or a first note
  std::string_view body;    // Markdown, without the front matter
};

// Never fails. `text` must outlive the result; what is beyond `most` bytes is left out.
ProviderDoc ReadProviderDoc(const DocAddress& address, std::string_view path, std::string_view text,
                            std::uint64_t most, DocWarnings& warnings);

// All pages, one at a time. `read` gives a file's text, at most `limits.file_bytes` and one byte of
// it; `take` gets each page in the order of their addresses. A file that cannot be read is a
// warning. Fails: as PlanDocs, and as `take` does.
struct DocsReading {
  std::function<Result<std::string>(const DocFile& file)> read;
  std::function<Status(const ProviderDoc& page)> take;
};
Result<DocsPlan> ReadProviderDocs(std::span<const DocFile> files, const DocsLimits& limits,
                                  const DocsReading& reading);

}  // namespace koya::inspect::provider
