// Drafts of releases in the database. See DraftCatalog.
//
// Whoever changes a draft's files locks the draft's row first: uploads into one draft take turns
// for a moment, and cannot wait for each other in a circle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "catalog/draft_catalog.h"
#include "catalog/sql/transactions.h"

namespace koya::sql {

class SqlDrafts : public virtual DraftCatalog {
 public:
  explicit SqlDrafts(Transactions& transactions) : transactions_(transactions) {}

  Task<void> AddDraft(DraftRecord draft, std::uint64_t most_open) override;
  Task<DraftRecord> FindDraft(std::string id, UnixSeconds now) override;
  Task<std::vector<DraftRecord>> ListDrafts(ProviderAddress address, Version version,
                                            UnixSeconds now) override;
  Task<void> PutDraftFile(std::string id, DraftFile file, UnixSeconds expires_at,
                          std::uint64_t most_files) override;
  Task<void> RemoveDraft(std::string id) override;
  Task<std::uint64_t> RemoveExpiredDrafts(UnixSeconds now) override;

 private:
  Transactions& transactions_;
};

// Removes a draft, for the release that is made of it, provided that it is as it was read. Within
// the caller's transaction. Fails: kNotFound when it is gone, kConflict when it holds other files.
Status TakeDraft(Session& session, const DraftRecord& draft);

}  // namespace koya::sql
