// Catalog stores records of what exists, and of who may do what. Records only; bytes live in the
// blob store.
//
// It consists of several small interfaces with one implementation (catalog/sql, on SQLite and
// PostgreSQL), and a conformance suite for each (…_suite.cc). Every method is one transaction.
// Threads: any method from any coroutine on any thread; SQL runs on the catalog's own worker pool.
// Fails, besides what a method names: kUnavailable (database gone or busy), kCorrupt, kStorageFull.
#pragma once

#include "catalog/access_catalog.h"
#include "catalog/audit_catalog.h"
#include "catalog/blob_ledger.h"
#include "catalog/catalog_load.h"
#include "catalog/change_log.h"
#include "catalog/contents_catalog.h"
#include "catalog/key_catalog.h"
#include "catalog/module_catalog.h"
#include "catalog/number_catalog.h"
#include "catalog/provider_catalog.h"
#include "catalog/replica_catalog.h"
#include "catalog/search_index.h"
#include "catalog/sent_bytes_catalog.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/storage_catalog.h"
#include "catalog/token_catalog.h"
#include "catalog/upstream_catalog.h"
#include "catalog/usage_catalog.h"

namespace koya {

// All parts of one database's catalog. Code that needs one part takes only that part.
class Catalog : public virtual ModuleCatalog,
                public virtual ProviderCatalog,
                public virtual ProviderDocsCatalog,
                public virtual DraftCatalog,
                public virtual KeyCatalog,
                public virtual TokenCatalog,
                public virtual NamespaceCatalog,
                public virtual AccountCatalog,
                public virtual PasswordCatalog,
                public virtual SessionCatalog,
                public virtual LoginCodeCatalog,
                public virtual SetupCatalog,
                public virtual IdentityCatalog,
                public virtual TrustCatalog,
                public virtual BlobReferences,
                public virtual BlobLedger,
                public virtual LeaseCatalog,
                public virtual InstallationCatalog,
                public virtual ReplicaCatalog,
                public virtual AuditCatalog,
                public virtual ContentsCatalog,
                public virtual SearchIndex,
                public virtual NumberCatalog,
                public virtual SentBytesCatalog,
                public virtual StorageCatalog,
                public virtual UsageCatalog,
                public virtual MirrorCountCatalog,
                public virtual DatabaseTime,
                public virtual CatalogLoad,
                public UpstreamCatalog,
                public virtual ChangeLog {};

}  // namespace koya
