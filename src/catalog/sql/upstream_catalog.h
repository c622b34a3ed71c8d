// The mirror tables' SQL: one function per operation of UpstreamCatalog (catalog/
// upstream_catalog.h), where their contracts stand. Blocking; each throws as SOCI does.
//
// Locks are taken in this order, so that no two transactions wait for each other: a release's or a
// document's row, new packages by platform, held blobs by digest (held_blob.h), rows of packages
// that were there, the change log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog/sql/session.h"
#include "catalog/upstream_catalog.h"

namespace koya::sql {

// What a pin left behind, and whether it changed what documents show.
template <class T>
struct Pinned {
  T kept;
  bool changed = false;
};

// Within a write transaction. The ones that return bool: whether what documents show changed.
Result<bool> PutDocument(Session& session, const HeldDocument& document);
Status ConfirmDocument(Session& session, const std::string& key, UnixSeconds checked_at);
Result<Pinned<UpstreamRelease>> PinRelease(Session& session, const UpstreamRelease& release,
                                           bool add_platforms);
Result<bool> HoldPackage(Session& session, const UpstreamProvider& provider, const Version& version,
                         const UpstreamPackage& package);
Result<Pinned<UpstreamModuleVersion>> PinModule(Session& session,
                                                const UpstreamModuleVersion& version);
Status TouchHeld(Session& session, const Digest& digest, UnixSeconds at);
std::uint64_t ReleaseHeld(Session& session, const Digest& digest);
Result<bool> ReleasePackage(Session& session, const UpstreamProvider& provider,
                            const Version& version, const Platform& platform);
Result<bool> ReleaseModule(Session& session, const UpstreamModule& module, const Version& version);
Result<std::vector<EvictedBlob>> EvictHeld(Session& session, const EvictionRule& rule);

// One statement each.
Result<HeldDocument> FindDocument(Session& session, const std::string& key);
Result<UpstreamRelease> FindUpstreamRelease(Session& session, const UpstreamProvider& provider,
                                            const Version& version);
Result<std::vector<Version>> ListUpstreamVersions(Session& session,
                                                  const UpstreamProvider& provider);
Result<std::vector<UpstreamRelease>> ListUpstreamReleases(
    Session& session, const std::optional<std::pair<UpstreamProvider, Version>>& after,
    std::uint64_t limit);
Result<UpstreamModuleVersion> FindUpstreamModule(Session& session, const UpstreamModule& module,
                                                 const Version& version);
Result<std::vector<Version>> ListUpstreamModuleVersions(Session& session,
                                                        const UpstreamModule& module);
Result<std::vector<UpstreamModuleVersion>> ListUpstreamModuleArchives(
    Session& session, const std::optional<std::pair<UpstreamModule, Version>>& after,
    std::uint64_t limit);
std::uint64_t HeldBytes(Session& session);

}  // namespace koya::sql
