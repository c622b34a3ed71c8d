// What the parts of UpstreamCatalog share: releases, module versions, and the blobs that packages
// and modules of other registries hold, in the table held_blob, which has a row while a package or
// module is marked as held.
//
// Transactions take locks in this order, so that no two deadlock: a release's or a document's row,
// new packages by platform, held blobs by digest, rows of existing packages, the change log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/recent_uses.h"
#include "catalog/sql/engine/session.h"
#include "catalog/upstream_catalog.h"
#include "domain/digest.h"

namespace koya::sql {

// For the audit log's entries on an administrator's changes to data of other registries. They have
// no namespace: namespaces are this registry's own.
//
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

// Records that the blob is held, within the caller's write transaction and before its package or
// module is marked: releasing takes the same two steps in the same order. Throws as SOCI does.
void HoldBlob(Session& session, const Digest& digest, std::uint64_t size, UnixSeconds used_at);

// Within the caller's transaction. Fails: kNotFound.
Result<UpstreamModuleVersion> FindUpstreamModule(Session& session, const UpstreamModule& module,
                                                 const Version& version);

// Within the caller's transaction. Fails: kNotFound.
Result<UpstreamRelease> FindUpstreamRelease(Session& session, const UpstreamProvider& provider,
                                            const Version& version);

}  // namespace koya::sql
