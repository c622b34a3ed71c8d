// Implements NamespaceCatalog: namespaces and grants in the database.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "catalog/access_catalog.h"
#include "catalog/sql/engine/executor.h"
#include "domain/namespace_record.h"
#include "domain/page.h"
#include "domain/version_step.h"
#include "domain/visibility.h"

namespace koya::sql {

class SqlNamespaces : public virtual NamespaceCatalog {
 public:
  explicit SqlNamespaces(Executor& transactions) : transactions_(transactions) {}

  Task<bool> AddNamespace(Actor by, NamespaceRecord record) override;
  Task<NamespaceRecord> FindNamespace(std::string ns) override;
  Task<Page<NamespaceRecord>> ListNamespaces(ReadableNamespaces readable, std::string after,
                                             std::uint64_t limit) override;
  Task<void> SetVisibility(Actor by, std::string ns, Visibility visibility) override;
  Task<void> SetSemver(Actor by, std::string ns, std::optional<SemverRule> rule) override;
  Task<void> SetNamespaceWords(Actor by, std::string ns, NamespaceWordsChange change) override;

  // In grant_catalog.cc.
  Task<void> PutGrant(Actor by, GrantRecord grant) override;
  Task<void> RemoveGrant(Actor by, std::string ns, GranteeKind kind, std::string grantee) override;
  Task<std::vector<GrantRecord>> ListGrants(std::string ns) override;

 private:
  Executor& transactions_;
};

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
