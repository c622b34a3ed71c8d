// The chain of the audit log: linking, reading along it, and cutting its old end.
#include <algorithm>
#include <utility>

#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/query.h"
#include "domain/audit_chain.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

// As the indexes have it.
#define KOYA_OF_STRANGERS "(kind = 'denied' AND actor = '')"
constexpr Statement kHasUnlinked{"has_unlinked_audit",
                                 "SELECT id FROM audit WHERE sequence IS NULL AND "
                                 "NOT " KOYA_OF_STRANGERS " ORDER BY id LIMIT 1"};
#define KOYA_AUDIT_ENDS \
  "SELECT anchor_sequence, anchor_hash, head_sequence, head_hash FROM audit_chain WHERE id = 1"
constexpr Statement kFindEnds{"find_audit_ends", KOYA_AUDIT_ENDS};
constexpr Statement kLockEnds{"lock_audit_ends", KOYA_AUDIT_ENDS " {{for update}}"};
// An entry that was written earlier and becomes visible later comes later in the chain.
constexpr auto kListUnlinked = Sql("list_unlinked_audit", kSelectAudit,
                                   "WHERE sequence IS NULL AND "
                                   "NOT " KOYA_OF_STRANGERS " ORDER BY id LIMIT :most");
constexpr Statement kLink{"link_audit",
                          "UPDATE audit SET sequence = :sequence, hash = :hash WHERE id = :id"};
constexpr Statement kMoveHead{"move_audit_head",
                              "UPDATE audit_chain SET head_sequence = :sequence, head_hash = :hash "
                              "WHERE id = 1"};
constexpr auto kListChain =
    Sql("list_audit_chain", kSelectAudit, "WHERE sequence > :after ORDER BY sequence LIMIT :limit");
constexpr Statement kTrim{"trim_audit",
                          "DELETE FROM audit WHERE sequence > :anchor AND sequence <= :last"};
constexpr Statement kMoveAnchor{
    "move_audit_anchor",
    "UPDATE audit_chain SET anchor_sequence = :sequence, anchor_hash = :hash WHERE id = 1"};

constexpr Statement kTrimAnonymous{
    "trim_audit_of_strangers",
    "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE sequence IS NULL AND "
    "kind = 'denied' AND actor = '' AND at < :before ORDER BY at LIMIT :most)"};

constexpr std::uint64_t kLongestRun = 1000;

std::int64_t Within(std::uint64_t most) {
  return static_cast<std::int64_t>(std::min(most, kLongestRun));
}

Result<AuditEnds> ReadEnds(Session& session, const Statement& statement) {
  std::string anchor_hash;
  std::string head_hash;
  AuditEnds ends;
  Query query(session, statement);
  query.Into(ends.anchor.sequence).Into(anchor_hash).Into(ends.head.sequence).Into(head_hash);
  if (!query.Next()) {
    return Failure(StrangeRow({ErrorKind::kCorrupt, "the audit log's ends are missing", {}}));
  }
  ASSIGN_OR_RETURN(ends.anchor.hash, Stored(Digest::Parse(anchor_hash)));
  ASSIGN_OR_RETURN(ends.head.hash, Stored(Digest::Parse(head_hash)));
  return ends;
}

Result<AuditEnds> FindAuditEnds(Session& session) { return ReadEnds(session, kFindEnds); }

Result<std::vector<AuditRecord>> ListUnlinked(Session& session, std::uint64_t most) {
  Query query(session, kListUnlinked);
  query.Use(Within(most));
  return ReadAuditRows(query);
}

Result<std::vector<AuditRecord>> ListAuditChain(Session& session, std::int64_t after,
                                                std::uint64_t limit) {
  Query query(session, kListChain);
  query.Use(after).Use(Within(limit));
  return ReadAuditRows(query);
}

Result<bool> HasUnlinked(Session& session) {
  std::int64_t id = 0;
  Query query(session, kHasUnlinked);
  return query.Into(id).Next();
}

Result<std::uint64_t> ChainAudit(Session& session, std::uint64_t most) {
  ASSIGN_OR_RETURN(AuditEnds ends, ReadEnds(session, kLockEnds));
  ASSIGN_OR_RETURN(std::vector<AuditRecord> unlinked, ListUnlinked(session, most));
  for (const AuditRecord& record : unlinked) {
    ends.head = NextAuditLink(ends.head, record.entry);
    Query link(session, kLink);
    link.Use(ends.head.sequence).Use(ends.head.hash.hex()).Use(record.id).Run();
  }
  if (!unlinked.empty()) {
    Query move(session, kMoveHead);
    move.Use(ends.head.sequence).Use(ends.head.hash.hex()).Run();
  }
  return unlinked.size();
}

Result<std::uint64_t> TrimAudit(Session& session, UnixSeconds before, std::uint64_t most) {
  ASSIGN_OR_RETURN(AuditEnds ends, ReadEnds(session, kLockEnds));
  const std::int64_t anchor = ends.anchor.sequence;
  ASSIGN_OR_RETURN(std::vector<AuditRecord> oldest, ListAuditChain(session, anchor, most));
  for (const AuditRecord& record : oldest) {
    if (record.entry.at >= before) break;
    ends.anchor = *record.link;
  }
  if (ends.anchor.sequence == anchor) return 0;
  std::int64_t removed = 0;
  {
    Query trim(session, kTrim);
    removed = trim.Use(anchor).Use(ends.anchor.sequence).Run();
  }
  Query move(session, kMoveAnchor);
  move.Use(ends.anchor.sequence).Use(ends.anchor.hash.hex()).Run();
  return static_cast<std::uint64_t>(removed);
}

Result<std::uint64_t> TrimAnonymousAudit(Session& session, UnixSeconds before, std::uint64_t most) {
  return static_cast<std::uint64_t>(
      Query(session, kTrimAnonymous).Use(before).Use(Within(most)).Run());
}

}  // namespace

Task<bool> SqlAudit::HasUnlinkedAudit() { return transactions_.Read(&sql::HasUnlinked); }

Task<std::uint64_t> SqlAudit::ChainAudit(std::uint64_t most) {
  return transactions_.Write(&sql::ChainAudit, most);
}

Task<AuditEnds> SqlAudit::FindAuditEnds() { return transactions_.Read(&sql::FindAuditEnds); }

Task<std::vector<AuditRecord>> SqlAudit::ListAuditChain(std::int64_t after, std::uint64_t limit) {
  return transactions_.Read(&sql::ListAuditChain, after, limit);
}

Task<std::uint64_t> SqlAudit::TrimAudit(UnixSeconds before, std::uint64_t most) {
  return transactions_.Write(&sql::TrimAudit, before, most);
}

Task<std::uint64_t> SqlAudit::TrimAnonymousAudit(UnixSeconds before, std::uint64_t most) {
  return transactions_.Write(&sql::TrimAnonymousAudit, before, most);
}

}  // namespace koya::sql
