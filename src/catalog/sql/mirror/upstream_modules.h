// Implements UpstreamModules: module versions of other registries in the database. Locks:
// upstream_releases.h.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "catalog/sql/engine/executor.h"
#include "catalog/sql/engine/recent_uses.h"
#include "catalog/upstream_catalog.h"

namespace koya::sql {

class SqlUpstreamModules : public virtual UpstreamModules {
 public:
  // `uses` forgets blobs that become held.
  SqlUpstreamModules(Executor& transactions, RecentUses& uses)
      : transactions_(transactions), uses_(uses) {}

  Task<UpstreamModuleVersion> PinModule(UpstreamModuleVersion version) override;
  Task<UpstreamModuleVersion> ImportModule(Actor by, UpstreamModuleVersion version) override;
  Task<UpstreamModuleVersion> FindUpstreamModule(UpstreamModule module, Version version) override;
  Task<std::vector<Version>> ListUpstreamModuleVersions(UpstreamModule module) override;
  Task<std::vector<UpstreamModuleVersion>> ListUpstreamModuleArchives(
      std::optional<std::pair<UpstreamModule, Version>> after, std::uint64_t limit) override;

 private:
  Executor& transactions_;
  RecentUses& uses_;
};

// Within the caller's transaction. Fails: kNotFound.
Result<UpstreamModuleVersion> FindUpstreamModule(Session& session, const UpstreamModule& module,
                                                 const Version& version);

}  // namespace koya::sql
