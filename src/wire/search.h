// Documents of /api/v1/search and /api/v1/reindex.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/endpoint.h"

namespace koya::wire {

// A range of a text, in characters (Unicode code points); `end` is exclusive.
struct SearchMark {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  friend bool operator==(const SearchMark&, const SearchMark&) = default;
};

// One search result.
struct SearchHit {
  std::string kind;  // "module", "provider", "submodule", "example", "resource", "input", …
  // The kind of package that contains it: "module" or "provider"; "" for guides, settings and
  // errors, which have an `url` instead of an address.
  std::string package;
  // The package's address: "acme/vpc/aws", "acme/demo"; with its host when mirrored from another
  // registry.
  std::string address;
  std::string hostname;  // the other registry; "": published here
  std::string version;
  std::string name;  // "cidr_block"
  std::string title;
  std::string field;    // the matching field: "name", "title", "text"
  std::string snippet;  // of that field, around the match
  std::vector<SearchMark> marks;
  std::string published_at;  // RFC 3339
  bool newest = true;
  bool deprecated = false;
  std::string visibility = {};  // of the package; "": of another registry, and omitted
  std::string why = {};         // "name", "readme", "needs": the field or filter that matched
  std::string url = {};         // of a page of the documentation: "/-/docs/tokens"
  friend bool operator==(const SearchHit&, const SearchHit&) = default;
};

// Number of results of each kind, regardless of the requested kinds.
struct SearchCounts {
  std::uint64_t modules = 0;
  std::uint64_t providers = 0;
  std::uint64_t submodules = 0;
  std::uint64_t examples = 0;
  std::uint64_t resources = 0;
  std::uint64_t inputs = 0;
  std::uint64_t outputs = 0;
  std::uint64_t docs = 0;
  std::uint64_t guides = 0;
  std::uint64_t settings = 0;
  std::uint64_t errors = 0;
  friend bool operator==(const SearchCounts&, const SearchCounts&) = default;
};

// Numbers of results by the values of filters: "acme" → 12.
struct SearchFacetValues {
  std::map<std::string, std::uint64_t> kind;
  std::map<std::string, std::uint64_t> ns;
  std::map<std::string, std::uint64_t> system;
  std::map<std::string, std::uint64_t> deprecated;
  friend bool operator==(const SearchFacetValues&, const SearchFacetValues&) = default;
};

// A page of results.
struct SearchResults {
  std::vector<SearchHit> hits;
  std::uint64_t total = 0;     // of the requested kinds
  std::uint64_t packages = 0;  // the versions of modules and providers that contain them
  SearchCounts counts;
  bool cut = false;                    // there are more results of those kinds than were examined
  bool forgiven = false;               // found with similar words instead
  std::vector<std::string> missing;    // words that had to be ignored
  std::vector<std::string> cut_kinds;  // kinds with possibly more results than `counts` says: "doc"
  SearchFacetValues facets = {};
  bool facets_cut = false;  // there are more values, or the numbers may be larger
  std::uint64_t limit = 0;
  std::uint64_t current_offset = 0;
  std::optional<std::uint64_t> next_offset;
  std::optional<std::uint64_t> prev_offset;
  std::string next_url;  // "" when there is none
  std::string prev_url;
  friend bool operator==(const SearchResults&, const SearchResults&) = default;
};
std::string EncodeSearchResults(const SearchResults& results);
Result<SearchResults> DecodeSearchResults(std::string_view body);

struct ReindexProblem {
  std::string address;
  std::string version;
  std::string problem;
  friend bool operator==(const ReindexProblem&, const ReindexProblem&) = default;
};

// The result of one step; for a whole run with --json, the sum.
struct ReindexReport {
  std::string next;  // "": done
  std::uint64_t indexed = 0;
  std::uint64_t removed = 0;
  std::vector<ReindexProblem> problems;
  friend bool operator==(const ReindexReport&, const ReindexReport&) = default;
};

// ---- endpoints

struct StepRequest;  // wire/readings.h

inline constexpr Endpoint<void, SearchResults> kSearch{"GET", "/api/v1/search"};
inline constexpr Endpoint<StepRequest, ReindexReport> kReindex{"POST", "/api/v1/reindex"};

}  // namespace koya::wire
