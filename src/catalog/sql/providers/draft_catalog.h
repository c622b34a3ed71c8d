// Implements DraftCatalog: drafts of releases in the database.
//
// Every change to a draft's files locks the draft's row first: uploads into one draft are
// serialized for a moment, and cannot deadlock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "catalog/provider_catalog.h"
#include "catalog/sql/engine/executor.h"

namespace koya::sql {

class SqlDrafts : public virtual DraftCatalog {
 public:
  explicit SqlDrafts(Executor& transactions) : transactions_(transactions) {}

  Task<void> AddDraft(DraftRecord draft, std::uint64_t most_open) override;
  Task<DraftRecord> FindDraft(std::string id, UnixSeconds now) override;
  Task<std::vector<DraftRecord>> ListDrafts(ProviderAddress address, Version version,
                                            UnixSeconds now) override;
  Task<void> PutDraftFile(std::string id, DraftFile file, UnixSeconds expires_at,
                          std::uint64_t most_files) override;
  Task<void> RemoveDraft(std::string id) override;
  Task<std::uint64_t> RemoveExpiredDrafts(UnixSeconds now) override;

 private:
  Executor& transactions_;
};

// Removes a draft, for the release that is made of it, provided that it is unchanged since it was
// read. Within the caller's transaction. Fails: kNotFound when it is gone, kConflict when it holds
// other files.
Status TakeDraft(Session& session, const DraftRecord& draft);

}  // namespace koya::sql
