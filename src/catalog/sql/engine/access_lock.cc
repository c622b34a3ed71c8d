#include "catalog/sql/engine/access_lock.h"

namespace koya::sql {
namespace {

// The number only has to differ from those of change_log.cc and migrations.cc.
constexpr Statement kTakeTurnsWithAccess{"lock_access", "SELECT pg_advisory_xact_lock(5427004)"};

}  // namespace

void LockAccess(Session& session) {
  if (session.dialect() == Dialect::kPostgres) session.Run(kTakeTurnsWithAccess);
}

}  // namespace koya::sql
