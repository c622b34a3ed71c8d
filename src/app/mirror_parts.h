// The client side of other registries, put together from the settings.
#pragma once

#include <memory>

#include "app/settings.h"
#include "app/stores.h"
#include "obs/log.h"
#include "obs/metrics.h"
#include "service/change_feed.h"
#include "service/mirror/mirror.h"
#include "upstream/upstream_options.h"

namespace koya {

// How this server behaves towards whom it asks: settings upstream.*.
upstream::UpstreamOptions UpstreamOptionsOf(const Settings& settings);

// Owns what the mirror is made of, threads included; they are waited for when it goes.
class MirrorParts {
 public:
  // Everything given must outlive this. Fails: kInvalid for settings that cannot be used.
  static Result<std::unique_ptr<MirrorParts>> Create(const Settings& settings, const Stores& stores,
                                                     service::ChangeFeed& changes,
                                                     const Clock& clock, service::UseNotes& uses,
                                                     Logger& log, service::ClusterLinks cluster,
                                                     service::IndexQueue& index);
  ~MirrorParts();

  service::Mirror& mirror();
  // Everything that waits for a registry ends soon, as a failure. To be called once nobody waits
  // for it any more.
  void Stop();
  // koya_mirror_…: what was fetched, what failed, what was refused because it had changed.
  void AddMetrics(Metrics& metrics);

 private:
  struct Impl;
  explicit MirrorParts(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
