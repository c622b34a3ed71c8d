#include "service/access/token_cache.h"

#include <gtest/gtest.h>

#include "domain/topic.h"

namespace koya::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

using Kind = TokenCache::Kind;

constexpr std::string_view kText = "koya_ci";
Digest Secret() { return Digest::Of(kText); }
auth::Principal Ci() { return {.name = "ci"}; }

class TokenCacheTest : public ::testing::Test {
 protected:
  const KnownToken* Find() { return cache_.FindToken(Kind::kToken, kText).get(); }

  nanoseconds seen_ = std::chrono::hours(1);
  nanoseconds now_ = seen_;
  TokenCache cache_{[this] { return seen_; }, [this] { return now_; }};
};

TEST_F(TokenCacheTest, WhatWasLookedUpIsKnownByItsSecret) {
  EXPECT_EQ(Find(), nullptr);
  auto put = cache_.Put(cache_.TakeTicket(), Secret(), Ci());
  EXPECT_EQ(put->principal.name, "ci");
  EXPECT_EQ(Find(), put.get());
  EXPECT_EQ(cache_.FindToken(Kind::kToken, "koya_other"), nullptr);
}

TEST_F(TokenCacheTest, OneLookUpServesTextsAndUrlsWhicheverComesFirst) {
  const auto bearer = auth::CapabilityBearer::Of(Kind::kToken, Secret());
  auto put = cache_.Put(cache_.TakeTicket(), Secret(), Ci());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Find(), put.get());
    EXPECT_EQ(cache_.FindToken(bearer), put);
  }
  cache_.Invalidate(TokenTopic("ci"));
  EXPECT_EQ(Find(), nullptr);
  EXPECT_EQ(cache_.FindToken(bearer), nullptr);
}

TEST_F(TokenCacheTest, OnlyTheWholeTextFindsAToken) {
  auto put = cache_.Put(cache_.TakeTicket(), Secret(), Ci());
  EXPECT_EQ(Find(), put.get());
  for (const std::string& text :
       {std::string(), std::string("koya_c"), std::string("koya_ci "), std::string("Koya_ci"),
        std::string("koya_ci\0", 8), Secret().hex(), Secret().ToString()}) {
    EXPECT_EQ(cache_.FindToken(Kind::kToken, text), nullptr) << text;
    EXPECT_EQ(cache_.FindOffline(Kind::kToken, text), nullptr) << text;
  }
  // The bytes of the id that URLs contain are no text either.
  const auto bearer = auth::CapabilityBearer::Of(Kind::kToken, Secret());
  const std::string id(reinterpret_cast<const char*>(bearer.id.data()), bearer.id.size());
  EXPECT_EQ(cache_.FindToken(Kind::kToken, id), nullptr);
}

TEST_F(TokenCacheTest, StaysWithinItsMemoryWhenEachTokenIsPresented) {
  constexpr int kTokens = 30'000;
  auto text_of = [](int i) { return "koya_" + std::to_string(i); };
  for (int i = 0; i < kTokens; ++i) {
    cache_.Put(cache_.TakeTicket(), Digest::Of(text_of(i)), Ci());
    ASSERT_NE(cache_.FindToken(Kind::kToken, text_of(i)), nullptr);
    ASSERT_NE(cache_.FindToken(Kind::kToken, text_of(i)), nullptr);
  }
  int known = 0;
  for (int i = 0; i < kTokens; ++i) known += cache_.FindToken(Kind::kToken, text_of(i)) ? 1 : 0;
  EXPECT_GT(known, 4'000);
  EXPECT_LT(known, 12'000);
}

TEST_F(TokenCacheTest, TokensAndSessionsAreNeverTakenForEachOther) {
  const auto bearer = [](Kind kind) { return auth::CapabilityBearer::Of(kind, Secret()); };
  cache_.Put(cache_.TakeTicket(), Secret(), Ci());
  EXPECT_NE(cache_.FindToken(bearer(Kind::kToken)), nullptr);
  EXPECT_EQ(cache_.FindToken(bearer(Kind::kSession)), nullptr);
  EXPECT_EQ(cache_.FindToken(Kind::kSession, kText), nullptr);
  const KnownSession session{.id = "an id", .expires_at = 100};
  auto put = cache_.Put(cache_.TakeTicket(), Secret(), {.name = "ada"}, session);
  EXPECT_EQ(put->session->id, "an id");
  EXPECT_EQ(cache_.FindToken(Kind::kSession, kText), put);
  EXPECT_EQ(cache_.FindToken(bearer(Kind::kSession)), put);
  EXPECT_EQ(Find()->principal.name, "ci");
  EXPECT_EQ(cache_.FindToken(Kind::kSession, kText), put) << "now by the hash of its text";
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
  auto found = [](TokenCache& cache) { return cache.FindOffline(Kind::kToken, kText) != nullptr; };
  for (TokenCache* cache : {&cache_, &patient}) cache->Put(cache->TakeTicket(), Secret(), Ci());
  now_ = seen_ + milliseconds(900);
  EXPECT_TRUE(found(cache_));
  now_ += nanoseconds(1);
  EXPECT_FALSE(found(cache_)) << "no grace was asked for";
  EXPECT_TRUE(found(patient));
  EXPECT_EQ(patient.FindToken(Kind::kToken, kText), nullptr) << "the catalog is asked first";
  EXPECT_EQ(patient.FindOffline(Kind::kToken, "koya_other"), nullptr);
  EXPECT_EQ(patient.FindOffline(Kind::kSession, kText), nullptr);
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
