#include "catalog/sql/namespace_lock.h"

#include "catalog/sql/query.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

// Two numbers have a space of their own, beside that of change_log.cc's and migrations.cc's one.
// Namespaces that share a hash take turns too, which harms nobody.
constexpr Statement kTakeTurnsInNamespace{
    "lock_namespace", "SELECT COUNT(*) FROM pg_advisory_xact_lock(5427003, hashtext(:namespace))"};

}  // namespace

void LockNamespace(Session& session, const std::string& ns) {
  if (session.dialect() != Dialect::kPostgres) return;
  std::int64_t count = 0;
  Query query(session, kTakeTurnsInNamespace);
  query.Use(ns).Into(count).Next();
}

}  // namespace koya::sql
