#include "upstream/negative_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace koya::upstream {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr SteadyTime kStart{};

TEST(NegativeCacheTest, BelievesForItsTime) {
  NegativeCache cache(seconds(10));
  EXPECT_FALSE(cache.FindFailure("a", kStart));
  cache.Remember("a", {ErrorKind::kNotFound, "no a", {}}, kStart);
  ASSERT_TRUE(cache.FindFailure("a", kStart + milliseconds(9999)));
  EXPECT_EQ(cache.FindFailure("a", kStart)->message, "no a");
  EXPECT_FALSE(cache.FindFailure("a", kStart + seconds(10)));
  EXPECT_FALSE(cache.FindFailure("b", kStart));
  cache.Remember("a", {ErrorKind::kNotFound, "still no a", {}}, kStart + seconds(9));
  EXPECT_EQ(cache.FindFailure("a", kStart + seconds(18))->message, "still no a");
  // What ends is the older of the two, not the entry.
  cache.Remember("b", {}, kStart + seconds(12));
  EXPECT_TRUE(cache.FindFailure("a", kStart + seconds(18)));
}

TEST(NegativeCacheTest, HoldsTheNewestOnly) {
  NegativeCache cache(seconds(10), 3);
  for (char name = 'a'; name <= 'e'; ++name) cache.Remember(std::string(1, name), {}, kStart);
  for (char name : {'a', 'b'})
    EXPECT_FALSE(cache.FindFailure(std::string(1, name), kStart)) << name;
  for (char name : {'c', 'd', 'e'})
    EXPECT_TRUE(cache.FindFailure(std::string(1, name), kStart)) << name;
  NegativeCache none(seconds(0));
  none.Remember("a", {}, kStart);
  EXPECT_FALSE(none.FindFailure("a", kStart));
}

}  // namespace
}  // namespace koya::upstream
