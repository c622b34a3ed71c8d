// Implements NamespaceCatalog: namespaces and grants in the database.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "catalog/access_catalog.h"
#include "catalog/sql/engine/database.h"
#include "domain/access.h"
#include "domain/namespace_record.h"
#include "domain/page.h"
#include "domain/version_step.h"

namespace koya::sql {

// Checks that the namespace, in any letter case, has a record; records are never removed. Fails:
// kNotFound.
Status CheckNamespace(Session& session, const std::string& ns);

// Removes every role of an account or group, by the key of FindGrantee, within the caller's write
// transaction. Returns the removed roles for the audit log, as "acme:publisher", by namespace.
std::vector<std::string> RemoveGrantsOf(Session& session, GranteeKind kind,
                                        const std::string& grantee);

// The error for a namespace without a record.
Failure NoNamespace(std::string_view ns);

}  // namespace koya::sql
