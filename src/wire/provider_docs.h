// Documents about docs and schemas of providers, below /api/v1/providers/NS/TYPE/VERSION, and of
// READMEs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/endpoint.h"
#include "wire/read_warning.h"

namespace koya::wire {

// A heading of a README or of a page of docs, at most 1,000 of each.
struct ReadmeHeading {
  std::uint64_t level = 2;  // 2 for <h2>
  std::string name;         // of its anchor in the HTML: "user-inputs"
  std::string text;
  friend bool operator==(const ReadmeHeading&, const ReadmeHeading&) = default;
};

struct Readme {
  std::string file;  // "README.md"
  std::string lang;  // "en", "ja", "zh": a guess
  std::string html;
  std::vector<ReadmeHeading> contents;
  bool truncated = false;
  friend bool operator==(const Readme&, const Readme&) = default;
};

struct DocEntry {
  std::string kind;      // "overview", "guides", "resources", …
  std::string name;      // "index" of the overview
  std::string language;  // "hcl", or a cdktf language: "python"
  std::string title;
  std::string subcategory;
  std::string description;
  bool deprecated = false;
  friend bool operator==(const DocEntry&, const DocEntry&) = default;
};

// GET …/docs
struct DocList {
  std::vector<DocEntry> docs;
  bool is_signed = false;  // the docs are listed in SHA256SUMS
  friend bool operator==(const DocList&, const DocList&) = default;
};

// GET …/docs/KIND/NAME
struct DocPage {
  std::string kind;
  std::string name;
  std::string language;
  std::string title;
  std::string subcategory;
  std::string description;
  bool deprecated = false;
  bool is_signed = false;
  std::string html;
  std::vector<ReadmeHeading> contents;
};
// `schema` is a complete JSON document, or empty: none.
std::string EncodeDocPage(const DocPage& page, std::string_view schema);

// GET …/schema
struct SchemaEntry {
  std::string kind;  // "resource", "data_source", …
  std::string name;
  bool deprecated = false;
  friend bool operator==(const SchemaEntry&, const SchemaEntry&) = default;
};
using SchemaEntries = ListOf<SchemaEntry, "schema", "the list of items">;

// GET /api/v1/providers/NS/TYPE/VERSION: the contents.
struct KindCount {
  std::string kind;
  std::uint64_t count = 0;
  friend bool operator==(const KindCount&, const KindCount&) = default;
};
struct DocsInside {
  bool is_signed = false;
  std::vector<KindCount> pages;
  std::vector<std::string> languages;  // cdktf languages, besides "hcl"
  // True if there are no docs: the document omits them.
  bool empty() const { return pages.empty() && languages.empty(); }
  friend bool operator==(const DocsInside&, const DocsInside&) = default;
};
struct SchemaInside {
  bool is_signed = false;
  std::vector<KindCount> items;
  bool empty() const { return items.empty(); }
  friend bool operator==(const SchemaInside&, const SchemaInside&) = default;
};
struct ProviderInside {
  std::string address;
  std::string version;
  DocsInside docs;
  SchemaInside schema;
  std::vector<ReadWarning> warnings;
  friend bool operator==(const ProviderInside&, const ProviderInside&) = default;
};

// ---- endpoints

inline constexpr Endpoint<void, ProviderInside, 3> kGetProviderInside{
    "GET", "/api/v1/providers/{namespace}/{type}/{version}"};
inline constexpr Endpoint<void, DocList, 3> kListProviderDocs{
    "GET", "/api/v1/providers/{namespace}/{type}/{version}/docs"};
inline constexpr Endpoint<void, DocList, 4> kListMirroredDocs{
    "GET", "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs"};

}  // namespace koya::wire
