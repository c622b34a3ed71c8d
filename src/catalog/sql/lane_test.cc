#include "catalog/sql/lane.h"

#include <gtest/gtest.h>
#include <soci/soci.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <latch>
#include <stdexcept>

#include "base/temp_folder_fake.h"
#include "catalog/catalog_suite_base.h"
#include "catalog/sql/database.h"
#include "catalog/sql/sqlite_engine.h"

namespace koya::sql {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// SQLite, as it is.
class PlainEngine : public Engine {
 public:
  explicit PlainEngine(const std::string& path)
      : real_(MakeSqliteEngine({.path = path, .durable = false})) {}
  Dialect dialect() const override { return real_->dialect(); }
  std::unique_ptr<soci::session> Connect() override { return real_->Connect(); }
  void Prepare(soci::session& session, milliseconds patience) override {
    real_->Prepare(session, patience);
  }
  void PrepareUnit(soci::session& session, milliseconds left) override {
    real_->PrepareUnit(session, left);
  }
  std::function<void()> Cutter(soci::session& session) override { return real_->Cutter(session); }
  void RunScript(soci::session& session, const std::string& script) override {
    real_->RunScript(session, script);
  }
  Fault Explain(const std::exception& exception, soci::session* session) const override {
    return real_->Explain(exception, session);
  }

 private:
  std::unique_ptr<Engine> real_;
};

// Connecting takes until it is let go: as with a name server that does not answer.
class SlowToConnect final : public PlainEngine {
 public:
  SlowToConnect(const std::string& path, std::latch& go) : PlainEngine(path), go_(go) {}
  std::unique_ptr<soci::session> Connect() override {
    go_.wait();
    return PlainEngine::Connect();
  }

 private:
  std::latch& go_;
};

// Connecting fails, in one way or another.
enum class Mood { kWell, kUnreachable, kBroken };
class Moody final : public PlainEngine {
 public:
  Moody(const std::string& path, std::atomic<Mood>& mood) : PlainEngine(path), mood_(mood) {}
  std::unique_ptr<soci::session> Connect() override {
    if (mood_ == Mood::kUnreachable) throw Unreachable();
    if (mood_ == Mood::kBroken) throw std::runtime_error("an I/O error");
    return PlainEngine::Connect();
  }
  Fault Explain(const std::exception& exception, soci::session* session) const override {
    Fault fault = PlainEngine::Explain(exception, session);
    if (dynamic_cast<const Unreachable*>(&exception) == nullptr) return fault;
    fault.error.kind = ErrorKind::kUnavailable;
    fault.connection_lost = true;
    return fault;
  }

 private:
  struct Unreachable : std::exception {};
  std::atomic<Mood>& mood_;
};

class LaneTest : public ::testing::Test {
 protected:
  Database MakeSlow(milliseconds patience) {
    return {std::make_unique<SlowToConnect>(folder_ / "a.db", connected_),
            {.readers = 1, .writers = 1, .read_timeout = patience, .write_timeout = patience}};
  }
  // What every question of this test does.
  auto Count() {
    return [this](Session&) -> Status {
      ++ran_;
      return {};
    };
  }

  TempFolder folder_;
  std::latch connected_{1};
  std::atomic<int> ran_ = 0;
};

TEST_F(LaneTest, WhoAsksIsAnsweredInTimeThoughConnectingTakesLonger) {
  {
    Database database = MakeSlow(milliseconds(200));
    Racers racers;
    std::vector<Status> answers;
    for (int i = 0; i < 10; ++i) racers.Add(database.Read(Count()), &answers);
    racers.Run();  // nothing was let go yet: without deadlines it would never end
    ASSERT_EQ(answers.size(), 10u);
    std::size_t timed_out = 0;
    for (const Status& answer : answers) {
      ASSERT_FALSE(answer);
      EXPECT_EQ(answer.error().kind, ErrorKind::kUnavailable);
      EXPECT_EQ(answer.error().retry_after, 2u);
      // Who asked a moment later than the first is not tried any more when that one's time is over.
      const LimitName limit = answer.error().limit;
      EXPECT_TRUE(limit.empty() || limit == LimitName("catalog.read_timeout")) << limit.text();
      timed_out += limit.empty() ? 0 : 1;
    }
    EXPECT_GE(timed_out, 1u);
    connected_.count_down();
  }
  EXPECT_EQ(ran_, 0) << "what nobody waits for any more is not run";
}

TEST_F(LaneTest, AThousandMayWait) {
  Database database = MakeSlow(std::chrono::minutes(10));
  Racers racers;
  std::vector<Status> answers;
  constexpr std::size_t kAsked = 1100;
  for (std::size_t i = 0; i < kAsked; ++i) racers.Add(database.Read(Count()), &answers);
  // Those that are too many are told at once, long before anything was done.
  while (answers.size() < kAsked - 1001) racers.RunOne();
  EXPECT_EQ(ran_, 0);
  for (const Status& answer : answers) {
    ASSERT_FALSE(answer);
    EXPECT_NE(answer.error().message.find("too much to do"), std::string::npos);
    EXPECT_EQ(answer.error().limit, LimitName("fixed.catalog_queue"));
    EXPECT_EQ(answer.error().retry_after, 2u);
  }
  connected_.count_down();
  racers.Run();
  EXPECT_GE(ran_, 1000);
  EXPECT_LE(ran_, 1001);
}

// Until there is an answer that `holds`, as there is soon.
template <class Holds>
Status AskUntil(Database& database, const std::function<Status(Session&)>& what, Holds holds) {
  const auto give_up = Clock::now() + std::chrono::seconds(60);
  Status answer = RunTask(database.Read(what));
  while (!holds(answer) && Clock::now() < give_up) answer = RunTask(database.Read(what));
  return answer;
}
bool IsGood(const Status& answer) { return answer.has_value(); }

// The gate waited for ever for the probe that had found out nothing.
TEST_F(LaneTest, AProbeThatFailsBeforeItIsConnectedIsNotTheLast) {
  std::atomic<Mood> mood = Mood::kUnreachable;
  Database database(std::make_unique<Moody>(folder_ / "a.db", mood), {.readers = 1, .writers = 1});
  EXPECT_FALSE(RunTask(database.Read(Count())));
  Status refused = RunTask(database.Read(Count()));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable) << "the gate is closed";
  mood = Mood::kBroken;
  Status probe = AskUntil(database, Count(), [](const Status& answer) {
    return !answer && answer.error().kind == ErrorKind::kInternal;
  });
  ASSERT_FALSE(probe);
  EXPECT_EQ(probe.error().kind, ErrorKind::kInternal) << "whose probe it was hears what it was";
  refused = RunTask(database.Read(Count()));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(refused.error().retry_after, 2u);
  EXPECT_EQ(ran_, 0);
  mood = Mood::kWell;
  Status well = AskUntil(database, Count(), IsGood);
  EXPECT_TRUE(well) << well.error().detail;
}

// It was answered as a bug of the server (500).
TEST_F(LaneTest, AFileThatCannotBeOpenedIsUnavailableUntilItCan) {
  const std::filesystem::path inside = folder_ / "not yet";
  Database database(MakeSqliteEngine({.path = inside / "a.db", .durable = false}),
                    {.readers = 1, .writers = 1});
  Status answer = RunTask(database.Read(Count()));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::kUnavailable) << answer.error().detail;
  EXPECT_EQ(answer.error().retry_after, 2u);
  std::filesystem::create_directory(inside);
  answer = AskUntil(database, Count(), IsGood);
  EXPECT_TRUE(answer) << answer.error().detail;
}

// Under mere load, what was begun a moment before its time was over was cut off, and the database
// taken for one that hangs.
TEST_F(LaneTest, WhatCannotEndInTimeIsNotBegunAndTheGateStaysOpen) {
  constexpr milliseconds kLanePatience{3000};
  Database database(std::make_unique<PlainEngine>(folder_ / "a.db"),
                    {.readers = 1, .writers = 1, .read_timeout = kLanePatience});
  Status first, second;
  bool in_time = false;
  for (int tries = 0; !in_time && tries < 5; ++tries) {  // the machine may have other things to do
    const auto asked = Clock::now();
    std::promise<void> never;
    auto most_of_it = [&](Session&) -> Status {
      never.get_future().wait_until(asked + kLanePatience * 8 / 10);
      return {};
    };
    std::vector<Status> answers;
    Racers racers;
    racers.Add(database.Read(most_of_it), &answers);
    racers.Add(database.Read(Count()), &answers);
    racers.Run();
    in_time = Clock::now() < asked + kLanePatience;
    ASSERT_EQ(answers.size(), 2u);
    first = answers[0];
    second = answers[1];
  }
  if (!in_time) GTEST_SKIP() << "the machine is too slow";
  EXPECT_TRUE(first);
  EXPECT_EQ(ran_, 0);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().limit, LimitName("catalog.read_timeout"));
  EXPECT_TRUE(RunTask(database.Read(Count()))) << "it answers";
  EXPECT_EQ(ran_, 1);
}

class LockedFileTest : public ::testing::Test {
 protected:
  static std::unique_ptr<Engine> Engine(const std::string& path) {
    return MakeSqliteEngine({.path = path, .durable = false});
  }
  TempFolder folder_;
  const std::string path_ = folder_ / "a.db";
};

// Each waited for five seconds, one after the other.
TEST_F(LockedFileTest, WritersWaitTogetherForAFileThatIsLockedAndReadersDoNot) {
  Database other(Engine(path_), {.readers = 1, .writers = 1});
  Database database(Engine(path_),
                    {.readers = 1, .writers = 1, .write_timeout = milliseconds(500)});
  auto nothing = [](Session& session) -> Status {
    session.Run({"test", "SELECT 1"});
    return {};
  };
  std::vector<Status> answers;
  Status read;
  auto asked = Clock::now();
  // Holds the file's write lock while it runs.
  ASSERT_TRUE(other.WriteNow([&](Session&) -> Status {
    Racers racers;
    for (int i = 0; i < 6; ++i) racers.Add(database.Write(nothing), &answers);
    racers.Run();
    read = RunTask(database.Read(nothing));
    return {};
  }));
  EXPECT_LT(Clock::now() - asked, std::chrono::seconds(20));
  ASSERT_EQ(answers.size(), 6u);
  for (const Status& answer : answers) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, ErrorKind::kUnavailable);
  }
  EXPECT_TRUE(read) << read.error().detail;
  // It is found out soon that the lock is gone.
  Status written = RunTask(database.Write(nothing));
  while (!written) written = RunTask(database.Write(nothing));
}

TEST_F(LockedFileTest, AStatementThatTakesTooLongIsEnded) {
  Database database(Engine(path_), {.readers = 1, .writers = 1, .read_timeout = milliseconds(300)});
  auto forever = [](Session& session) -> Status {
    session.Run({"test",
                 "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                 "SELECT count(*) FROM n"});
    return {};
  };
  Status answer = RunTask(database.Read(forever));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::kUnavailable);
}

}  // namespace
}  // namespace koya::sql
