// The audit log in the database. See AuditCatalog.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/audit_catalog.h"
#include "catalog/sql/session.h"
#include "catalog/sql/transactions.h"
#include "domain/actor.h"
#include "domain/audit_record.h"

namespace koya::sql {

// What a change of the catalog is, to the audit log. See AuditEntry.
struct AuditedChange {
  std::string_view action;
  std::string target;
  std::string ns;      // in any letter case; "": none, or several
  std::string before;  // made by AuditFacts, or ""
  std::string after;
};

// Adds an entry within the caller's write transaction, at the database's time. It takes no lock
// that another writer, or who links entries, could wait for. Call it when it is sure that the
// change happens, and before AppendChange, which makes others wait. Throws as SOCI does.
void RecordChange(Session& session, const Actor& by, const AuditedChange& change);

class SqlAudit : public virtual AuditCatalog {
 public:
  explicit SqlAudit(Transactions& transactions) : transactions_(transactions) {}

  Task<void> AppendAudit(std::vector<AuditEntry> entries) override;
  Task<std::vector<AuditRecord>> ListAudit(AuditFilter filter, std::uint64_t limit) override;
  Task<bool> HasUnlinkedAudit() override;
  Task<std::uint64_t> ChainAudit(std::uint64_t most) override;
  Task<AuditEnds> FindAuditEnds() override;
  Task<std::vector<AuditRecord>> ListAuditChain(std::int64_t after, std::uint64_t limit) override;
  Task<std::uint64_t> TrimAudit(UnixSeconds before, std::uint64_t most) override;
  Task<std::uint64_t> TrimStrangersAudit(UnixSeconds before, std::uint64_t most) override;

 private:
  Transactions& transactions_;
};

}  // namespace koya::sql
