// What was read inside modules, in the database. See ContentsCatalog.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "catalog/contents_catalog.h"
#include "catalog/sql/transactions.h"

namespace koya::sql {

class SqlContents : public virtual ContentsCatalog {
 public:
  explicit SqlContents(Transactions& transactions) : transactions_(transactions) {}

  Task<ContentsRecord> FindContents(ModuleSubject subject) override;
  Task<ContentsSize> MeasureContents(ModuleSubject subject) override;
  Task<void> PutContents(ModuleSubject subject, VersionExtras extras) override;
  Task<std::vector<UnreadModule>> ListUnread(std::uint64_t reader,
                                             std::optional<UnreadModule::Place> after,
                                             std::uint64_t limit) override;
  Task<std::uint64_t> CountUnread(std::uint64_t reader) override;

 private:
  Transactions& transactions_;
};

// Within the transaction that adds a version: what is given is kept, what is not is left alone.
// To be called where PutSearchEntries may be. Fails: as ContentsCatalog::PutContents.
Status PutExtras(Session& session, const ModuleSubject& subject, const VersionExtras& extras);

// Within the transaction that withdraws it.
void ForgetContents(Session& session, const ModuleSubject& subject);

}  // namespace koya::sql
