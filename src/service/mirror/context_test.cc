#include "service/mirror/context.h"

#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <utility>

namespace koya::service {
namespace {

struct AtThreadsEnd {
  std::promise<void>* tell = nullptr;
  ~AtThreadsEnd() {
    if (tell != nullptr) tell->set_value();
  }
};

Awaitable<void> TellWhenThisThreadEnds(std::promise<void>& ended) {
  thread_local AtThreadsEnd end;
  end.tell = &ended;
  co_return;
}

Awaitable<void> ComputeOnce(std::future<void> may, WorkerPool& workers, int& computed) {
  may.wait();
  auto compute = [] { return 7; };
  computed = co_await Offload(workers, compute);
}

// Pools end one after the other, and the last of them may still have something computed.
TEST(MirrorPoolsTest, WhatIsUnderWayAtTheEndComputesOnThreadsThatAreStillThere) {
  std::promise<void> ended;
  int computed = 0;
  std::optional<MirrorPools> pools(std::in_place);
  pools->modules.Spawn(TellWhenThisThreadEnds(ended));
  pools->documents.Spawn(ComputeOnce(ended.get_future(), pools->workers, computed));
  pools.reset();
  EXPECT_EQ(computed, 7);
}

}  // namespace
}  // namespace koya::service
