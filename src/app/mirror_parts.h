// Builds the client side of other registries from the settings.
#pragma once

#include <memory>

#include "app/settings.h"
#include "app/stores.h"
#include "archive/archive_limits.h"
#include "obs/log.h"
#include "obs/metrics.h"
#include "service/common/change_feed.h"
#include "service/mirror/mirror.h"
#include "upstream/upstream_options.h"

namespace koya {

// How this server behaves towards upstreams: settings upstream.*.
upstream::UpstreamOptions UpstreamOptionsOf(const Settings& settings);

// Owns the dependencies of the mirror and their threads, which the destructor joins.
class MirrorParts {
 public:
  // All arguments must outlive this. `cluster`: null for a server that is alone. Fails:
  // kInvalid for settings that cannot be used.
  static Result<std::unique_ptr<MirrorParts>> Create(
      const Settings& settings, const Stores& stores, service::ChangeFeed& changes,
      const Clock& clock, service::LastUsedTracker& uses, Logger& log,
      const service::ClusterLinks* cluster, service::IndexQueue& index, service::Freeze& freeze);
  ~MirrorParts();

  service::Mirror& mirror();
  // Makes everything that waits for a registry fail soon. Call when no request waits for one any
  // more.
  void Stop();
  // koya_mirror_…: fetches, failures, and contents that were rejected because they had changed.
  void AddMetrics(Metrics& metrics);

 private:
  struct Impl;
  explicit MirrorParts(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Archive limits, as the settings define them.
inline ArchiveLimits ModuleLimitsOf(const Settings& settings) {
  return {.unpacked_bytes = settings.limits.module_unpacked_bytes,
          .ratio = settings.limits.archive_ratio,
          .entries = settings.limits.archive_entries};
}

// Limits for a provider's zip.
inline ArchiveLimits ZipLimitsOf(const Settings& settings) {
  return {.unpacked_bytes = settings.limits.provider_unpacked_bytes,
          .ratio = settings.limits.archive_ratio,
          .entries = settings.limits.archive_entries,
          .unpacked_name = kProviderUnpackedLimit};
}

}  // namespace koya
