// Records an administrator's changes to data of other registries in the audit log. The entries have
// no namespace: namespaces are this registry's own.
#pragma once

#include <string>

#include "catalog/sql/engine/session.h"
#include "catalog/upstream_catalog.h"

namespace koya::sql {

// The targets of entries. `module` is in the letter case that was seen first.
std::string MirroredTarget(const UpstreamProvider& provider, const Version& version);
std::string MirroredTarget(const UpstreamModule& module, const Version& version);

// Both as RecordChange. `after`: made by AuditFacts.
void RecordImport(Session& session, const Actor& by, std::string target, std::string after);
// `held`: the released bytes, as MirroredBytes or a module's digest describes them; `reason` may be
// "".
void RecordRemoval(Session& session, const Actor& by, std::string target, const std::string& held,
                   const std::string& reason);

// "linux_amd64 sha256:…"
std::string MirroredBytes(const std::string& platform, const Digest& digest);

}  // namespace koya::sql
