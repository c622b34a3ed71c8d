// Input and results of the search index.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "domain/access.h"
#include "domain/module_address.h"
#include "domain/provider_address.h"
#include "domain/version.h"

namespace koya {

// In the order in which equal matches are listed.
enum class SearchKind {
  kModule,
  kProvider,
  kSubmodule,
  kExample,
  kResource,
  kInput,
  kOutput,
  kDoc,
  // Of the documentation of Koya, which no index has: the same for all callers.
  kGuide,
  kSetting,
  kError
};
// Of the search index.
inline constexpr std::array kSearchKinds = {
    SearchKind::kModule,   SearchKind::kProvider, SearchKind::kSubmodule, SearchKind::kExample,
    SearchKind::kResource, SearchKind::kInput,    SearchKind::kOutput,    SearchKind::kDoc};
inline constexpr std::array kManualKinds = {SearchKind::kGuide, SearchKind::kSetting,
                                            SearchKind::kError};
inline constexpr std::string_view kSearchKindNames =
    "module, provider, submodule, example, resource, input, output, doc, guide, setting or error";

constexpr std::string_view SearchKindName(SearchKind kind) {
  switch (kind) {
    case SearchKind::kModule:
      return "module";
    case SearchKind::kProvider:
      return "provider";
    case SearchKind::kSubmodule:
      return "submodule";
    case SearchKind::kExample:
      return "example";
    case SearchKind::kResource:
      return "resource";
    case SearchKind::kInput:
      return "input";
    case SearchKind::kOutput:
      return "output";
    case SearchKind::kDoc:
      return "doc";
    case SearchKind::kGuide:
      return "guide";
    case SearchKind::kSetting:
      return "setting";
    case SearchKind::kError:
      return "error";
  }
  return "module";
}
constexpr std::optional<SearchKind> ParseSearchKind(std::string_view name) {
  for (SearchKind kind : kSearchKinds) {
    if (SearchKindName(kind) == name) return kind;
  }
  for (SearchKind kind : kManualKinds) {
    if (SearchKindName(kind) == name) return kind;
  }
  return std::nullopt;
}

// A version of a module or provider, to which entries belong.
struct SearchSubject {
  SearchKind kind = SearchKind::kModule;  // or kProvider
  std::string ns;
  // "acme/vpc/aws", "acme/demo", for display; of another registry
  // "registry.example.org/acme/vpc/aws".
  std::string address;
  // The key of all its versions: "module:acme/vpc/aws", "mirror:registry.example.org/acme/vpc/aws".
  std::string key;
  Version version;
  std::string host = {};  // ASCII form of the other registry's host; "": published here

  static SearchSubject Of(const ModuleAddress& module, Version version) {
    return {SearchKind::kModule, module.ns(), module.ToString(), "module:" + module.Key(),
            std::move(version)};
  }
  static SearchSubject Of(const ProviderAddress& provider, Version version) {
    return {SearchKind::kProvider, provider.ns(), provider.ToString(),
            "provider:" + provider.ToString(), std::move(version)};
  }
  // A module that is mirrored from another registry. `host`: in its ASCII form.
  static SearchSubject Mirrored(const std::string& host, const ModuleAddress& module,
                                Version version) {
    return {SearchKind::kModule,
            module.ns(),
            host + "/" + module.ToString(),
            "mirror:" + host + "/" + module.Key(),
            std::move(version),
            host};
  }
};

// Stands among SearchEntry::calls for calls whose source is an expression; no address is one word.
inline constexpr std::string_view kUnknownCall = "unknown";

// A thing that the search can find. All texts are UTF-8 without NUL.
struct SearchEntry {
  SearchKind kind = SearchKind::kModule;
  std::string name;   // "vpc", "aws_subnet.private", "cidr_block": the name in use
  std::string title;  // one line: a description, the heading of a page
  std::string text;   // the rest
  // Resource types, "aws_vpc"; and sources of providers, "hashicorp/aws", with or without a host.
  std::vector<std::string> uses;
  std::vector<std::string> needs;
  // Addresses of modules of registries: "registry.example.org/acme/vpc/aws"; and kUnknownCall.
  std::vector<std::string> calls = {};
  friend bool operator==(const SearchEntry&, const SearchEntry&) = default;
};

struct TextRange {
  std::size_t begin = 0;  // bytes
  std::size_t end = 0;
  friend bool operator==(const TextRange&, const TextRange&) = default;
};

// The order of results: by match quality, by the time when their version was published, or by the
// address of their subject.
enum class SearchOrder { kBest, kNewest, kAddress };

enum class SearchField { kName, kTitle, kText };

struct SearchHit {
  SearchKind subject_kind = SearchKind::kModule;
  std::string address;  // of the subject
  std::string host;     // of the registry that it is mirrored from; "": published here
  std::string version;
  UnixSeconds published_at = 0;
  bool newest = true;  // among its subject's versions that are not withdrawn
  bool deprecated = false;
  SearchKind kind = SearchKind::kModule;
  std::string name;
  std::string title;
  // The field that matched first, a part of it around the match, and the matches in that part,
  // sorted and without overlaps. There are no marks when only filters matched.
  SearchField field = SearchField::kName;
  std::string snippet;
  std::vector<TextRange> marks;
  // Who may read the subject. The index does not know it: added for readers who see more than
  // public things.
  std::optional<Visibility> visibility = {};
  // Where the query was found: "name", "address", "title", "description", "readme", "text", or the
  // filter "needs", "uses" or "calls"; "": only other filters matched.
  std::string why = {};
  // The path of the page that has it, of kManualKinds: these have no subject. "": of other kinds.
  std::string url = {};
};

// Values of filters, each with the number of results that have it: the total of the search with
// that filter, unless `cut`.
struct SearchFacets {
  using Values = std::map<std::string, std::uint64_t>;
  Values kind;
  Values ns;
  Values system;      // of modules
  Values deprecated;  // "yes", "no"
  bool cut = false;   // there are further values, or more results than were counted
};

struct SearchPage {
  std::vector<SearchHit> items;
  bool more = false;  // whether items follow this page
  // Numbers of all results, whatever `kind:` the query asks for; kinds with none are left out.
  std::map<SearchKind, std::uint64_t> counts;
  // True if more entries of the requested kinds match than the search examines: the pages end
  // there.
  bool cut = false;
  // Kinds with possibly more results than were counted.
  std::set<SearchKind> cut_kinds;
  // No entry has the words as written; these results have words that differ by one letter.
  bool forgiven = false;
  // No entry has all words; these results lack the words listed here, spelt as in the search.
  // Without results: the words of several that no entry has.
  std::vector<std::string> missing;
  // Of the results of the requested kinds, where the request asks for facets.
  SearchFacets facets = {};
  std::uint64_t packages = 0;  // versions of modules and providers that have them
};

}  // namespace koya
