// Records who signed releases that were pinned before the catalog recorded it, so that the policy's
// rules on proof judge them.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/task.h"
#include "service/mirror/context.h"

namespace koya {
struct UpstreamRelease;
}

namespace koya::service {

class Inventory;

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
