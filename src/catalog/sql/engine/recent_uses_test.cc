#include "catalog/sql/engine/recent_uses.h"

#include <gtest/gtest.h>

namespace koya::sql {
namespace {

TEST(RecentUsesTest, AUseIsNotedAgainWhenItsTimeIsOver) {
  RecentUses uses(60);
  const Digest digest = Digest::Of("a");
  EXPECT_FALSE(uses.WasNoted(digest, 1000));
  uses.RecordUse(digest, 1000);
  EXPECT_TRUE(uses.WasNoted(digest, 1000));
  EXPECT_TRUE(uses.WasNoted(digest, 1059));
  EXPECT_FALSE(uses.WasNoted(Digest::Of("b"), 1059));
  EXPECT_FALSE(uses.WasNoted(digest, 1060));
  uses.RecordUse(digest, 1060);
  EXPECT_TRUE(uses.WasNoted(digest, 1119));
}

TEST(RecentUsesTest, WhatCouldNotBeNotedIsNotTakenForNoted) {
  RecentUses uses(60);
  EXPECT_FALSE(uses.WasNoted(Digest::Of("a"), 1000));
  EXPECT_FALSE(uses.WasNoted(Digest::Of("a"), 1001)) << "asking notes nothing";
}

TEST(RecentUsesTest, WhatIsForgottenCounts) {
  RecentUses uses(60);
  uses.DropUse(Digest::Of("a"));
  uses.RecordUse(Digest::Of("a"), 1000);
  uses.RecordUse(Digest::Of("b"), 1000);
  uses.DropUse(Digest::Of("a"));
  EXPECT_FALSE(uses.WasNoted(Digest::Of("a"), 1000));
  EXPECT_TRUE(uses.WasNoted(Digest::Of("b"), 1000));
}

TEST(RecentUsesTest, ItsMemoryIsBounded) {
  RecentUses uses(60);
  for (int i = 0; i < 10'000; ++i) uses.RecordUse(Digest::Of(std::to_string(i)), 1000);
  EXPECT_TRUE(uses.WasNoted(Digest::Of("0"), 1000));
  uses.RecordUse(Digest::Of("one more"), 1000);
  EXPECT_FALSE(uses.WasNoted(Digest::Of("0"), 1000)) << "no longer known";
}

}  // namespace
}  // namespace koya::sql
