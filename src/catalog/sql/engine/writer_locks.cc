#include "catalog/sql/engine/writer_locks.h"

#include "catalog/sql/engine/query.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

// The number only has to differ from those of change_log.cc and migrations.cc.
constexpr Statement kTakeTurnsWithAccess{"lock_access", "SELECT pg_advisory_xact_lock(5427004)"};

}  // namespace

void LockAccess(Session& session) {
  if (session.dialect() == Dialect::kPostgres) session.Run(kTakeTurnsWithAccess);
}

namespace {

// Locks of two numbers have their own space, beside that of the single numbers in change_log.cc and
// migrations.cc. Namespaces that share a hash take turns too, which does no harm.
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
