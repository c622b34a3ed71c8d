#include "app/operations.h"

#include <gtest/gtest.h>

namespace koya {
namespace {

using std::chrono::milliseconds;
using Reasons = std::vector<std::string>;

TEST(ReadinessTest, ACatalogThatIsSilentForFiveSecondsIsAReason) {
  struct Case {
    ServingPhase phase;
    milliseconds silence;
    Reasons reasons;
  };
  const Case kCases[] = {
      {ServingPhase::kServing, milliseconds(0), {}},
      {ServingPhase::kServing, milliseconds(5000), {}},
      {ServingPhase::kServing, milliseconds(5001), {"the catalog has not answered for 5 s"}},
      {ServingPhase::kServing, milliseconds(61'700), {"the catalog has not answered for 61 s"}},
      {ServingPhase::kStarting, milliseconds(0), {"starting"}},
      // It was not asked yet.
      {ServingPhase::kStarting, milliseconds(1'000'000), {"starting"}},
      {ServingPhase::kStopping, milliseconds(0), {"stopping"}},
      {ServingPhase::kStopping,
       milliseconds(7000),
       {"stopping", "the catalog has not answered for 7 s"}},
  };
  for (const Case& item : kCases) {
    EXPECT_EQ(ReasonsNotReady(item.phase, item.silence), item.reasons) << item.silence;
  }
}

}  // namespace
}  // namespace koya
