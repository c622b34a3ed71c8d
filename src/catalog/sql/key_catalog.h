// The key table's SQL: one function per operation of KeyCatalog (catalog/catalog.h), where their
// contracts stand. Blocking; each throws as SOCI does.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/sql/session.h"

namespace koya::sql {

// Within a write transaction.
Result<bool> AddKey(Session& session, const SigningKeyRecord& record);
Status RemoveKey(Session& session, const std::string& ns, const std::string& fingerprint,
                 UnixSeconds at);
Status ReplaceServerKey(Session& session, const SigningKeyRecord& record,
                        const std::string& replaces);
// Keeps a key that may sign new releases from being removed until the transaction ends. Fails:
// kConflict when the namespace has no such key, or it was removed.
Status HoldKeyInUse(Session& session, const std::string& ns, const std::string& fingerprint);

// One statement each.
Result<std::vector<SigningKeyRecord>> ListKeys(Session& session, const std::string& ns);
Result<SigningKeyRecord> FindKey(Session& session, const std::string& ns,
                                 const std::string& fingerprint);

}  // namespace koya::sql
