// Reads rows of module_version joined with module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "catalog/sql/engine/query.h"

namespace koya {
struct ModuleVersionRecord;
struct Withdrawal;
}  // namespace koya

namespace koya::sql {

struct ModuleVersionRow {
  // Columns of a SELECT, in the order of Bind. The tables' aliases are m and v.
#define KOYA_MODULE_VERSION_COLUMNS                                                               \
  "m.namespace, m.name, m.system, v.version, v.archive_kind, v.digest, v.size, v.upload_digest, " \
  "v.description, v.published_at, v.published_by, v.withdrawn_at, v.withdrawn_by, "               \
  "v.withdrawn_reason, COALESCE(v.provenance, ''), COALESCE(v.deprecation, ''), "                 \
  "COALESCE(v.step, ''), v.withdrawn_successor, v.withdrawn_kept_until"

  void Bind(Query& query);
  // Fails: kCorrupt when the row has a value that this program never writes.
  Result<ModuleVersionRecord> ToRecord() const;
  std::optional<Withdrawal> ToWithdrawal() const;

  std::string ns, name, system, version, archive_kind, digest, upload_digest;
  std::string description, published_by, provenance, deprecation, step;
  std::int64_t size = 0;
  std::int64_t published_at = 0;
  std::optional<std::int64_t> withdrawn_at;
  std::optional<std::string> withdrawn_by, withdrawn_reason;
  std::string withdrawn_successor;
  std::int64_t withdrawn_kept_until = 0;
};

// The error for a row that this program did not write.
Error StrangeRow(const Error& cause);

}  // namespace koya::sql
