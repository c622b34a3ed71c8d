// Documents of /api/v1/search and /api/v1/reindex.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::wire {

// A part of a text, in characters (Unicode code points), `end` behind it.
struct SearchMark {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  friend bool operator==(const SearchMark&, const SearchMark&) = default;
};

// One thing that was found.
struct SearchHit {
  std::string kind;     // "module", "provider", "submodule", "example", "resource", "input", …
  std::string package;  // what it is in: "module" or "provider"
  // Of that: "acme/vpc/aws", "acme/demo"; with its host when it is kept of another registry.
  std::string address;
  std::string hostname;  // of that registry; "": published here
  std::string version;
  std::string name;  // "cidr_block"
  std::string title;
  std::string field;    // what matched: "name", "title", "text"
  std::string snippet;  // of that field, around the match
  std::vector<SearchMark> marks;
  std::string published_at;  // RFC 3339
  bool newest = true;
  bool deprecated = false;
  friend bool operator==(const SearchHit&, const SearchHit&) = default;
};

// How many there are of each kind, whatever kinds were asked for.
struct SearchCounts {
  std::uint64_t modules = 0;
  std::uint64_t providers = 0;
  std::uint64_t submodules = 0;
  std::uint64_t examples = 0;
  std::uint64_t resources = 0;
  std::uint64_t inputs = 0;
  std::uint64_t outputs = 0;
  std::uint64_t docs = 0;
  friend bool operator==(const SearchCounts&, const SearchCounts&) = default;
};

// A page of what was found.
struct SearchResults {
  std::vector<SearchHit> hits;
  std::uint64_t total = 0;  // of the kinds that were asked for
  SearchCounts counts;
  bool cut = false;                    // of those kinds there is more than is looked at
  bool forgiven = false;               // other words, which are nearly those
  std::vector<std::string> missing;    // words that had to be left out
  std::vector<std::string> cut_kinds;  // of which there may be more than `counts` says: "doc"
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

// Body of POST /api/v1/reindex: {"after": "…"}; an empty one begins.
std::string EncodeReindexRequest(std::string_view after);
Result<std::string> DecodeReindexRequest(std::string_view body);

struct ReindexProblem {
  std::string address;
  std::string version;
  std::string problem;
  friend bool operator==(const ReindexProblem&, const ReindexProblem&) = default;
};

// One step of it; of a whole run with --json, the sum.
struct ReindexReport {
  std::string next;  // "": there is nothing left to do
  std::uint64_t indexed = 0;
  std::uint64_t removed = 0;
  std::vector<ReindexProblem> problems;
  friend bool operator==(const ReindexReport&, const ReindexReport&) = default;
};
std::string EncodeReindexReport(const ReindexReport& report);
Result<ReindexReport> DecodeReindexReport(std::string_view body);

}  // namespace koya::wire
