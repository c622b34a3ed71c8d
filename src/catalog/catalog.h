// Catalog stores records of what exists, and of who may do what. Records only; bytes live in the
// blob store.
//
// It consists of small parts on SQLite and PostgreSQL (catalog/sql), with a conformance suite for
// each (…_suite.cc). A part is an interface only where tests have another implementation. Every
// method is one transaction. Threads: any method from any coroutine on any thread; SQL runs on the
// catalog's own worker pool. Fails, besides what a method names: kUnavailable (database gone or
// busy), kCorrupt, kStorageFull.
#pragma once

#include "catalog/access_catalog.h"
#include "catalog/attachment_catalog.h"
#include "catalog/audit_catalog.h"
#include "catalog/blob_ledger.h"
#include "catalog/catalog_load.h"
#include "catalog/change_log.h"
#include "catalog/contents_catalog.h"
#include "catalog/key_catalog.h"
#include "catalog/module_catalog.h"
#include "catalog/notification_catalog.h"
#include "catalog/number_catalog.h"
#include "catalog/policy_catalog.h"
#include "catalog/provider_catalog.h"
#include "catalog/record_catalog.h"
#include "catalog/replica_catalog.h"
#include "catalog/search_index.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/storage_catalog.h"
#include "catalog/token_catalog.h"
#include "catalog/upstream_catalog.h"
#include "catalog/usage_catalog.h"

namespace koya {

// All parts of one database's catalog. Code that needs one part takes only that part.
class Catalog : public ModuleCatalog,
                public ProviderCatalog,
                public ProviderDocsCatalog,
                public DraftCatalog,
                public AttachmentCatalog,
                public KeyCatalog,
                public TokenCatalog,
                public NamespaceCatalog,
                public AccountCatalog,
                public LoginCodeCatalog,
                public SetupCatalog,
                public TrustCatalog,
                public InstallationCatalog,
                public ReplicaCatalog,
                public ContentsCatalog,
                public StorageCatalog,
                public RecordCatalog,
                public UpstreamCatalog,
                public PolicyCatalog,
                public WatchCatalog,
                public MailCatalog,
                public virtual PasswordCatalog,
                public virtual SessionCatalog,
                public virtual IdentityCatalog,
                public virtual BlobReferences,
                public virtual BlobLedger,
                public virtual LeaseCatalog,
                public virtual AuditCatalog,
                public virtual SearchIndex,
                public virtual NumberCatalog,
                public virtual SentBytesCatalog,
                public virtual UsageCatalog,
                public virtual MirrorCountCatalog,
                public virtual DatabaseTime,
                public virtual CatalogLoad,
                public virtual ChangeLog {
 protected:
  // All must outlive this. `touched_tokens`, `touched_blobs`: uses that this server recorded
  // lately.
  Catalog(sql::Executor& transactions, sql::RecentUses& touched_tokens,
          sql::RecentUses& touched_blobs)
      : ModuleCatalog(transactions),
        ProviderCatalog(transactions),
        ProviderDocsCatalog(transactions),
        DraftCatalog(transactions),
        AttachmentCatalog(transactions),
        KeyCatalog(transactions),
        TokenCatalog(transactions, touched_tokens),
        NamespaceCatalog(transactions),
        AccountCatalog(transactions),
        LoginCodeCatalog(transactions),
        SetupCatalog(transactions),
        TrustCatalog(transactions),
        InstallationCatalog(transactions),
        ReplicaCatalog(transactions),
        ContentsCatalog(transactions),
        StorageCatalog(transactions),
        RecordCatalog(transactions),
        UpstreamCatalog(transactions, touched_blobs),
        PolicyCatalog(transactions),
        WatchCatalog(transactions),
        MailCatalog(transactions) {}
};

}  // namespace koya
