#include "base/expiring_map.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace koya {
namespace {

using Names = ExpiringMap<std::string, int, int>;

TEST(ExpiringMapTest, KnowsAValueUntilItEnds) {
  Names names(4);
  EXPECT_FALSE(names.Find("a", 0));
  names.Put("a", 1, 10);
  EXPECT_EQ(names.Find("a", 9), 1);
  EXPECT_FALSE(names.Find("a", 10));
  EXPECT_EQ(names.Peek("a")->value, 1) << "something old, for who asks for it";
  EXPECT_EQ(names.Peek("a")->until, 10);
}

TEST(ExpiringMapTest, TheLastWordCounts) {
  Names names(4);
  names.Put("a", 1, 10);
  names.Put("a", 2, 5);
  EXPECT_EQ(names.Find("a", 4), 2);
  EXPECT_FALSE(names.Find("a", 7));
  names.Erase("a");
  names.Erase("never there");
  EXPECT_FALSE(names.Peek("a"));
  EXPECT_EQ(names.size(), 0U);
}

TEST(ExpiringMapTest, WhatEndsFirstGoesWhenItIsFull) {
  Names names(3);
  names.Put("late", 1, 30);
  names.Put("early", 2, 10);
  names.Put("middle", 3, 20);
  names.Put("early", 4, 40);  // no longer the first, and the number of entries is unchanged
  EXPECT_EQ(names.size(), 3U);
  names.Put("new", 5, 15);
  EXPECT_EQ(names.size(), 3U);
  EXPECT_FALSE(names.Peek("middle"));
  EXPECT_TRUE(names.Peek("late") && names.Peek("early") && names.Peek("new"));
  names.Put("newer", 6, 16);
  EXPECT_FALSE(names.Peek("new"));
}

TEST(ExpiringMapTest, StaysWithinItsBoundWhenManyUseIt) {
  ExpiringMap<int, int, int> numbers(100);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&numbers, t] {
        for (int i = 0; i < 2000; ++i) {
          numbers.Put(t * 10'000 + i, i, i);
          (void)numbers.Find(i, 0);
          numbers.Erase(i / 2);
        }
      });
    }
  }
  EXPECT_LE(numbers.size(), 100U);
}

}  // namespace
}  // namespace koya
