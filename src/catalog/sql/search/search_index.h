// Implements SearchIndex: the search index in the database.
#pragma once

#include <optional>
#include <vector>

#include "catalog/search_index.h"
#include "catalog/sql/engine/database.h"
#include "domain/search_record.h"

namespace koya::sql {

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
