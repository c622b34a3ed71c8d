// Reads rows of the table audit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/sql/engine/query.h"
#include "domain/audit_record.h"

namespace koya::sql {

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

}  // namespace koya::sql
