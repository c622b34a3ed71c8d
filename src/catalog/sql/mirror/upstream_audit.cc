#include "catalog/sql/mirror/upstream_audit.h"

#include <fmt/format.h>

#include <utility>

#include "catalog/sql/engine/audit_log.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/upstream_record.h"

namespace koya::sql {

std::string MirroredTarget(const UpstreamProvider& provider, const Version& version) {
  return fmt::format("provider:{}@{}", provider.Key(), version.ToString());
}

std::string MirroredTarget(const UpstreamModule& module, const Version& version) {
  return fmt::format("module:{}/{}@{}", module.host.ascii(), module.address.ToString(),
                     version.ToString());
}

void RecordImport(Session& session, const Actor& by, std::string target, std::string after) {
  AuditedChange change{.action = "mirror.import", .target = std::move(target)};
  change.after = std::move(after);
  RecordChange(session, by, change);
}

void RecordRemoval(Session& session, const Actor& by, std::string target, const std::string& held,
                   const std::string& reason) {
  AuditedChange change{.action = "mirror.remove", .target = std::move(target)};
  AuditFacts before;
  change.before = before.Add("held", held).ToJson();
  AuditFacts after;
  if (!reason.empty()) change.after = after.Add("reason", reason).ToJson();
  RecordChange(session, by, change);
}

std::string MirroredBytes(const std::string& platform, const Digest& digest) {
  return fmt::format("{} {}", platform, digest.ToString());
}

}  // namespace koya::sql
