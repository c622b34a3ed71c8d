// The catalog on an SQL database: its parts, put together.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/sql/account_catalog.h"
#include "catalog/sql/audit_log.h"
#include "catalog/sql/blob_ledger.h"
#include "catalog/sql/blob_references.h"
#include "catalog/sql/change_log.h"
#include "catalog/sql/change_signal.h"
#include "catalog/sql/contents_catalog.h"
#include "catalog/sql/data_lock.h"
#include "catalog/sql/database.h"
#include "catalog/sql/database_time.h"
#include "catalog/sql/doc_versions.h"
#include "catalog/sql/draft_catalog.h"
#include "catalog/sql/holdings.h"
#include "catalog/sql/identity_catalog.h"
#include "catalog/sql/key_catalog.h"
#include "catalog/sql/lease_catalog.h"
#include "catalog/sql/login_code_catalog.h"
#include "catalog/sql/mirror_counts.h"
#include "catalog/sql/module_catalog.h"
#include "catalog/sql/namespace_catalog.h"
#include "catalog/sql/number_catalog.h"
#include "catalog/sql/password_catalog.h"
#include "catalog/sql/postgres_listener.h"
#include "catalog/sql/provider_catalog.h"
#include "catalog/sql/provider_docs.h"
#include "catalog/sql/recent_uses.h"
#include "catalog/sql/replica_catalog.h"
#include "catalog/sql/search_index.h"
#include "catalog/sql/sent_bytes_catalog.h"
#include "catalog/sql/session_catalog.h"
#include "catalog/sql/setup_catalog.h"
#include "catalog/sql/storage_sums.h"
#include "catalog/sql/token_catalog.h"
#include "catalog/sql/transactions.h"
#include "catalog/sql/trust_catalog.h"
#include "catalog/sql/upstream_documents.h"
#include "catalog/sql/upstream_modules.h"
#include "catalog/sql/upstream_releases.h"
#include "catalog/sql/upstream_summaries.h"
#include "catalog/sql/usage_catalog.h"
#include "catalog/sql/verify_runs.h"

namespace koya::sql {

// What the parts stand on. Ends from the last to the first. SQLite has a lock and no listener,
// PostgreSQL the reverse.
struct SqlCatalogParts {
  std::optional<DataLock> lock;
  std::unique_ptr<ChangeSignal> signal;
  std::unique_ptr<Database> database;
  std::unique_ptr<PostgresListener> listener;  // notifies `signal`
  bool keeps_ledger = false;                   // CatalogOptions::blob_ledger
};

// A base, so that it is there before the parts and goes after them.
struct SqlCatalogGround {
  explicit SqlCatalogGround(SqlCatalogParts given)
      : parts(std::move(given)), transactions(*parts.database, *parts.signal, parts.keeps_ledger) {}

  SqlCatalogParts parts;
  Transactions transactions;
  RecentUses held_uses{SqlUpstreamHoldings::kTouchEvery};
};

// Each part implements the interface that Catalog has of it.
class SqlCatalog final : private SqlCatalogGround,
                         public Catalog,
                         public SqlModules,
                         public SqlProviders,
                         public SqlProviderDocs,
                         public SqlDocVersions,
                         public SqlDrafts,
                         public SqlKeys,
                         public SqlTokens,
                         public SqlNamespaces,
                         public SqlAccounts,
                         public SqlPasswords,
                         public SqlSessions,
                         public SqlLoginCodes,
                         public SqlSetup,
                         public SqlIdentities,
                         public SqlTrust,
                         public SqlBlobReferences,
                         public SqlBlobLedger,
                         public SqlLeases,
                         public SqlReplicas,
                         public SqlContents,
                         public SqlSearchIndex,
                         public SqlNumbers,
                         public SqlSentBytes,
                         public SqlStorageSums,
                         public SqlUsage,
                         public SqlMirrorCounts,
                         public SqlDatabaseTime,
                         public SqlUpstreamDocuments,
                         public SqlUpstreamReleases,
                         public SqlUpstreamModules,
                         public SqlUpstreamHoldings,
                         public SqlUpstreamListings,
                         public SqlAudit,
                         public SqlVerifyRuns,
                         public SqlChangeLog {
 public:
  using Parts = SqlCatalogParts;

  explicit SqlCatalog(Parts given)
      : SqlCatalogGround(std::move(given)),
        SqlModules(transactions),
        SqlProviders(transactions),
        SqlProviderDocs(transactions),
        SqlDocVersions(transactions),
        SqlDrafts(transactions),
        SqlKeys(transactions),
        SqlTokens(transactions),
        SqlNamespaces(transactions),
        SqlAccounts(transactions),
        SqlPasswords(transactions),
        SqlSessions(transactions),
        SqlLoginCodes(transactions),
        SqlSetup(transactions),
        SqlIdentities(transactions),
        SqlTrust(transactions),
        SqlBlobReferences(transactions),
        SqlBlobLedger(transactions),
        SqlLeases(transactions),
        SqlReplicas(transactions),
        SqlContents(transactions),
        SqlSearchIndex(transactions),
        SqlNumbers(transactions),
        SqlSentBytes(transactions),
        SqlStorageSums(transactions),
        SqlUsage(transactions),
        SqlMirrorCounts(transactions),
        SqlDatabaseTime(transactions),
        SqlUpstreamDocuments(transactions, held_uses),
        SqlUpstreamReleases(transactions, held_uses),
        SqlUpstreamModules(transactions, held_uses),
        SqlUpstreamHoldings(transactions, held_uses),
        SqlUpstreamListings(transactions),
        SqlAudit(transactions),
        SqlVerifyRuns(transactions),
        SqlChangeLog(transactions) {}

  std::vector<LaneLoad> Lanes() const override { return parts.database->Loads(); }
};

}  // namespace koya::sql
