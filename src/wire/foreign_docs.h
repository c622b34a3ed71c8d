// What the docs APIs of public registries answer, and the list of pages that is kept of it.
//
// Two families: JSON:API below /v2/ (registry.terraform.io), and the files of OpenTofu's registry
// (api.opentofu.org; opentofu/registry-ui, openapi.yml). Entries that cannot be addressed here are
// left out, so that one of them does not cost the others.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::wire {

// A page: kinds, names and languages as Koya's own docs have them. Every text is plain UTF-8.
struct ForeignDoc {
  std::string kind;         // "overview", "guides", "resources", …
  std::string name;         // "index" of the overview; letters, digits, "_", "-" and "."
  std::string language;     // of cdktf: "python"; "": configurations
  std::string title;        // this and what follows may be empty
  std::string subcategory;  // cut to kMostDocText bytes, as titles are
  std::string description;
  std::string place;  // where its registry has the text: "9652881", "cdktf/python/resources/a.md"
  friend bool operator==(const ForeignDoc&, const ForeignDoc&) = default;
};

struct ForeignDocs {
  std::vector<ForeignDoc> docs;  // by language, kind and name, each once: the first
  std::size_t skipped = 0;       // entries of another shape, or named twice; kept lists have none
  friend bool operator==(const ForeignDocs&, const ForeignDocs&) = default;
};

inline constexpr std::size_t kMostDocName = 200;
inline constexpr std::size_t kMostDocText = 300;

// All fail with kInvalid for what is no such document, and those that take `most` with kTooLarge
// (limits.docs_files) for more entries than that.

// GET /v2/providers/NS/TYPE?include=provider-versions: the number under which the registry has
// `version`; "" when it is not among them.
Result<std::string> DecodeProviderVersionId(std::string_view body, std::string_view version);
// GET /v2/provider-versions/ID?include=provider-docs
Result<ForeignDocs> DecodeIncludedDocs(std::string_view body, std::size_t most);
// GET /v2/provider-docs/ID: the page as its author wrote it.
Result<std::string> DecodeDocContent(std::string_view body);
// GET /registry/docs/providers/NS/TYPE/vVERSION/index.json
Result<ForeignDocs> DecodeTofuDocs(std::string_view body, std::size_t most);

// As it is kept here.
std::string EncodeForeignDocs(const ForeignDocs& docs);
Result<ForeignDocs> DecodeForeignDocs(std::string_view body);

}  // namespace koya::wire
