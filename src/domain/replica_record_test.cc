#include "domain/replica_record.h"

#include <gtest/gtest.h>

namespace koya {
namespace {

TEST(ReplicaRecordTest, DifferencesNameTheSettingAndTheServers) {
  using Texts = std::vector<std::string>;
  const SharedSettings one{"one:8443", {{"policy.allow", "aa"}, {"policy.deny", "dd"}}};
  const SharedSettings two{"two:8443", {{"policy.allow", "aa"}, {"policy.deny", "ee"}}};
  const SharedSettings three{"three:8443", {{"policy.allow", "aa"}, {"policy.deny", "dd"}}};
  const SharedSettings old{"old:8443", {}};
  EXPECT_EQ(DescribeDifferences({}), Texts{});
  EXPECT_EQ(DescribeDifferences({one}), Texts{});
  EXPECT_EQ(DescribeDifferences({one, three, old}), Texts{});
  EXPECT_EQ(DescribeDifferences({one, two, three, old}),
            Texts{"policy.deny is not the same on all servers, and must be: one:8443, three:8443 | "
                  "two:8443"});
  const SharedSettings other{"other:8443", {{"policy.allow", "bb"}, {"policy.deny", "ff"}}};
  EXPECT_EQ(DescribeDifferences({one, other}).size(), 2U);
}

}  // namespace
}  // namespace koya
