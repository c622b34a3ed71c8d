// Maps the files of a provider's docs to pages. Files lie in one of two layouts, below "docs/" or,
// in older providers, below "website/docs/":
//
//   index.md  guides/NAME.md  resources/NAME.md (or r/)  data-sources/ (d/)  functions/ (f/)
//   ephemeral-resources/  list-resources/  actions/  state-stores/
//
// with the extensions .md, .markdown, .html.md and .html.markdown; likewise below cdktf/LANGUAGE/.
// Links in a page are resolved to such pages, as markup's `Resolve`. Source:
// developer.hashicorp.com/terraform/registry/providers/docs, and existing providers. Pure: any
// thread.
#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "markup/markdown.h"

namespace koya::inspect::provider {

enum class DocKind {
  kOverview,
  kGuide,
  kResource,
  kDataSource,
  kFunction,
  kEphemeralResource,
  kListResource,
  kAction,
  kStateStore,
};

// The name in addresses: "resources"; "" for the overview.
std::string_view DocKindFolder(DocKind kind);
std::optional<DocKind> ParseDocKind(std::string_view folder);

struct DocAddress {
  DocKind kind = DocKind::kOverview;
  std::string name = "index";  // the file's name without extension; "index" for the overview
  std::string language;        // of cdktf: "typescript", "python", …; "": configurations

  auto operator<=>(const DocAddress&) const = default;
};

// `path` is relative to the folder of the docs. nullopt: not a page.
std::optional<DocAddress> ParseDocPath(std::string_view path);

// The page that a link in another page points to: "../resources/a.md", "a.html",
// "../d/a.html.markdown", "../../docs", "/docs/providers/TYPE/r/a.html". `address` has no "#…".
// nullopt: not a page of these docs.
std::optional<DocAddress> ResolveDocLink(const DocAddress& from, std::string_view address);

// The path after "…/docs/": "resources/a", "cdktf/python/resources/a"; "" for the overview.
std::string DocAddressPath(const DocAddress& address);

// Resolves to BASE/resources/a and similar if `has` knows that page; other links lead nowhere.
// `base` is a path on this server: "/providers/acme/demo/1.0.0/docs", without a "/" at its end.
markup::Resolve LinksOfDoc(DocAddress from, std::string base,
                           std::function<bool(const DocAddress&)> has);

}  // namespace koya::inspect::provider
