// Implements ContentsCatalog: the contents of modules, in the database.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "catalog/contents_catalog.h"
#include "catalog/sql/engine/executor.h"

namespace koya::sql {

class SqlContents : public virtual ContentsCatalog {
 public:
  explicit SqlContents(Executor& transactions) : transactions_(transactions) {}

  Task<ContentsRecord> FindContents(ModuleSubject subject) override;
  Task<ContentsSize> MeasureContents(ModuleSubject subject) override;
  Task<void> PutContents(ModuleSubject subject, VersionExtras extras) override;
  Task<std::vector<UnreadModule>> ListUnread(std::uint64_t reader,
                                             std::optional<UnreadModule::Place> after,
                                             std::uint64_t limit) override;
  Task<std::uint64_t> CountUnread(std::uint64_t reader) override;

 private:
  Executor& transactions_;
};

// Within the transaction that adds a version: stores the extras that are given; others stay as they
// are. Call it where PutSearchEntries may be called. Fails: as ContentsCatalog::PutContents.
Status PutExtras(Session& session, const ModuleSubject& subject, const VersionExtras& extras);

// Within the transaction that withdraws the version.
void ForgetContents(Session& session, const ModuleSubject& subject);

}  // namespace koya::sql
