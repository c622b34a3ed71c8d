#include "catalog/sql/engine/audit_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
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
    " AND (action = :action OR (action >= :action_from AND action < :action_to))";
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

std::string AuditListingText(const AuditFilter& filter) {
  std::string text(kListAudit.text);
  if (!filter.actor.empty()) text += kIsBy;
  if (!filter.action.empty()) text += kIsAction;
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
  if (!filter.action.empty()) {
    query.Use(filter.action).Use(filter.action + ".").Use(filter.action + "/");
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

}  // namespace koya::sql
