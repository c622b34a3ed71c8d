// Reads the docs APIs of public registries, and the stored list of pages made from them.
//
// Two families: JSON:API below /v2/ (registry.terraform.io), and the files of OpenTofu's registry
// (api.opentofu.org; opentofu/registry-ui, openapi.yml). Entries that cannot be addressed here are
// skipped, so that a bad one does not invalidate the rest.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/endpoint.h"

namespace koya::wire {

// A page: kinds, names and languages follow Koya's own docs. Every text is plain UTF-8.
struct ForeignDoc {
  std::string kind;         // "overview", "guides", "resources", …
  std::string name;         // "index" of the overview; letters, digits, "_", "-" and "."
  std::string language;     // of cdktf: "python"; "": HCL configurations
  std::string title;        // this and the following members may be empty
  std::string subcategory;  // cut to kMostDocText bytes, as titles are
  std::string description;
  std::string place;  // where the registry has the text: "9652881", "cdktf/python/resources/a.md"
  friend bool operator==(const ForeignDoc&, const ForeignDoc&) = default;
};

struct ForeignDocs {
  std::vector<ForeignDoc> docs;  // sorted by language, kind and name; of duplicates the first
  std::size_t skipped = 0;       // malformed or duplicate entries; stored lists have none
  friend bool operator==(const ForeignDocs&, const ForeignDocs&) = default;
};

inline constexpr std::size_t kMostDocName = 200;
inline constexpr std::size_t kMostDocText = 300;

// All fail with kInvalid for other documents, and those that take `most` with kTooLarge
// (limits.docs_files) for more entries than that.

// GET /v2/providers/NS/TYPE?include=provider-versions: the registry's number for `version`; "" when
// it is not among them.
Result<std::string> DecodeProviderVersionId(std::string_view body, std::string_view version);
// GET /v2/provider-versions/ID?include=provider-docs
Result<ForeignDocs> DecodeIncludedDocs(std::string_view body, std::size_t most);
// GET /v2/provider-docs/ID: the page as written by its author.
Result<std::string> DecodeDocContent(std::string_view body);
// GET /registry/docs/providers/NS/TYPE/vVERSION/index.json
Result<ForeignDocs> DecodeTofuDocs(std::string_view body, std::size_t most);

}  // namespace koya::wire
