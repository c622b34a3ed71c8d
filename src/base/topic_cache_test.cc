#include "base/topic_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace koya {
namespace {

using Cache = TopicCache<std::string>;

void Put(Cache& cache, std::string key, std::string topic, std::string text,
         std::uint64_t cost = 10) {
  cache.Put(cache.TakeTicket(), std::move(key), std::move(topic),
            std::make_shared<const std::string>(std::move(text)), cost);
}

TEST(TopicCacheTest, FindsWhatWasPut) {
  Cache cache(1 << 20);
  EXPECT_EQ(cache.Find("a"), nullptr);
  Put(cache, "a", "t", "one");
  ASSERT_NE(cache.Find("a"), nullptr);
  EXPECT_EQ(*cache.Find("a"), "one");
  Put(cache, "a", "t", "two");
  EXPECT_EQ(*cache.Find("a"), "two");
  EXPECT_EQ(cache.Counters().entries, 1U);
}

TEST(TopicCacheTest, CountsWhatIsNoLongerUsableAsAMiss) {
  Cache cache(1 << 20);
  Put(cache, "a", "t", "old");
  EXPECT_EQ(cache.Find("a", [](const std::string& text) { return text != "old"; }), nullptr);
  EXPECT_NE(cache.Find("a"), nullptr);
  EXPECT_EQ(cache.Counters().misses, 1U);
  EXPECT_EQ(cache.Counters().hits, 1U);
}

TEST(TopicCacheTest, InvalidatesExactlyOneTopic) {
  Cache cache(1 << 20);
  for (int i = 0; i < 50; ++i) {
    Put(cache, "a" + std::to_string(i), "first", "x");
    Put(cache, "b" + std::to_string(i), "second", "x");
  }
  cache.Invalidate("first");
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(cache.Find("a" + std::to_string(i)), nullptr);
    EXPECT_NE(cache.Find("b" + std::to_string(i)), nullptr);
  }
  cache.Invalidate("");
  EXPECT_EQ(cache.Counters().entries, 0U);
  EXPECT_EQ(cache.Counters().cost, 0U);
}

TEST(TopicCacheTest, DoesNotKeepWhatWasReadBeforeAChange) {
  Cache cache(1 << 20);
  Cache::Ticket ticket = cache.TakeTicket();
  cache.Invalidate("anything");
  cache.Put(ticket, "a", "t", std::make_shared<const std::string>("stale"), 5);
  EXPECT_EQ(cache.Find("a"), nullptr);
}

TEST(TopicCacheTest, StaysWithinItsBound) {
  constexpr std::uint64_t kBound = 1 << 20;
  Cache cache(kBound);
  for (int i = 0; i < 10000; ++i) Put(cache, std::to_string(i), "t", "x", 1000);
  EXPECT_LE(cache.Counters().cost, kBound);
  EXPECT_GT(cache.Counters().entries, 500U);
  EXPECT_NE(cache.Find("9999"), nullptr);
  EXPECT_EQ(cache.Find("0"), nullptr);
}

TEST(TopicCacheTest, LeavesOutWhatIsLargerThanAShard) {
  Cache cache(8000);
  Put(cache, "huge", "t", "x", 5000);
  EXPECT_EQ(cache.Find("huge"), nullptr);
}

TEST(TopicCacheTest, KeepsWhatIsUsed) {
  Cache cache(1 << 20);
  Put(cache, "hot", "t", "x", 1000);
  for (int i = 0; i < 10000; ++i) {
    Put(cache, std::to_string(i), "t", "x", 1000);
    ASSERT_NE(cache.Find("hot"), nullptr) << i;
  }
}

TEST(TopicCacheTest, NeverServesAVersionOlderThanTheLastInvalidation) {
  Cache cache(1 << 20);
  std::atomic<int> truth = 0;
  std::atomic<int> acknowledged = 0;
  std::atomic<bool> stop = false;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!stop) {
        int floor = acknowledged.load();
        auto found = cache.Find("k");
        if (found) {
          // The value served may be newer than the floor, never older.
          EXPECT_GE(std::stoi(*found), floor);
          continue;
        }
        Cache::Ticket ticket = cache.TakeTicket();
        cache.Put(ticket, "k", "t",
                  std::make_shared<const std::string>(std::to_string(truth.load())), 1);
      }
    });
  }
  for (int i = 1; i < 20000; ++i) {
    // The record changes, then the cache is invalidated, and only then is the change acknowledged.
    truth = i;
    cache.Invalidate("t");
    acknowledged = i;
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
}

}  // namespace
}  // namespace koya
