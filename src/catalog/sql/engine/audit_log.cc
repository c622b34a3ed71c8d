#include "catalog/sql/engine/audit_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/audit_record.h"
#include "domain/namespace_record.h"
#include "domain/use.h"

namespace koya::sql {

Result<std::vector<AuditRecord>> ReadAuditRows(Query& query) {
  std::vector<AuditRecord> records;
  std::int64_t id = 0;
  std::optional<std::int64_t> sequence;
  std::optional<std::string> hash;
  query.Into(id).Into(sequence).Into(hash);
  RecordReader reader(query, kAuditColumns);
  while (query.Next()) {
    ASSIGN_OR_RETURN(AuditEntry entry, reader.Read());
    AuditRecord& record = records.emplace_back(id, std::move(entry));
    if (!sequence) continue;
    record.link = AuditAnchor{.sequence = *sequence};
    Result<Digest> digest = Digest::Parse(hash.value_or(""));
    if (digest) record.link->hash = *digest;
  }
  return records;
}

namespace {

constexpr auto kAppendAudit =
    Sql("append_audit", "INSERT INTO audit (at, ", kNames<kAuditColumns>,
        ") VALUES (COALESCE(:at, {{now}}), ", kValues<kAuditColumns>, ")");
// The rest is put together from the filter: conditions, then kAuditPage.
constexpr auto kListAudit = Sql("list_audit", kSelectAudit, "WHERE id < :below");
constexpr std::string_view kIsBy = " AND lower(actor) = :actor";
// "token." up to "token/", which follows "token." in ASCII.
constexpr std::string_view kIsAction =
    "(action = :action{0} OR (action >= :action_from{0} AND action < :action_to{0}))";
constexpr std::string_view kBeginsTarget = " AND target >= :target AND target < :target_to";
constexpr std::string_view kIsIn = " AND namespace = :namespace";
constexpr std::string_view kIsFrom = " AND address = :address";
constexpr std::string_view kIsWithToken = " AND token = :token";
constexpr std::string_view kIsKind = " AND kind = :kind";
constexpr std::string_view kIsSince = " AND at >= :since";
constexpr std::string_view kIsUntil = " AND at < :until";
constexpr std::string_view kAuditPage = " ORDER BY id DESC LIMIT :limit";
// Greater than all that people write.
constexpr std::string_view kGreatest = "\U0010FFFF";

// Printable() goes beyond its measure by the length of a character and of "…".
constexpr std::size_t kOverhang = 6;
constexpr std::size_t kMostTarget = 512;

std::string Fit(std::string_view text, std::size_t most = Actor::kMostText) {
  return Printable(text, most - kOverhang);
}

void AppendEntry(Session& session, AuditEntry entry, std::optional<UnixSeconds> at) {
  Actor& by = entry.by;
  for (std::string* text :
       {&by.name, &by.token, &by.address, &by.user_agent, &by.request_id, &entry.action}) {
    *text = Fit(*text);
  }
  entry.target = Fit(entry.target, kMostTarget);
  entry.ns = Fit(NamespaceKey(entry.ns));
  Query query(session, kAppendAudit);
  UseRecord(query.Use(at), kAuditColumns, entry).Run();
}

Status AppendAudit(Session& session, const std::vector<AuditEntry>& entries) {
  for (const AuditEntry& entry : entries) {
    RETURN_IF_ERROR(CheckStorable("what an audit entry says of before", entry.before));
    RETURN_IF_ERROR(CheckStorable("what an audit entry says of after", entry.after));
    AppendEntry(session, entry, entry.at);
  }
  return {};
}

bool CanMatchAudit(const AuditFilter& filter) {
  return IsStorable(filter.actor) && IsStorable(filter.action) && IsStorable(filter.target) &&
         IsStorable(filter.ns) && IsStorable(filter.address) && IsStorable(filter.token);
}

std::vector<std::string_view> ActionsOf(const AuditFilter& filter) {
  std::vector<std::string_view> actions;
  for (const auto& part : std::views::split(filter.action, ',')) {
    if (!part.empty()) actions.emplace_back(part);
    if (actions.size() == AuditFilter::kMostActions) break;
  }
  return actions;
}

std::string AnyAction(std::size_t actions) {
  std::vector<std::string> any;
  for (std::size_t i = 0; i < actions; ++i) any.push_back(fmt::format(fmt::runtime(kIsAction), i));
  return fmt::format(" AND ({})", fmt::join(any, " OR "));
}

std::string AuditListingText(const AuditFilter& filter) {
  std::string text(kListAudit.text);
  if (!filter.actor.empty()) text += kIsBy;
  if (std::size_t actions = ActionsOf(filter).size(); actions > 0) text += AnyAction(actions);
  if (!filter.target.empty()) text += kBeginsTarget;
  if (!filter.ns.empty()) text += kIsIn;
  if (!filter.address.empty()) text += kIsFrom;
  if (!filter.token.empty()) text += kIsWithToken;
  if (filter.kind) text += kIsKind;
  if (filter.since) text += kIsSince;
  if (filter.until) text += kIsUntil;
  return text.append(kAuditPage);
}

void UseAuditFilter(Query& query, const AuditFilter& filter) {
  query.Use(filter.below.value_or(INT64_MAX));
  if (!filter.actor.empty()) query.Use(AsciiLower(filter.actor));
  for (const std::string_view each : ActionsOf(filter)) {
    const std::string action(each);
    query.Use(action).Use(action + ".").Use(action + "/");
  }
  if (!filter.target.empty()) {
    query.Use(filter.target).Use(filter.target + std::string(kGreatest));
  }
  if (!filter.ns.empty()) query.Use(NamespaceKey(filter.ns));
  if (!filter.address.empty()) query.Use(filter.address);
  if (!filter.token.empty()) query.Use(filter.token);
  if (filter.kind) query.Use(AuditKindName(*filter.kind));
  if (filter.since) query.Use(*filter.since);
  if (filter.until) query.Use(*filter.until);
}

Result<std::vector<AuditRecord>> ListAudit(Session& session, const AuditFilter& filter,
                                           std::uint64_t limit) {
  if (!CanMatchAudit(filter)) return std::vector<AuditRecord>();
  const std::string text = AuditListingText(filter);
  Query query(session, Statement{kListAudit.name, text});
  UseAuditFilter(query, filter);
  query.Use(static_cast<std::int64_t>(std::min<std::uint64_t>(limit, 1000)));
  return ReadAuditRows(query);
}

}  // namespace

void RecordChange(Session& session, const Actor& by, const AuditedChange& change) {
  AuditEntry entry{.kind = AuditKind::kChange,
                   .at = 0,
                   .by = by,
                   .action = std::string(change.action),
                   .target = change.target,
                   .ns = change.ns,
                   .before = change.before,
                   .after = change.after};
  AppendEntry(session, std::move(entry), std::nullopt);
}

Task<void> SqlAudit::AppendAudit(std::vector<AuditEntry> entries) {
  return transactions_.Write(&sql::AppendAudit, std::move(entries));
}

Task<std::vector<AuditRecord>> SqlAudit::ListAudit(AuditFilter filter, std::uint64_t limit) {
  return transactions_.Read(&sql::ListAudit, std::move(filter), limit);
}

namespace {

// The chain of the audit log: linking, reading along it, and cutting its old end.

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
