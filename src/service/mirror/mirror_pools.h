// Holds the threads of the mirror.
#pragma once

#include "base/fair_pool.h"
#include "base/offload.h"

namespace koya::service {

// The mirror's threads. A coroutine that blocks on a registry holds a slot for that host
// (base/fair_pool.h). Three pools, since archives take as long as they take: they must not delay
// documents, nor modules packages.
struct MirrorPools {
  // For computing, and for reading stored archives. Declared first, destroyed last: the pools below
  // may still have something computed while they finish.
  WorkerPool workers{8};
  FairPool documents{128, 16};
  FairPool packages{32, 16};
  FairPool modules{32, 16};

  // Ends everything that waits for a registry, soon and as a failure. Running writes to the store
  // complete.
  void Stop() {
    documents.Stop();
    packages.Stop();
    modules.Stop();
  }
};

}  // namespace koya::service
