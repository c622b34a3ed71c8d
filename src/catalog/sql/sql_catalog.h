// SqlCatalog is the catalog on an SQL database, composed of its parts.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/sql/access/account_catalog.h"
#include "catalog/sql/access/identity_catalog.h"
#include "catalog/sql/access/namespace_catalog.h"
#include "catalog/sql/access/password_catalog.h"
#include "catalog/sql/access/session_catalog.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/change_signal.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/executor.h"
#include "catalog/sql/engine/postgres_listener.h"
#include "catalog/sql/engine/recent_uses.h"
#include "catalog/sql/engine/sqlite_file.h"
#include "catalog/sql/mirror/holdings.h"
#include "catalog/sql/mirror/upstream_modules.h"
#include "catalog/sql/mirror/upstream_releases.h"
#include "catalog/sql/operate/blob_ledger.h"
#include "catalog/sql/operate/replica_catalog.h"
#include "catalog/sql/operate/storage_catalog.h"
#include "catalog/sql/providers/draft_catalog.h"
#include "catalog/sql/providers/key_catalog.h"
#include "catalog/sql/providers/provider_catalog.h"
#include "catalog/sql/providers/provider_docs.h"
#include "catalog/sql/search/search_index.h"
#include "catalog/sql/usage/contents_catalog.h"
#include "catalog/sql/usage/daily_sums.h"
#include "catalog/sql/usage/number_catalog.h"
#include "catalog/sql/usage/usage_catalog.h"

namespace koya::sql {

// Dependencies of the parts. Destroyed from the last to the first. SQLite has a lock and no
// listener, PostgreSQL the reverse.
struct SqlCatalogParts {
  std::optional<DataLock> lock;
  std::unique_ptr<ChangeSignal> signal;
  std::unique_ptr<Database> database;
  std::unique_ptr<PostgresListener> listener;  // notifies `signal`
  bool keeps_ledger = false;                   // CatalogOptions::blob_ledger
};

// Base class, so that it is constructed before the parts and destroyed after them.
struct SqlCatalogGround {
  explicit SqlCatalogGround(SqlCatalogParts given)
      : parts(std::move(given)), transactions(*parts.database, *parts.signal, parts.keeps_ledger) {}

  SqlCatalogParts parts;
  Executor transactions;
  RecentUses token_uses{TokenCatalog::kTouchEvery};
  RecentUses held_uses{UpstreamHoldings::kTouchEvery};
};

// The parts of Catalog that are interfaces, and the rest.
class SqlCatalog final : private SqlCatalogGround,
                         public Catalog,
                         public SqlPasswords,
                         public SqlSessions,
                         public SqlIdentities,
                         public SqlBlobReferences,
                         public SqlBlobLedger,
                         public SqlDatabaseTime,
                         public SqlLeases,
                         public SqlSearchIndex,
                         public SqlNumbers,
                         public SqlSentBytes,
                         public SqlUsage,
                         public SqlMirrorCounts,
                         public SqlAudit,
                         public SqlChangeLog {
 public:
  using Parts = SqlCatalogParts;

  explicit SqlCatalog(Parts given)
      : SqlCatalogGround(std::move(given)),
        Catalog(transactions, token_uses, held_uses),
        SqlPasswords(transactions),
        SqlSessions(transactions),
        SqlIdentities(transactions),
        SqlBlobReferences(transactions),
        SqlBlobLedger(transactions),
        SqlDatabaseTime(transactions),
        SqlLeases(transactions),
        SqlSearchIndex(transactions),
        SqlNumbers(transactions),
        SqlSentBytes(transactions),
        SqlUsage(transactions),
        SqlMirrorCounts(transactions),
        SqlAudit(transactions),
        SqlChangeLog(transactions) {}

  std::vector<PoolLoad> Pools() const override { return parts.database->Loads(); }
};

}  // namespace koya::sql
