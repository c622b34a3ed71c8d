// Implements UpstreamReleases: releases of other registries in the database.
//
// Transactions take locks in this order, so that no two deadlock: a release's or a document's row,
// new packages by platform, held blobs by digest (holdings.h), rows of existing packages, the
// change log.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "catalog/sql/engine/executor.h"
#include "catalog/sql/engine/recent_uses.h"
#include "catalog/upstream_catalog.h"

namespace koya::sql {

class SqlUpstreamReleases : public virtual UpstreamReleases {
 public:
  // `uses` forgets blobs that become held.
  SqlUpstreamReleases(Executor& transactions, RecentUses& uses)
      : transactions_(transactions), uses_(uses) {}

  Task<UpstreamRelease> PinRelease(UpstreamRelease release, bool add_platforms) override;
  Task<UpstreamRelease> ImportRelease(Actor by, UpstreamRelease release) override;
  Task<UpstreamRelease> FindUpstreamRelease(UpstreamProvider provider, Version version) override;
  Task<std::vector<Version>> ListUpstreamVersions(UpstreamProvider provider) override;
  Task<std::vector<UpstreamRelease>> ListUpstreamReleases(
      std::optional<std::pair<UpstreamProvider, Version>> after, std::uint64_t limit) override;
  Task<void> HoldPackage(UpstreamProvider provider, Version version,
                         UpstreamPackage package) override;

 private:
  // Call after a pin.
  void ForgetUsesOf(const Result<UpstreamRelease>& kept);

  Executor& transactions_;
  RecentUses& uses_;
};

// Within the caller's transaction. Fails: kNotFound.
Result<UpstreamRelease> FindUpstreamRelease(Session& session, const UpstreamProvider& provider,
                                            const Version& version);

}  // namespace koya::sql
