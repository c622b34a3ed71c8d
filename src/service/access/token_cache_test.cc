#include "service/access/token_cache.h"

#include <gtest/gtest.h>

#include "domain/topic.h"

namespace koya::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

using Kind = TokenCache::Kind;

Digest Secret() { return Digest::Of("koya_ci"); }
auth::Principal Ci() { return {.name = "ci"}; }

class TokenCacheTest : public ::testing::Test {
 protected:
  const KnownToken* Find() { return cache_.FindToken(Kind::kToken, Secret()).get(); }

  nanoseconds seen_ = std::chrono::hours(1);
  nanoseconds now_ = seen_;
  TokenCache cache_{[this] { return seen_; }, [this] { return now_; }};
};

TEST_F(TokenCacheTest, WhatWasLookedUpIsKnownByItsSecret) {
  EXPECT_EQ(Find(), nullptr);
  auto put = cache_.Put(cache_.TakeTicket(), Secret(), Ci());
  EXPECT_EQ(put->principal.name, "ci");
  EXPECT_EQ(Find(), put.get());
  EXPECT_EQ(cache_.FindToken(Kind::kToken, Digest::Of("koya_other")), nullptr);
}

TEST_F(TokenCacheTest, TokensAndSessionsAreNeverTakenForEachOther) {
  const auto bearer = [](Kind kind) { return auth::CapabilityBearer::Of(kind, Secret()); };
  cache_.Put(cache_.TakeTicket(), Secret(), Ci());
  EXPECT_NE(cache_.FindToken(bearer(Kind::kToken)), nullptr);
  EXPECT_EQ(cache_.FindToken(bearer(Kind::kSession)), nullptr);
  EXPECT_EQ(cache_.FindToken(Kind::kSession, Secret()), nullptr);
  const KnownSession session{.id = "an id", .expires_at = 100};
  auto put = cache_.Put(cache_.TakeTicket(), Secret(), {.name = "ada"}, session);
  EXPECT_EQ(put->session->id, "an id");
  EXPECT_EQ(cache_.FindToken(Kind::kSession, Secret()), put);
  EXPECT_EQ(cache_.FindToken(bearer(Kind::kSession)), put);
  EXPECT_EQ(Find()->principal.name, "ci");
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

TEST_F(TokenCacheTest, OfflineItCountsForTheGraceLongerAndOnlyUntilAChangeIsHeardOf) {
  TokenCache patient([this] { return seen_; }, [this] { return now_; }, std::chrono::seconds(60));
  auto found = [](TokenCache& cache) {
    return cache.FindOffline(Kind::kToken, Secret()) != nullptr;
  };
  for (TokenCache* cache : {&cache_, &patient}) cache->Put(cache->TakeTicket(), Secret(), Ci());
  now_ = seen_ + milliseconds(900);
  EXPECT_TRUE(found(cache_));
  now_ += nanoseconds(1);
  EXPECT_FALSE(found(cache_)) << "no grace was asked for";
  EXPECT_TRUE(found(patient));
  EXPECT_EQ(patient.FindToken(Kind::kToken, Secret()), nullptr) << "the catalog is asked first";
  EXPECT_EQ(patient.FindOffline(Kind::kToken, Digest::Of("koya_other")), nullptr);
  EXPECT_EQ(patient.FindOffline(Kind::kSession, Secret()), nullptr);
  now_ = seen_ + milliseconds(60'900);
  EXPECT_TRUE(found(patient));
  now_ += nanoseconds(1);
  EXPECT_FALSE(found(patient));
  now_ = seen_;
  patient.Invalidate(TokenTopic("ci"));
  EXPECT_FALSE(found(patient));
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
