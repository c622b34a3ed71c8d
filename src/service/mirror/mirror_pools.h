// The threads of the mirror.
#pragma once

#include "base/fair_pool.h"
#include "base/offload.h"

namespace koya::service {

// The mirror's threads. Whoever blocks on a registry takes a place for the host that it waits for
// (base/fair_pool.h). Three pools, as archives take as long as they take: they must not keep
// documents waiting, nor modules packages.
struct MirrorPools {
  // For computing, and for reading archives that are here. First, so that it goes last: what the
  // pools below wait for at their end may still have something computed.
  WorkerPool workers{8};
  FairPool documents{128, 16};
  FairPool packages{32, 16};
  FairPool modules{32, 16};

  // Everything that waits for a registry ends, soon and as a failure. What is being kept is kept.
  void Stop() {
    documents.Stop();
    packages.Stop();
    modules.Stop();
  }
};

}  // namespace koya::service
