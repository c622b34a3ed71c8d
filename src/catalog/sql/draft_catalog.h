// The draft tables' SQL: one function per operation of DraftCatalog (catalog/catalog.h), where
// their contracts stand. Blocking; each throws as SOCI does.
//
// Whoever changes a draft's files locks the draft's row first: uploads into one draft take turns
// for a moment, and cannot wait for each other in a circle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/sql/session.h"

namespace koya::sql {

// Within a write transaction.
Status AddDraft(Session& session, const DraftRecord& draft, std::uint64_t most_open);
Status PutDraftFile(Session& session, const std::string& id, const DraftFile& file,
                    UnixSeconds expires_at, std::uint64_t most_files);
Status RemoveDraft(Session& session, const std::string& id);
std::uint64_t RemoveExpiredDrafts(Session& session, UnixSeconds now);
// Removes a draft, for the release that is made of it, provided that it is as it was read. Fails:
// kNotFound when it is gone, kConflict when it holds other files.
Status TakeDraft(Session& session, const DraftRecord& draft);

// One statement each.
Result<DraftRecord> FindDraft(Session& session, const std::string& id, UnixSeconds now);
Result<std::vector<DraftRecord>> ListDrafts(Session& session, const ProviderAddress& address,
                                            const Version& version, UnixSeconds now);

}  // namespace koya::sql
