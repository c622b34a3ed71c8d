// What the parts of ProviderCatalog, DraftCatalog, KeyCatalog and ProviderDocsCatalog in the
// database share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "catalog/key_catalog.h"
#include "catalog/provider_catalog.h"
#include "catalog/sql/engine/database.h"
#include "domain/page.h"

namespace koya::sql {

// Why there is no such release: it was withdrawn (kGone), or never published here (kNotFound).
Failure AbsenceOf(Session& session, const ProviderAddress& address, const Version& version);

// Drafts. Every change to a draft's files locks the draft's row first: uploads into one draft are
// serialized for a moment, and cannot deadlock.

// Removes a draft, for the release that is made of it, provided that it is unchanged since it was
// read. Within the caller's transaction. Fails: kNotFound when it is gone, kConflict when it holds
// other files.
Status TakeDraft(Session& session, const DraftRecord& draft);

// Prevents the removal of a key that may sign new releases until the caller's transaction ends.
// Fails: kConflict when the namespace has no such key, or it was removed, unless `removed_too`.
Status HoldKey(Session& session, const std::string& ns, const std::string& fingerprint,
               bool removed_too);

// Checks the input of PutDocs. Fails: kInvalid: a text that is not UTF-8, or has a NUL.
Status CheckDocs(const ReleaseExtras& extras);

// Within the transaction that adds the release. REQUIRES: CheckDocs. Throws as SOCI does, also for
// a duplicate name.
void PutDocs(Session& session, std::int64_t release_id, const ReleaseExtras& extras);

}  // namespace koya::sql
