// Entries of the search index as a part of others' transactions: of a publish, a withdrawal, a
// deprecation. See SearchIndex. All throw as SOCI does.
#pragma once

#include <span>

#include "catalog/search_index.h"
#include "catalog/sql/session.h"

namespace koya::sql {

// To be called after the version was added, and before RenewBlobs and AppendChange: it waits for
// whoever adds the same spellings. Fails as SearchIndex::PutSearchEntries.
Status PutSearchEntries(Session& session, const SearchSubject& subject,
                        std::span<const SearchEntry> entries);

// To be called by whoever withdraws the version; nothing happens when it is not in. REQUIRES: the
// module's or provider's row is locked.
Status RemoveSearchEntries(Session& session, const SearchSubject& subject);

// The same for whoever deprecates it, or takes that back.
Status SetSearchDeprecated(Session& session, const SearchSubject& subject, bool deprecated);

}  // namespace koya::sql
