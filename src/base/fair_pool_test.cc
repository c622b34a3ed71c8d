#include "base/fair_pool.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <semaphore>
#include <vector>

#include "base/run_task.h"

namespace koya {
namespace {

constexpr auto kEver = std::chrono::steady_clock::time_point::max();

// Blocks a thread in the name of a host until it is released. The objects it waits for outlive it:
// the pool's threads may wake up later than the test ends.
class Hanging {
 public:
  explicit Hanging(FairPool& pool) : pool_(pool) {}
  ~Hanging() { LetGo(); }

  void Add(const std::string& who) { pool_.Spawn(Hang(&pool_, shared_, who)); }
  // Until so many block a thread.
  void AwaitBlocked(int count) {
    for (int i = 0; i < count; ++i) shared_->blocked.acquire();
  }
  void LetGo() {
    if (!std::exchange(gone_, true)) shared_->go.set_value();
  }
  int refused() const { return shared_->refused; }

 private:
  struct Shared {
    std::counting_semaphore<> blocked{0};
    std::promise<void> go;
    std::shared_future<void> until = go.get_future().share();
    std::atomic<int> refused = 0;
  };

  static Awaitable<void> Hang(FairPool* pool, std::shared_ptr<Shared> shared, std::string who) {
    Result<FairPool::Slot> place = co_await pool->Enter(std::move(who), kEver);
    if (!place) {
      ++shared->refused;
      co_return;
    }
    shared->blocked.release();
    shared->until.wait();
  }

  FairPool& pool_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  bool gone_ = false;
};

// Runs something that needs a place, and waits for its end.
Task<void> PageContext(FairPool& pool, std::string who,
                       std::chrono::steady_clock::time_point until) {
  CO_RETURN_IF_ERROR(co_await pool.Enter(std::move(who), until));
  co_return Status();
}
// The promise is shared, since the waiter may be gone before setting it has completed.
Awaitable<void> Tell(Task<void> visit, std::shared_ptr<std::promise<Status>> told) {
  told->set_value(co_await std::move(visit));
}
Status VisitNow(FairPool& pool, const std::string& who,
                std::chrono::steady_clock::time_point until = kEver) {
  auto told = std::make_shared<std::promise<Status>>();
  pool.Spawn(Tell(PageContext(pool, who, until), told));
  return told->get_future().get();
}

TEST(FairPool, OneAloneTakesHalfOfTheThreads) {
  FairPool pool(16, 16);
  Hanging hanging(pool);
  for (int i = 0; i < 20; ++i) hanging.Add("slow.example");
  hanging.AwaitBlocked(8);
  EXPECT_TRUE(VisitNow(pool, "good.example"));  // it comes through, whatever the other does
  EXPECT_EQ(pool.taken(), 8U);
  EXPECT_EQ(pool.waiting(), 12U);
  hanging.LetGo();
}

TEST(FairPool, NobodyTakesMoreThanItsOwnBound) {
  FairPool pool(64, 4);
  Hanging hanging(pool);
  for (int i = 0; i < 10; ++i) hanging.Add("slow.example");
  hanging.AwaitBlocked(4);
  EXPECT_TRUE(VisitNow(pool, "good.example"));
  EXPECT_EQ(pool.taken(), 4U);
  hanging.LetGo();
}

TEST(FairPool, ThereIsAThreadForTheNextOneHoweverManyHang) {
  constexpr int kHosts = 64;
  FairPool pool(2 * kHosts, 16);
  Hanging hanging(pool);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kHosts; ++i) hanging.Add("host-" + std::to_string(i));
  }
  hanging.AwaitBlocked(kHosts);
  EXPECT_TRUE(VisitNow(pool, "good.example"));
  hanging.LetGo();
}

// Each blocks a thread until the next one has its own, while the pool is ending.
TEST(FairPool, WhoIsAtWorkWhileItEndsStillGetsThreads) {
  constexpr int kLinks = 8;
  struct Chain {
    FairPool* pool;
    std::vector<std::promise<void>> entered = std::vector<std::promise<void>>(kLinks + 1);
    std::atomic<int> ended = 0;

    static Awaitable<void> Run(std::shared_ptr<Chain> chain, int link) {
      auto place = co_await chain->pool->Enter(std::to_string(link), kEver);
      chain->entered[link].set_value();
      if (!place) co_return;
      if (link < kLinks) {
        chain->pool->Spawn(Run(chain, link + 1));
        chain->entered[link + 1].get_future().wait();
      }
      ++chain->ended;
    }
  };
  for (int round = 0; round < 20; ++round) {
    auto chain = std::make_shared<Chain>();
    {
      FairPool pool(3 * kLinks, 2);
      chain->pool = &pool;
      pool.Spawn(Chain::Run(chain, 0));
    }
    EXPECT_EQ(chain->ended, kLinks + 1);
  }
}

TEST(FairPool, WhoWaitsIsBoundedInNumberAndInTime) {
  FairPool pool(2, 2);
  Hanging hanging(pool);
  hanging.Add("slow.example");
  hanging.AwaitBlocked(1);
  auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  Status late = VisitNow(pool, "slow.example", soon);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::kUnavailable);
  EXPECT_TRUE(late.error().retry_after);
  for (std::size_t i = 0; i < FairPool::kMostWaiting; ++i) hanging.Add("slow.example");
  Status refused = VisitNow(pool, "slow.example");  // after the others: the pool works in order
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("queue is full")) << refused.error().message;
  hanging.LetGo();
}

// Each left an entry behind, for ever.
TEST(FairPool, WhoIsRefusedIsForgotten) {
  constexpr std::size_t kHosts = FairPool::kMostWaitingInAll / FairPool::kMostWaiting;
  FairPool pool(2, 2);
  Hanging hanging(pool);
  hanging.Add("host-0");
  hanging.AwaitBlocked(1);
  for (std::size_t i = 0; i < FairPool::kMostWaitingInAll; ++i) {
    hanging.Add("host-" + std::to_string(i % kHosts));
  }
  for (int i = 0; i < 10; ++i) {
    Status refused = VisitNow(pool, "new-" + std::to_string(i));
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().message.contains("queue is full")) << refused.error().message;
  }
  EXPECT_EQ(pool.waiting(), FairPool::kMostWaitingInAll);
  EXPECT_EQ(pool.known(), kHosts);
  hanging.LetGo();
}

TEST(FairPool, APlaceThatIsGivenBackGoesToWhoWaits) {
  FairPool pool(2, 2);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(VisitNow(pool, "host-" + std::to_string(i % 3)));
  EXPECT_EQ(pool.taken(), 0U);
  EXPECT_EQ(pool.waiting(), 0U);
}

TEST(FairPool, NobodyEntersOrWaitsOnceItStops) {
  FairPool pool(2, 2);
  Hanging hanging(pool);
  hanging.Add("slow.example");
  hanging.AwaitBlocked(1);
  hanging.Add("slow.example");
  EXPECT_FALSE(pool.stopping().stop_requested());
  pool.Stop();
  EXPECT_TRUE(pool.stopping().stop_requested());
  Status refused = VisitNow(pool, "good.example");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(hanging.refused(), 1);  // who waited left before: the pool works in order
  hanging.LetGo();
}

}  // namespace
}  // namespace koya
