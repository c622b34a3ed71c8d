#include "blobs/fs/cache_scrub.h"

#include <fstream>
#include <thread>

#include "blobs/fs/fs_cache_fake.h"

namespace koya {
namespace {

constexpr std::uint64_t kMuch = std::uint64_t{1} << 30;

class CacheScrubTest : public FsCacheFixture {
 protected:
  void Fill(FsCache& cache, int count, std::size_t size) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(RunTask(Store(cache, Content(std::to_string(i), size), 100'000)));
    }
  }
  void Flip(std::string_view content) const {
    std::fstream(PathOf(content), std::ios::in | std::ios::out) << "!";
  }
};

TEST_F(CacheScrubTest, FindsAFlippedByte) {
  auto cache = OpenCache(kMuch);
  Fill(*cache, 20, 1000);
  const std::string bad = Content("7", 1000);
  std::shared_ptr<Blob> open = MustOpen(*cache, bad);
  Flip(bad);
  CacheScrub scrub(*cache, 0);
  EXPECT_EQ(scrub.Step(kMuch), 20'000U);
  EXPECT_FALSE(CanOpen(*cache, bad));
  EXPECT_TRUE(open->gone()) << "who kept it opens it anew";
  EXPECT_EQ(cache->counters().entries, 19U);
  EXPECT_EQ(cache->counters().bad_entries, 1U);
  EXPECT_EQ(cache->counters().scrubbed_bytes, 20'000U);
  EXPECT_EQ(gone(), std::vector{Digest::Of(bad)});
  ASSERT_EQ(trouble().size(), 1U);
  EXPECT_EQ(trouble()[0].kind, ErrorKind::kCorrupt);
  EXPECT_EQ(trouble()[0].detail, PathOf(bad));
  ASSERT_TRUE(RunTask(Store(*cache, bad)));
  EXPECT_EQ(RunTask(Load(*cache, Digest::Of(bad))), bad);
}

TEST_F(CacheScrubTest, TellsOfEachRound) {
  auto cache = OpenCache(kMuch);
  Fill(*cache, 4, 1000);
  Flip(Content("2", 1000));
  CacheScrub scrub(*cache, 0);
  std::vector<ScrubRound> rounds;
  scrub.OnRound([&](const ScrubRound& round) { rounds.push_back(round); });
  scrub.Step(2500);
  EXPECT_TRUE(rounds.empty()) << "that was a part";
  scrub.Step(kMuch);
  ASSERT_GE(rounds.size(), 1U);
  EXPECT_EQ(rounds[0].entries, 4U);
  EXPECT_EQ(rounds[0].bytes, 4000U);
  EXPECT_EQ(rounds[0].bad, 1U);
  EXPECT_GE(rounds[0].took.count(), 0);
  while (rounds.size() < 2) scrub.Step(kMuch);
  EXPECT_EQ(rounds[1].bad, 0U) << "each tells of itself alone";
  EXPECT_LE(rounds[1].entries, 3U);
}

TEST_F(CacheScrubTest, ReadsNoMoreThanItMayAndEverythingInTurn) {
  auto cache = OpenCache(kMuch);
  Fill(*cache, 5, 700'000);
  CacheScrub scrub(*cache, 0);
  std::uint64_t read = 0;
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t now = scrub.Step(300'000);
    EXPECT_LE(now, 300'000U);
    EXPECT_GT(now, 0U);
    read += now;
  }
  EXPECT_LT(read, 3'500'000U);
  EXPECT_EQ(cache->counters().bad_entries, 0U);
  for (int i = 0; i < 5; ++i) Flip(Content(std::to_string(i), 700'000));
  for (int i = 0; i < 40; ++i) scrub.Step(300'000);
  EXPECT_EQ(cache->counters().bad_entries, 5U);
  EXPECT_EQ(cache->counters().entries, 0U);
  EXPECT_EQ(scrub.Step(kMuch), 0U) << "nothing is left";
}

TEST_F(CacheScrubTest, GoesOnWhereTheLastProcessWas) {
  auto cache = OpenCache(kMuch);
  Fill(*cache, 10, 1000);
  std::vector<Digest> order;
  for (const auto& [digest, size] : InFolder()) order.push_back(digest);
  {
    CacheScrub(*cache, 0).Step(2500);
  }
  // The third was not read to its end, and counts as read: its turn comes again.
  for (const Digest& digest : {order[3], order[4]}) {
    std::fstream(BlobLayout(root_).PathOf(digest), std::ios::in | std::ios::out) << "!";
  }
  {
    CacheScrub(*cache, 0).Step(2000);
  }
  EXPECT_EQ(gone(), (std::vector{order[3], order[4]}));
}

TEST_F(CacheScrubTest, ATornPositionIsJustAnotherPlaceToBegin) {
  auto cache = OpenCache(kMuch);
  Fill(*cache, 3, 10);
  for (const char* text : {"", "sha256:12",
                           "nonsense that is longer than any digest could ever "
                           "be, and then some more of it"}) {
    std::ofstream(root_ + "/scrubbed") << text;
    CacheScrub scrub(*cache, 0);
    EXPECT_EQ(scrub.Step(kMuch), 30U) << text;
  }
}

TEST_F(CacheScrubTest, EntriesThatGoMeanwhileAreNoDamage) {
  auto cache = OpenCache(kMuch);
  Fill(*cache, 4, 1000);
  CacheScrub scrub(*cache, 0);
  EXPECT_EQ(scrub.Step(500), 500U);
  for (int i = 0; i < 4; ++i) cache->Drop(Digest::Of(Content(std::to_string(i), 1000)));
  EXPECT_LE(scrub.Step(kMuch), 500U);
  ASSERT_TRUE(RunTask(Store(*cache, "koya")));
  std::filesystem::remove_all(root_);
  EXPECT_EQ(scrub.Step(kMuch), 0U);
  cache->Tidy();
  EXPECT_EQ(cache->counters().entries, 0U);
  EXPECT_EQ(cache->counters().bytes, 0U);
  EXPECT_EQ(cache->counters().bad_entries, 0U);
  EXPECT_TRUE(trouble().empty());
}

TEST_F(CacheScrubTest, AnEmptyCacheIsReadAtOnce) {
  auto cache = OpenCache(kMuch);
  CacheScrub scrub(*cache, 0);
  EXPECT_EQ(scrub.Step(kMuch), 0U);
  ASSERT_TRUE(RunTask(Store(*cache, "")));
  EXPECT_EQ(scrub.Step(kMuch), 0U);
  EXPECT_EQ(scrub.Step(kMuch), 0U);
  EXPECT_EQ(cache->counters().entries, 1U);
}

TEST_F(CacheScrubTest, RunFindsDamageAndStopsAtOnce) {
  auto cache = OpenCache(kMuch);
  Fill(*cache, 20, 1000);
  Flip(Content("3", 1000));
  CacheScrub scrub(*cache, kMuch);
  WorkerPool pool(1);
  // Between two seconds, in which nothing would end it but Stop().
  std::thread stopper([&] {
    while (cache->counters().bad_entries == 0) std::this_thread::yield();
    scrub.Stop();
  });
  RunTask(scrub.Run(pool));
  stopper.join();
  EXPECT_EQ(cache->counters().bad_entries, 1U);
  EXPECT_EQ(scrub.Step(kMuch), 0U) << "it was stopped";
}

TEST_F(CacheScrubTest, StopsWithinAPiece) {
  auto cache = OpenCache(kMuch);
  Fill(*cache, 1, 4 << 20);
  CacheScrub scrub(*cache, kMuch);
  scrub.Stop();
  WorkerPool pool(1);
  RunTask(scrub.Run(pool));
  EXPECT_EQ(cache->counters().scrubbed_bytes, 0U);
}

TEST_F(CacheScrubTest, ARateOfNothingReadsNothing) {
  auto cache = OpenCache(kMuch);
  Fill(*cache, 1, 1000);
  CacheScrub scrub(*cache, 0);
  WorkerPool pool(1);
  RunTask(scrub.Run(pool));
  EXPECT_EQ(cache->counters().scrubbed_bytes, 0U);
}

}  // namespace
}  // namespace koya
