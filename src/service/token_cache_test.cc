#include "service/token_cache.h"

#include <gtest/gtest.h>

#include "domain/topic.h"

namespace koya::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

Digest Secret() { return Digest::Of("koya_ci"); }
auth::Principal Ci() { return {.name = "ci"}; }

class TokenCacheTest : public ::testing::Test {
 protected:
  const KnownToken* Find() { return cache_.Find(Secret()).get(); }

  nanoseconds seen_ = std::chrono::hours(1);
  nanoseconds now_ = seen_;
  TokenCache cache_{[this] { return seen_; }, [this] { return now_; }};
};

TEST_F(TokenCacheTest, WhatWasLookedUpIsKnownByItsSecret) {
  EXPECT_EQ(Find(), nullptr);
  auto put = cache_.Put(cache_.TakeTicket(), Secret(), Ci());
  EXPECT_EQ(put->principal.name, "ci");
  EXPECT_EQ(Find(), put.get());
  EXPECT_EQ(cache_.Find(Digest::Of("koya_other")), nullptr);
}

TEST_F(TokenCacheTest, CountsWhileTheFeedHasToldOfEverythingUntilAMomentAgo) {
  cache_.Put(cache_.TakeTicket(), Secret(), Ci());
  now_ = seen_ + milliseconds(900);
  EXPECT_NE(Find(), nullptr);
  now_ += nanoseconds(1);
  EXPECT_EQ(Find(), nullptr) << "the feed stands still, or this process did";
  seen_ += milliseconds(400);
  EXPECT_NE(Find(), nullptr) << "nothing was changed meanwhile";
}

TEST_F(TokenCacheTest, NothingIsKnownBeforeTheFeedHasBeenRead) {
  seen_ = nanoseconds(0);
  cache_.Put(cache_.TakeTicket(), Secret(), Ci());
  EXPECT_EQ(Find(), nullptr);
}

TEST_F(TokenCacheTest, AChangeOfTheTokenOrOfAnythingDropsIt) {
  for (const std::string& topic :
       {TokenTopic("ci"), std::string(kAccessTopic), std::string(kEverything)}) {
    cache_.Put(cache_.TakeTicket(), Secret(), Ci());
    cache_.Invalidate(TokenTopic("other"));
    EXPECT_NE(Find(), nullptr);
    cache_.Invalidate(topic);
    EXPECT_EQ(Find(), nullptr) << topic;
  }
}

TEST_F(TokenCacheTest, WhatWasReadBeforeAChangeIsNotKept) {
  auto ticket = cache_.TakeTicket();
  cache_.Invalidate(TokenTopic("ci"));
  EXPECT_EQ(cache_.Put(ticket, Secret(), Ci())->principal.name, "ci")
      << "whoever asked gets what was read";
  EXPECT_EQ(Find(), nullptr);
}

}  // namespace
}  // namespace koya::service
