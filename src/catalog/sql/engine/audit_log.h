// Implements AuditCatalog: the audit log in the database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/audit_catalog.h"
#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/session.h"
#include "domain/actor.h"
#include "domain/audit_record.h"

namespace koya::sql {

inline constexpr std::string_view kAuditKindWord = "audit kind";
template <>
struct Cell<AuditKind> : NamedCell<AuditKind, &ParseAuditKind, &AuditKindName, kAuditKindWord> {};
template <>
struct Cell<Actor> : MembersCell<Actor, &Actor::name, &Actor::token, &Actor::address,
                                 &Actor::user_agent, &Actor::request_id> {};

inline constexpr auto kAuditColumns =
    Columns(Column<&AuditEntry::kind>("kind"), ReadColumn<&AuditEntry::at>("at"),
            Column<&AuditEntry::by>("actor", "token", "address", "user_agent", "request_id"),
            Column<&AuditEntry::action>("action"), Column<&AuditEntry::target>("target"),
            Column<&AuditEntry::ns>("namespace"), Column<&AuditEntry::before>("before_change"),
            Column<&AuditEntry::after>("after_change"), Column<&AuditEntry::count>("count"));
inline constexpr auto kSelectAudit =
    Join("SELECT id, sequence, hash, ", kSelect<kAuditColumns>, " FROM audit ");

// Reads all rows of a query of kSelectAudit whose values are all used. An invalid hash becomes
// zeros, which no entry has: verifying the chain reports the error. Fails: kCorrupt.
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
