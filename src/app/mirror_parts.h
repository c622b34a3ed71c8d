// The client side of other registries, put together from the settings.
#pragma once

#include <memory>
#include <vector>

#include "app/settings.h"
#include "app/stores.h"
#include "obs/log.h"
#include "obs/metrics.h"
#include "service/change_feed.h"
#include "service/mirror_check.h"
#include "service/mirror_import.h"
#include "service/mirror_stock.h"
#include "service/module_mirror.h"
#include "service/provider_mirror.h"
#include "service/published_check.h"

namespace koya {

// Owns what the mirror is made of, threads included; they are waited for when it goes.
class MirrorParts {
 public:
  // Everything given must outlive this. Fails: kInvalid for settings that cannot be used.
  static Result<std::unique_ptr<MirrorParts>> Create(const Settings& settings, const Stores& stores,
                                                     service::ChangeFeed& changes,
                                                     const Clock& clock, Logger& log);
  ~MirrorParts();

  service::ProviderMirror& mirror();
  service::ModuleMirror& module_mirror();
  service::MirrorStock& stock();
  service::MirrorImport& import();
  service::MirrorCheck& check();
  // The registries that may be pulled from.
  const std::vector<HostName>& hosts() const;
  // Everything that waits for a registry ends soon, as a failure. To be called once nobody waits
  // for it any more.
  void Stop();
  service::PublishedCheck& published_check();
  // koya_mirror_…: what was fetched, what failed, what was refused because it had changed.
  void AddMetrics(Metrics& metrics);

 private:
  struct Impl;
  explicit MirrorParts(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
