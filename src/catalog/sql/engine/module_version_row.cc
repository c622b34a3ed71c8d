#include "catalog/sql/engine/module_version_row.h"

#include "domain/archive_kind.h"
#include "domain/digest.h"
#include "domain/module_address.h"
#include "domain/module_record.h"
#include "domain/version.h"
#include "domain/version_step.h"
#include "domain/withdrawal.h"

namespace koya::sql {

Error StrangeRow(const Error& cause) {
  return {ErrorKind::kCorrupt, "the server's catalog contains an invalid record; see its log",
          cause.message};
}

void ModuleVersionRow::Bind(Query& query) {
  query.Into(ns).Into(name).Into(system).Into(version).Into(archive_kind).Into(digest).Into(size);
  query.Into(upload_digest).Into(description).Into(published_at).Into(published_by);
  query.Into(withdrawn_at).Into(withdrawn_by).Into(withdrawn_reason).Into(provenance);
  query.Into(deprecation).Into(step).Into(withdrawn_successor).Into(withdrawn_kept_until);
}

Result<ModuleVersionRecord> ModuleVersionRow::ToRecord() const {
  Result<ModuleAddress> address = ModuleAddress::FromParts(ns, name, system);
  if (!address) return Failure(StrangeRow(address.error()));
  Result<Version> parsed = Version::Parse(version);
  if (!parsed) return Failure(StrangeRow(parsed.error()));
  Result<Digest> served = Digest::Parse(digest);
  if (!served) return Failure(StrangeRow(served.error()));
  Result<Digest> uploaded = Digest::Parse(upload_digest);
  if (!uploaded) return Failure(StrangeRow(uploaded.error()));
  std::optional<ArchiveKind> kind = ParseArchiveKind(archive_kind);
  if (!kind) return Failure(StrangeRow({ErrorKind::kCorrupt, "archive kind " + archive_kind, {}}));
  return ModuleVersionRecord{.address = *std::move(address),
                             .version = *std::move(parsed),
                             .kind = *kind,
                             .digest = *served,
                             .size = static_cast<std::uint64_t>(size),
                             .upload_digest = *uploaded,
                             .description = description,
                             .published_at = published_at,
                             .published_by = published_by,
                             .provenance = provenance,
                             .deprecation = deprecation,
                             .step = VersionStep::Parse(step)};
}

std::optional<Withdrawal> ModuleVersionRow::ToWithdrawal() const {
  if (!withdrawn_at) return std::nullopt;
  return Withdrawal{.at = *withdrawn_at,
                    .by = withdrawn_by.value_or(""),
                    .reason = withdrawn_reason.value_or(""),
                    .successor = withdrawn_successor,
                    .kept_until = withdrawn_kept_until};
}

}  // namespace koya::sql
