#include "catalog/sql/engine/audit_row.h"

#include <fmt/format.h>

#include <utility>

#include "catalog/sql/engine/module_version_row.h"

namespace koya::sql {

void AuditRow::Bind(Query& query) {
  AuditEntry& entry = record.entry;
  query.Into(record.id).Into(kind).Into(entry.at);
  query.Into(entry.by.name).Into(entry.by.token).Into(entry.by.address);
  query.Into(entry.by.user_agent).Into(entry.by.request_id);
  query.Into(entry.action).Into(entry.target).Into(entry.ns);
  query.Into(entry.before).Into(entry.after).Into(count).Into(sequence).Into(hash);
}

Result<AuditRecord> AuditRow::ToRecord() const {
  AuditRecord out = record;
  std::optional<AuditKind> parsed = ParseAuditKind(kind);
  if (!parsed) {
    return Failure(StrangeRow(
        {ErrorKind::kCorrupt, fmt::format("audit entry {} of kind {}", record.id, kind), {}}));
  }
  out.entry.kind = *parsed;
  out.entry.count = static_cast<std::uint64_t>(count);
  if (!sequence) return out;
  out.link = AuditAnchor{.sequence = *sequence};
  Result<Digest> digest = Digest::Parse(hash.value_or(""));
  if (digest) out.link->hash = *digest;
  return out;
}

Result<std::vector<AuditRecord>> ReadAuditRows(Query& query) {
  std::vector<AuditRecord> records;
  AuditRow row;
  row.Bind(query);
  while (query.Next()) {
    ASSIGN_OR_RETURN(AuditRecord record, row.ToRecord());
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace koya::sql
