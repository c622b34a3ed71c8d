#include "blobs/fs/cache_index.h"

#include <gtest/gtest.h>

#include <string>

namespace koya {
namespace {

using Seconds = std::chrono::seconds;

CacheIndex::Time IndexTime(int seconds) { return CacheIndex::Time(Seconds(1000 + seconds)); }

Digest Named(char name) { return Digest::Of(std::string(1, name)); }

struct Kept {
  char name;
  std::uint64_t size;
  int used;
};

struct Choice {
  const char* what;
  std::vector<Kept> kept;
  std::uint64_t staged;
  std::uint64_t spare;
  std::string chosen;  // in order
};

TEST(CacheIndexTest, ChoosesTheLeastRecentlyUsedDownToNineTenths) {
  // The bound is 100.
  const Choice choices[] = {
      {"nothing is there", {}, 0, 0, ""},
      {"nothing is kept", {}, 500, 0, ""},
      {"all fits to the byte", {{'a', 50, 1}, {'b', 50, 2}}, 0, 0, ""},
      {"a byte too much", {{'a', 50, 1}, {'b', 51, 2}}, 0, 0, "a"},
      {"the order of use, not of coming", {{'a', 50, 3}, {'b', 30, 1}, {'c', 30, 2}}, 0, 0, "b"},
      {"down to nine tenths", {{'a', 5, 1}, {'b', 5, 2}, {'c', 5, 3}, {'d', 86, 4}}, 0, 0, "abc"},
      {"not further", {{'a', 11, 1}, {'b', 45, 2}, {'c', 45, 3}}, 0, 0, "a"},
      {"what is staged counts", {{'a', 40, 1}, {'b', 40, 2}}, 21, 0, "a"},
      {"… and pushes everything out", {{'a', 40, 1}, {'b', 40, 2}}, 300, 0, "ab"},
      {"empty files are no help but go", {{'a', 0, 1}, {'b', 101, 2}}, 0, 0, "ab"},
      {"spare bytes within the bound", {{'a', 10, 1}, {'b', 10, 2}, {'c', 10, 3}}, 0, 11, "ab"},
      {"more than there is", {{'a', 10, 1}, {'b', 10, 2}}, 0, 1000, "ab"},
      {"both: the larger of the two", {{'a', 60, 1}, {'b', 10, 2}, {'c', 60, 3}}, 0, 65, "ab"},
  };
  for (const Choice& choice : choices) {
    CacheIndex index(100);
    for (const Kept& file : choice.kept)
      index.Add(Named(file.name), file.size, IndexTime(file.used));
    auto reservation = index.Reserve();
    reservation->Grow(choice.staged);
    std::vector<Digest> wanted;
    for (char name : choice.chosen) wanted.push_back(Named(name));
    std::vector<Digest> chosen;
    for (const auto& entry : index.Choose(choice.spare)) chosen.push_back(entry->digest());
    EXPECT_EQ(chosen, wanted) << choice.what;
  }
}

TEST(CacheIndexTest, AUseMovesAnEntryToTheEnd) {
  CacheIndex index(100);
  for (char name : {'a', 'b', 'c'}) index.Add(Named(name), 30, IndexTime(name - 'a'));
  index.FindEntry(Named('a'))->last = IndexTime(10);
  index.Add(Named('d'), 30, IndexTime(11));
  auto chosen = index.Choose();
  ASSERT_EQ(chosen.size(), 1U);
  EXPECT_EQ(chosen[0]->digest(), Named('b'));
}

TEST(CacheIndexTest, NobodyIsToldTwiceToRemoveTheSame) {
  CacheIndex index(100);
  for (char name : {'a', 'b', 'c'}) index.Add(Named(name), 40, IndexTime(name));
  auto first = index.Choose();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_TRUE(index.Choose().empty()) << "what is chosen is as good as gone";
  auto reservation = index.Reserve();
  reservation->Grow(30);
  auto second = index.Choose();
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0]->digest(), Named('b'));
}

TEST(CacheIndexTest, BytesComeBackWhenTheLastOneLetsGo) {
  CacheIndex index(100);
  auto open = index.Add(Named('a'), 60, IndexTime(1));
  index.Add(Named('b'), 60, IndexTime(2));
  for (auto& entry : index.Choose()) EXPECT_TRUE(index.Remove(entry));
  EXPECT_TRUE(open->gone);
  EXPECT_EQ(index.bytes().total(), 120U);
  EXPECT_EQ(index.Choose().size(), 1U) << "what is open gave nothing back: the next one has to go";
  EXPECT_FALSE(index.Remove(open)) << "only once";
  open.reset();
  EXPECT_EQ(index.bytes().total(), 60U);
}

TEST(CacheIndexTest, AnotherFileOfTheSameDigestTakesThePlace) {
  CacheIndex index(100);
  auto first = index.Add(Named('a'), 10, IndexTime(1));
  auto second = index.Add(Named('a'), 10, IndexTime(2));
  EXPECT_TRUE(first->gone);
  EXPECT_FALSE(second->gone);
  EXPECT_FALSE(index.Has(first));
  EXPECT_TRUE(index.Has(second));
  EXPECT_FALSE(index.Remove(first));
  EXPECT_EQ(index.count(), 1U);
  EXPECT_EQ(index.bytes().total(), 20U);
  first.reset();
  EXPECT_EQ(index.bytes().total(), 10U);
}

TEST(CacheIndexTest, WhatWasStagedIsTheEntrysFromThenOn) {
  CacheIndex index(100);
  auto reservation = index.Reserve();
  reservation->Grow(7);
  reservation->Grow(3);
  EXPECT_EQ(index.bytes().staged, 10U);
  index.Add(Named('a'), 10, IndexTime(1), reservation.get());
  EXPECT_EQ(index.bytes().staged, 0U);
  EXPECT_EQ(index.bytes().kept, 10U);
  reservation.reset();
  EXPECT_EQ(index.bytes().total(), 10U);
}

TEST(CacheIndexTest, GoesThroughTheEntriesByDigest) {
  CacheIndex index(100);
  EXPECT_EQ(index.Next(std::nullopt), nullptr);
  std::size_t in_folders = 0;
  for (char name = 'a'; name <= 'z'; ++name) index.Add(Named(name), 1, IndexTime(name));
  std::optional<Digest> last;
  for (auto entry = index.Next(last); entry; entry = index.Next(last)) {
    EXPECT_TRUE(!last || *last < entry->digest());
    last = entry->digest();
    ++in_folders;
  }
  EXPECT_EQ(in_folders, 26U);
  for (std::size_t folder = 0; folder < 256; ++folder) in_folders -= index.InFolder(folder).size();
  EXPECT_EQ(in_folders, 0U);
}

TEST(CacheIndexTest, AUseIsNotedOnceAnHour) {
  CacheIndex index(100);
  auto entry = index.Add(Named('a'), 1, IndexTime(0));
  entry->last = IndexTime(3599);
  EXPECT_TRUE(index.TakeUnnoted(Seconds(3600)).empty());
  entry->last = IndexTime(3600);
  auto unnoted = index.TakeUnnoted(Seconds(3600));
  ASSERT_EQ(unnoted.size(), 1U);
  EXPECT_EQ(unnoted[0].second, IndexTime(3600));
  entry->last = IndexTime(7199);
  EXPECT_TRUE(index.TakeUnnoted(Seconds(3600)).empty());
}

}  // namespace
}  // namespace koya
