// SearchIndex is the search index of the catalog: it covers the contents of stored versions.
//
// It always agrees with the catalog: withdrawing or deprecating a version changes its entries in
// the same transaction, and so does analyzing a module of another registry, or releasing its bytes
// (catalog/sql/search/search_entries.h). Published versions are indexed a moment later,
// automatically (service/search/index_queue.h), as are contents that are analyzed later, and
// versions that are indexed again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/access.h"
#include "domain/page.h"
#include "domain/search_query.h"
#include "domain/search_record.h"

namespace koya {

struct SearchRequest {
  SearchQuery query;
  ReadableNamespaces readable;
  PageRequest page;  // a page holds at most kLongestSearchPage, and starts before kMostFound
  SearchOrder order = SearchOrder::kBest;
  // False: the counts, in all and of each kind, and whether a page is cut, are not reliable. This
  // saves their work, which is half of the total or more.
  bool counted = true;
  bool facets = false;  // also finds SearchPage::facets and packages; REQUIRES: counted
};

class SearchIndex {
 public:
  static constexpr std::uint64_t kLongestSearchPage = 100;
  // The most entries that a search examines, of those that the caller may read: in the order kBest
  // names that have its words, then the rest, each latest addition first. When more match, texts
  // are examined only for the words themselves, not for words that begin with them. Whether words
  // stand side by side is checked among the examined entries; names that are joined as the search
  // is are always among them. Lists of modules and providers, which have no search words, start
  // with the first in the order: of all, of one namespace here, and in kNewest of all versions.
  static constexpr std::uint64_t kMostFound = 500;
  // Of these, the most modules, providers, submodules and examples whose names and titles have the
  // words, as far as there are any; for a search that asks for no kind.
  static constexpr std::uint64_t kMostModules = 100;
  // Of these, the most whose texts are read, to see words side by side there; also the most that
  // belong to versions that are not the newest.
  static constexpr std::uint64_t kMostReadWhole = 200;
  static constexpr std::size_t kMostFacetValues = 20;  // of a facet: those with the most results
  // For each version; entries after these are not found.
  static constexpr std::size_t kMostEntries = 30'000;

  virtual ~SearchIndex() = default;
  // Replaces all entries of the version. Without `version:`, a search finds the newest release of a
  // subject, else its newest prerelease.
  // Fails: kNotFound: the version is not published, or withdrawn by now, or, of another registry,
  // its bytes are not held; kInvalid: a text that is not UTF-8, or has a NUL.
  virtual Task<void> PutSearchEntries(SearchSubject subject, std::vector<SearchEntry> entries) = 0;
  // Removes a version from the index, regardless of the catalog: for versions that only the index
  // has. No-op when it is not indexed.
  virtual Task<void> RemoveSearchEntries(SearchSubject subject) = 0;
  // Deletes the spellings that correct misspellings, which nothing else deletes; entries that are
  // put afterwards add their own. For rebuilding the index, before the first version.
  virtual Task<void> ForgetSpellings() = 0;
  // Versions of the index after this one (nullopt: from the first), by key and version, bytewise;
  // at most 1000. To find versions that only the index has.
  virtual Task<std::vector<SearchSubject>> ListSearchSubjects(
      std::optional<SearchSubject> after) = 0;

  // Versions of modules (or of providers, by `kind`) that are published and not in the index, after
  // this one, by key and version, bytewise; at most 100. To find versions that were published by
  // programs without an index.
  virtual Task<std::vector<SearchSubject>> ListUnindexed(SearchKind kind,
                                                         std::optional<SearchSubject> after) = 0;
  // Of other registries: modules that are held and analyzed, then providers with a held package.
  virtual Task<std::vector<SearchSubject>> ListUnindexedMirrored(
      std::optional<SearchSubject> after) = 0;

  // Finds entries that the caller may read and that meet the whole query. kBest orders them so:
  // names that are exactly its words; names that begin with them (and modules and providers that
  // have them in their names); modules, submodules, examples and pages of docs whose names consist
  // only of some of several words; names that have them; names and titles; all others. Inputs,
  // outputs and data sources whose names do not have all words come last, and others of them behind
  // equals; then the latest published come first, then by kind, name and address; modules and
  // providers in a search without words by kind and address. Deprecated entries come after all
  // others. kNewest: latest published first. kAddress: modules by address, then providers, each
  // with its contents. When nothing has the words, words that differ in one letter match.
  virtual Task<SearchPage> Search(SearchRequest request) = 0;
};

}  // namespace koya
