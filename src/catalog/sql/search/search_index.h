// Implements SearchIndex: the search index in the database.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/search_index.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/search/search_match.h"
#include "domain/search_record.h"

namespace koya::sql {

// Runs a search as one statement: the entries to examine, the matches among them, the count of each
// kind, and the page.
// `asked`: which words match; `beginnings`: known expansions of prefixes in the search. Fails:
// kCorrupt, when entries are not as this program writes them. Throws as Query does.
Result<SearchPage> RunSearch(Session& session, const SearchRequest& request, MatchMode asked,
                             const PrefixExpansions& beginnings);

// Whether versions that are not the newest are searched, too.
bool AsksForOlder(const SearchQuery& search);

// The host of "registry.example.org/acme/vpc/aws"; "" for packages that are published here.
std::string HostOf(SearchKind subject, std::string_view address);

class SqlSearchIndex : public virtual SearchIndex {
 public:
  explicit SqlSearchIndex(Executor& transactions) : transactions_(transactions) {}

  Task<void> PutSearchEntries(SearchSubject subject, std::vector<SearchEntry> entries) override;
  Task<void> RemoveSearchEntries(SearchSubject subject) override;
  Task<void> ForgetSpellings() override;
  Task<std::vector<SearchSubject>> ListSearchSubjects(std::optional<SearchSubject> after) override;
  Task<std::vector<SearchSubject>> ListUnindexed(SearchKind kind,
                                                 std::optional<SearchSubject> after) override;
  Task<std::vector<SearchSubject>> ListUnindexedMirrored(
      std::optional<SearchSubject> after) override;
  Task<SearchPage> Search(SearchRequest request) override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
