// Upkeep of the mirror in the background.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "service/mirror/context.h"

namespace koya {
struct UpstreamRelease;
class UsageCatalog;
}  // namespace koya

namespace koya::service {

class Inventory;
class ModuleMirror;
class ProviderMirror;

struct WatchReport {
  std::uint64_t lists = 0;    // read
  std::uint64_t pinned = 0;   // releases, before any client asked for them
  std::uint64_t changed = 0;  // held releases of which their registry now offers other bytes
  std::uint64_t failed = 0;   // lists and releases that could not be read
};

// Watches providers and modules of other registries that clients use, while the policy has rules
// for them: reads their lists, so that a version's age counts from the day it appears; pins
// releases of providers that are held, so that their keys are judged and changed bytes are noticed
// before any client gets them. One run at a time.
class MirrorWatch {
 public:
  // What clients fetched within this time is watched.
  static constexpr std::chrono::days kUsedWithin{30};

  // All arguments must outlive this.
  MirrorWatch(MirrorContext context, UsageCatalog& usage, ProviderMirror& providers,
              ModuleMirror& modules)
      : context_(context), usage_(usage), providers_(providers), modules_(modules) {}

  // Looks at everything once, one after the other. When `stop` is set, which outlives the call, it
  // ends soon. Fails: as the catalog.
  Task<WatchReport> Run(const std::atomic<bool>& stop);

  // Since the start, for metrics. Any thread.
  std::uint64_t changed() const { return changed_; }

 private:
  Task<std::string> WatchPage(bool modules, std::string after, const std::atomic<bool>& stop);
  Task<void> WatchProvider(std::string subject);
  Task<void> WatchModule(std::string subject);
  bool IsDue(const std::string& release);

  MirrorContext context_;
  UsageCatalog& usage_;
  ProviderMirror& providers_;
  ModuleMirror& modules_;
  WatchReport report_;                           // of the run
  std::map<std::string, UnixSeconds> examined_;  // held releases
  std::atomic<std::uint64_t> changed_ = 0;
};

// Records who signed releases that were pinned before the catalog recorded it, so that the policy's
// rules on proof judge them.
class SignerBackfill {
 public:
  // Both outlive this.
  SignerBackfill(const MirrorContext& context, Inventory& inventory)
      : context_(context), inventory_(inventory) {}

  struct Report {
    std::uint64_t recorded = 0;
    std::uint64_t unknown = 0;  // their documents are missing, or do not verify: see the log
  };
  // Goes once through such releases: verifies each one's SHA256SUMS again, with the keys that were
  // pinned with it, as of the time when it was pinned. Asks no registry. When `stop` is set, which
  // outlives the call, it ends soon. Fails: as the catalog.
  Task<Report> Run(const std::atomic<bool>& stop);

 private:
  Task<void> RecordSigner(const UpstreamRelease& release);

  const MirrorContext& context_;
  Inventory& inventory_;
};

}  // namespace koya::service
