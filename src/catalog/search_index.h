// The search index of the catalog: what is inside the versions that are here.
//
// It says nothing else than the catalog does: whoever withdraws or deprecates a version changes its
// entries in the same transaction, and so does who reads a module of another registry, or lets go
// of its bytes (catalog/sql/search_entries.h). What is published comes in a moment later, by
// itself (service/index_queue.h), as does what is read later, and what is indexed anew.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/page.h"
#include "domain/readable_namespaces.h"
#include "domain/search_query.h"
#include "domain/search_record.h"

namespace koya {

struct SearchRequest {
  SearchQuery query;
  ReadableNamespaces readable;
  PageRequest page;  // a page holds at most kLongestSearchPage, and begins before kMostFound
  SearchOrder order = SearchOrder::kBest;
  // False: how many there are, of which kinds, and whether a page is cut, is not to be relied on.
  // Then nothing is looked at for the sake of that, which is half of the work or more.
  bool counted = true;
};

class SearchIndex {
 public:
  static constexpr std::uint64_t kLongestSearchPage = 100;
  // A search looks at so many entries at most, of those that may be read: in the order kBest names
  // that have its words, then the rest, of each what was added last. Of more than that texts are
  // looked at that have its words as they are, not words that begin so. Whether words stand side by
  // side is seen in what is looked at; names that are joined as the search is are always among it.
  // Lists of modules and providers, which no words are asked of, begin with the first in the order:
  // of all, of one namespace here, and in kNewest of all versions.
  static constexpr std::uint64_t kMostFound = 500;
  // Of these so many, where it asks for no kind, are modules, providers, submodules and examples
  // whose names and titles have its words, as far as there are any.
  static constexpr std::uint64_t kMostModules = 100;
  // Of these so many whose texts have to be read: to see words side by side there, and of versions
  // that are not the newest.
  static constexpr std::uint64_t kMostReadWhole = 200;
  // Of a version; those after them are not found.
  static constexpr std::size_t kMostEntries = 30'000;

  virtual ~SearchIndex() = default;
  // Puts these entries in the place of all that the version has. The newest release of a subject,
  // else its newest prerelease, is what is found without `version:`.
  // Fails: kNotFound: the version is not published, or withdrawn by now, or, of another registry,
  // its bytes are not held; kInvalid: a text that is not UTF-8, or has a NUL.
  virtual Task<void> PutSearchEntries(SearchSubject subject, std::vector<SearchEntry> entries) = 0;
  // Takes a version out, whatever the catalog says: of what is in it and not in the catalog.
  // Nothing happens when it is not in.
  virtual Task<void> RemoveSearchEntries(SearchSubject subject) = 0;
  // Forgets misspellings, which nothing else does; what is put in afterwards brings its own. For
  // indexing anew, before the first version.
  virtual Task<void> ForgetSpellings() = 0;
  // Versions of the index after this one (none: from the first), by key and version, bytewise; at
  // most 1000. To find what is in it and not in the catalog.
  virtual Task<std::vector<SearchSubject>> ListSearchSubjects(
      std::optional<SearchSubject> after) = 0;

  // Versions of modules (or of providers, as `kind` says) that are published and not in the index,
  // after this one, by key and version, bytewise; at most 100. To find what programs published that
  // know no index.
  virtual Task<std::vector<SearchSubject>> ListUnindexed(SearchKind kind,
                                                         std::optional<SearchSubject> after) = 0;
  // Of other registries: modules that are held and read, then providers with a package held.
  virtual Task<std::vector<SearchSubject>> ListUnindexedMirrored(
      std::optional<SearchSubject> after) = 0;

  // What may be read and has all that the query asks for: names that are exactly its words first,
  // that begin with them (and modules and providers that have them in their names), modules,
  // submodules, examples and pages of docs that are called by some of several words and nothing
  // else, names that have them, names and titles, all else; where their names do not have all,
  // inputs, outputs and data sources are last, and behind equals; then what was published last
  // is first, then by kind, name and address; modules and providers that no words are asked of by
  // kind and address. What is deprecated comes after all that is not. So in kBest; in kNewest what
  // was published last comes first, in kAddress modules by address and then providers, each with
  // what is in it. When nothing has the words, those with one letter otherwise do.
  virtual Task<SearchPage> Search(SearchRequest request) = 0;
};

}  // namespace koya
