// Implements AuditCatalog: the audit log in the database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/audit_catalog.h"
#include "catalog/sql/engine/executor.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/session.h"
#include "domain/actor.h"
#include "domain/audit_record.h"

namespace koya::sql {

// A row of the table audit.
struct AuditRow {
  // Columns of a SELECT, in the order of Bind.
#define KOYA_AUDIT_COLUMNS                                                                   \
  "id, kind, at, actor, token, address, user_agent, request_id, action, target, namespace, " \
  "before_change, after_change, count, sequence, hash"

  void Bind(Query& query);
  // An invalid hash becomes zeros, which no entry has: verifying the chain reports the error.
  // Fails: kCorrupt, when the kind is one that this program never writes.
  Result<AuditRecord> ToRecord() const;

  AuditRecord record;  // without kind, count and link
  std::string kind;
  std::int64_t count = 0;
  std::optional<std::int64_t> sequence;
  std::optional<std::string> hash;
};

// All rows of a query that SELECTs KOYA_AUDIT_COLUMNS.
Result<std::vector<AuditRecord>> ReadAuditRows(Query& query);

// A change of the catalog, as the audit log records it. See AuditEntry.
struct AuditedChange {
  std::string_view action;
  std::string target;
  std::string ns;      // in any letter case; "": none, or several
  std::string before;  // made by AuditFacts, or ""
  std::string after;
};

// Adds an entry within the caller's write transaction, at the database's time. Takes no lock that
// another writer, or the linking of entries, could wait for. Call it when the change is certain,
// and before AppendChange, which makes other writers wait. Throws as SOCI does.
void RecordChange(Session& session, const Actor& by, const AuditedChange& change);

class SqlAudit : public virtual AuditCatalog {
 public:
  explicit SqlAudit(Executor& transactions) : transactions_(transactions) {}

  Task<void> AppendAudit(std::vector<AuditEntry> entries) override;
  Task<std::vector<AuditRecord>> ListAudit(AuditFilter filter, std::uint64_t limit) override;
  Task<bool> HasUnlinkedAudit() override;
  Task<std::uint64_t> ChainAudit(std::uint64_t most) override;
  Task<AuditEnds> FindAuditEnds() override;
  Task<std::vector<AuditRecord>> ListAuditChain(std::int64_t after, std::uint64_t limit) override;
  Task<std::uint64_t> TrimAudit(UnixSeconds before, std::uint64_t most) override;
  Task<std::uint64_t> TrimAnonymousAudit(UnixSeconds before, std::uint64_t most) override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
