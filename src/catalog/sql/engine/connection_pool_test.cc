#include "catalog/sql/engine/connection_pool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <soci/soci.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <latch>
#include <random>
#include <stdexcept>

#include "base/temp_folder_fake.h"
#include "catalog/catalog_suite_base.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/sqlite_engine.h"

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
  bool Rest(soci::statement& statement) const override { return real_->Rest(statement); }
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

class PoolTest : public ::testing::Test {
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

TEST_F(PoolTest, WhoAsksIsAnsweredInTimeThoughConnectingTakesLonger) {
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

TEST_F(PoolTest, AThousandMayWait) {
  Database database = MakeSlow(std::chrono::minutes(10));
  Racers racers;
  std::vector<Status> answers;
  constexpr std::size_t kAsked = 1100;
  for (std::size_t i = 0; i < kAsked; ++i) racers.Add(database.Read(Count()), &answers);
  // Those above the limit fail at once, long before any work is done.
  while (answers.size() < kAsked - 1001) racers.RunOne();
  EXPECT_EQ(ran_, 0);
  for (const Status& answer : answers) {
    ASSERT_FALSE(answer);
    EXPECT_NE(answer.error().message.find("is overloaded"), std::string::npos);
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

// The breaker waited for ever for the probe that had found out nothing.
TEST_F(PoolTest, AProbeThatFailsBeforeItIsConnectedIsNotTheLast) {
  std::atomic<Mood> mood = Mood::kUnreachable;
  Database database(std::make_unique<Moody>(folder_ / "a.db", mood), {.readers = 1, .writers = 1});
  EXPECT_FALSE(RunTask(database.Read(Count())));
  Status refused = RunTask(database.Read(Count()));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable) << "the breaker is open";
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
TEST_F(PoolTest, AFileThatCannotBeOpenedIsUnavailableUntilItCan) {
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

// Under mere load, transactions that started a moment before their deadline were cut off, and the
// database was taken for one that hangs.
TEST_F(PoolTest, WhatCannotEndInTimeIsNotBegunAndTheGateStaysOpen) {
  constexpr milliseconds kPoolTimeout{3000};
  Database database(std::make_unique<PlainEngine>(folder_ / "a.db"),
                    {.readers = 1, .writers = 1, .read_timeout = kPoolTimeout});
  Status first, second;
  bool in_time = false;
  for (int tries = 0; !in_time && tries < 5; ++tries) {  // the machine may have other things to do
    const auto asked = Clock::now();
    std::promise<void> never;
    auto most_of_it = [&](Session&) -> Status {
      never.get_future().wait_until(asked + kPoolTimeout * 8 / 10);
      return {};
    };
    std::vector<Status> answers;
    Racers racers;
    racers.Add(database.Read(most_of_it), &answers);
    racers.Add(database.Read(Count()), &answers);
    racers.Run();
    in_time = Clock::now() < asked + kPoolTimeout;
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

//---- reported load of a pool

TEST_F(PoolTest, TellsWhatRunsWhatWaitsAndForHowLong) {
  Database database(std::make_unique<PlainEngine>(folder_ / "a.db"),
                    {.readers = 1, .writers = 1, .read_timeout = std::chrono::minutes(10)});
  std::promise<void> begun, over;
  auto hold = [&](Session&) -> Status {
    begun.set_value();
    over.get_future().wait();
    return {};
  };
  std::vector<Status> answers;
  std::thread asking([&] {
    Racers racers;
    racers.Add(database.Read(hold), &answers);
    for (int i = 0; i < 3; ++i) racers.Add(database.Read(Count()), &answers);
    racers.Run();
  });
  begun.get_future().wait();
  while (database.Loads()[0].queued < 3) std::this_thread::yield();
  PoolLoad load = database.Loads()[0];
  EXPECT_EQ(load.name, "read");
  EXPECT_EQ(load.running, 1u);
  EXPECT_EQ(load.queued, 3u);
  EXPECT_EQ(load.begun, 1u);
  EXPECT_EQ(load.connections, 1u);
  EXPECT_FALSE(load.breaker_open);
  const auto since = Clock::now();
  while (Clock::now() < since + milliseconds(2)) std::this_thread::yield();
  const auto held = Clock::now() - since;
  over.set_value();
  asking.join();
  while (database.Loads()[0].running > 0) std::this_thread::yield();  // answered a moment before
  PoolLoad later = database.Loads()[0];
  EXPECT_EQ(later.queued, 0u);
  EXPECT_EQ(later.begun, 4u);
  EXPECT_GE(later.waited, load.waited + 3 * held) << "each of the three waited that long";
  EXPECT_EQ(later.connections, 1u);
  EXPECT_EQ(later.full + later.late + later.not_tried + later.cut_off, 0u);
  PoolLoad writes = database.Loads()[1];
  EXPECT_EQ(writes.name, "write");
  EXPECT_EQ(writes.begun + writes.queued + writes.running, 0u);
}

TEST_F(PoolTest, TellsHowManyWereTooMany) {
  Database database = MakeSlow(std::chrono::minutes(10));
  Racers racers;
  std::vector<Status> answers;
  for (std::size_t i = 0; i < 1100; ++i) racers.Add(database.Read(Count()), &answers);
  while (answers.size() < 99) racers.RunOne();
  while (database.Loads()[0].running == 0) std::this_thread::yield();
  PoolLoad load = database.Loads()[0];
  EXPECT_LE(load.queued, 1000u);
  EXPECT_EQ(load.full + load.queued + load.running, 1100u);
  EXPECT_EQ(load.begun, 0u) << "there is no connection yet";
  connected_.count_down();
  racers.Run();
  load = database.Loads()[0];
  EXPECT_EQ(load.begun + load.full, 1100u);
}

TEST_F(PoolTest, TellsWhatWasLateAndNotTried) {
  {
    Database database = MakeSlow(milliseconds(200));
    Racers racers;
    std::vector<Status> answers;
    for (int i = 0; i < 10; ++i) racers.Add(database.Read(Count()), &answers);
    racers.Run();
    PoolLoad load = database.Loads()[0];
    EXPECT_LE(load.cut_off, 1u) << "the one that connects, unless its thread was too late";
    EXPECT_EQ(load.late + load.not_tried + load.cut_off, 10u);
    EXPECT_EQ(load.begun, 0u);
    EXPECT_TRUE(load.breaker_open);
    EXPECT_TRUE(database.Loads()[1].breaker_open) << "what cannot be read cannot be written";
    EXPECT_FALSE(RunTask(database.Read(Count())));
    EXPECT_GE(database.Loads()[0].not_tried, load.not_tried);
    connected_.count_down();
  }
  EXPECT_EQ(ran_, 0);
}

TEST_F(PoolTest, TellsThatItConnectedAgain) {
  std::atomic<Mood> mood = Mood::kUnreachable;
  Database database(std::make_unique<Moody>(folder_ / "a.db", mood), {.readers = 1, .writers = 1});
  EXPECT_FALSE(RunTask(database.Read(Count())));
  EXPECT_FALSE(RunTask(database.Read(Count())));
  PoolLoad load = database.Loads()[0];
  EXPECT_TRUE(load.breaker_open);
  EXPECT_EQ(load.connections, 0u);
  EXPECT_GE(load.not_tried, 1u);
  mood = Mood::kWell;
  EXPECT_TRUE(AskUntil(database, Count(), IsGood));
  load = database.Loads()[0];
  EXPECT_FALSE(load.breaker_open);
  EXPECT_EQ(load.connections, 1u);
  EXPECT_EQ(load.begun, 1u);
}

//---- writes that are committed together

// Counts the COMMITs, of which the next may fail.
class CommitCounter final : public PlainEngine {
 public:
  CommitCounter(const std::string& path, std::atomic<int>& commits, std::atomic<bool>& fails)
      : PlainEngine(path), commits_(commits), fails_(fails) {}
  void RunScript(soci::session& session, const std::string& script) override {
    const bool commits = script == "COMMIT";
    if (commits && fails_.exchange(false)) throw std::runtime_error("an I/O error");
    PlainEngine::RunScript(session, script);
    commits_ += commits ? 1 : 0;
  }

 private:
  std::atomic<int>& commits_;
  std::atomic<bool>& fails_;
};

class TogetherTest : public PoolTest {
 protected:
  using Work = std::function<Status(Session&)>;

  void SetUp() override {
    ASSERT_TRUE(database_->WriteNow([](Session& session) -> Status {
      session.Run({"create", "CREATE TABLE note (number INTEGER PRIMARY KEY, place INTEGER)"});
      return {};
    }));
    commits_ = 0;
  }

  static Status Insert(Session& session, int number) {
    session.Run({"insert",
                 fmt::format("INSERT INTO note VALUES ({}, (SELECT count(*) FROM note))", number)});
    return {};
  }
  Work Note(int number) {
    return [this, number](Session& session) -> Status {
      ++ran_;
      return Insert(session, number);
    };
  }
  // The outcomes of `works`, each by its place, which all wait when number 0 is about to be
  // committed.
  std::vector<Status> RunBehindOne(std::vector<Work> works) {
    Work first = [this, count = works.size()](Session& session) -> Status {
      while (ran_ == 0 && database_->Loads()[1].queued < count) std::this_thread::yield();
      ++ran_;
      return Insert(session, 0);
    };
    works.insert(works.begin(), std::move(first));
    std::vector<std::vector<Status>> answers(works.size());
    Racers racers;
    for (std::size_t i = 0; i < works.size(); ++i) {
      racers.Add(database_->Write(works[i]), &answers[i]);
    }
    racers.Run();
    std::vector<Status> outcomes;
    for (auto& answer : answers) {
      EXPECT_EQ(answer.size(), 1u);
      outcomes.push_back(answer.at(0));
    }
    return outcomes;
  }
  // What is stored, in the order in which it was inserted.
  std::vector<int> Stored() {
    std::vector<int> numbers;
    Database other(std::make_unique<PlainEngine>(path_), {.readers = 1, .writers = 1});
    EXPECT_TRUE(RunTask(other.Read([&](Session& session) -> Status {
      soci::rowset<int> rows = session.connection().prepare
                               << "SELECT number FROM note ORDER BY place";
      numbers.assign(rows.begin(), rows.end());
      return {};
    })));
    return numbers;
  }

  const std::string path_ = folder_ / "a.db";
  std::atomic<int> commits_ = 0;
  std::atomic<bool> fails_ = false;
  std::optional<Database> database_{std::in_place,
                                    std::make_unique<CommitCounter>(path_, commits_, fails_),
                                    Database::Pools{.readers = 1, .writers = 1}};
};

TEST_F(TogetherTest, WritesThatWaitBecomeDurableByOneCommitInTheirOrder) {
  for (const Status& each : RunBehindOne({Note(3), Note(1), Note(2)})) EXPECT_TRUE(each);
  EXPECT_EQ(commits_, 1);
  EXPECT_EQ(ran_, 4);
  EXPECT_EQ(Stored(), (std::vector{0, 3, 1, 2}));
}

TEST_F(TogetherTest, SixtyFourAreTheMost) {
  std::vector<Work> works;
  for (int i = 1; i <= 100; ++i) works.push_back(Note(i));
  for (const Status& each : RunBehindOne(std::move(works))) EXPECT_TRUE(each);
  EXPECT_GE(commits_, 2);
  EXPECT_EQ(ran_, 101);
  EXPECT_EQ(Stored().size(), 101u);
}

TEST_F(TogetherTest, OneThatFailsUndoesOnlyItself) {
  auto conflict = [](Session& session) -> Status {
    Status inserted = Insert(session, 5);
    return Fail(ErrorKind::kConflict, "it is there already");
  };
  auto twice = [](Session& session) -> Status {
    Status inserted = Insert(session, 6);
    return Insert(session, 1);
  };
  std::vector<Status> outcomes = RunBehindOne({Note(1), conflict, twice, Note(2)});
  EXPECT_TRUE(outcomes[0] && outcomes[1] && outcomes[4]);
  ASSERT_FALSE(outcomes[2]);
  EXPECT_EQ(outcomes[2].error().kind, ErrorKind::kConflict);
  ASSERT_FALSE(outcomes[3]);
  EXPECT_TRUE(outcomes[3].error().detail.contains("insert")) << outcomes[3].error().detail;
  EXPECT_TRUE(outcomes[3].error().detail.contains("UNIQUE")) << outcomes[3].error().detail;
  EXPECT_EQ(commits_, 1);
  EXPECT_EQ(Stored(), (std::vector{0, 1, 2}));
}

TEST_F(TogetherTest, OneThatUndoesAllFailsAloneAndTheOthersRunByThemselves) {
  auto fatal = [](Session& session) -> Status {
    session.Run({"fatal", "INSERT OR ROLLBACK INTO note VALUES (0, 0)"});
    return {};
  };
  std::vector<Status> outcomes = RunBehindOne({Note(1), fatal, Note(2)});
  EXPECT_TRUE(outcomes[0] && outcomes[1] && outcomes[3]);
  ASSERT_FALSE(outcomes[2]);
  EXPECT_TRUE(outcomes[2].error().detail.contains("UNIQUE")) << outcomes[2].error().detail;
  EXPECT_EQ(commits_, 3);
  EXPECT_EQ(Stored(), (std::vector{0, 1, 2}));
}

TEST_F(TogetherTest, AfterACommitThatFailsEachRunsByItself) {
  fails_ = true;
  for (const Status& each : RunBehindOne({Note(1), Note(2)})) EXPECT_TRUE(each);
  EXPECT_EQ(commits_, 3);
  EXPECT_EQ(ran_, 6) << "each a second time";
  EXPECT_EQ(Stored(), (std::vector{0, 1, 2}));
}

TEST_F(TogetherTest, OneThatIsSlowDoesNotTakeTheTimeOfTheOthers) {
  std::atomic<int> runs = 0;
  auto slow = [&runs](Session& session) -> Status {
    if (runs++ == 0) {
      session.Run({"slow",
                   "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                   "SELECT count(*) FROM n"});
    }
    return Insert(session, 9);
  };
  const auto asked = Clock::now();
  for (const Status& each : RunBehindOne({Note(1), slow, Note(2)})) EXPECT_TRUE(each);
  EXPECT_LT(Clock::now() - asked, Database::Pools{}.write_timeout) << "it was cut off before";
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(database_->Loads()[1].cut_off, 0u);
  EXPECT_FALSE(database_->Loads()[1].breaker_open);
  EXPECT_EQ(Stored(), (std::vector{0, 1, 9, 2}));
}

TEST_F(TogetherTest, ExactlyTheSuccessesAreStoredInEveryMixture) {
  std::mt19937 random(1);
  std::vector<std::vector<Status>> outcomes(400);
  Racers racers;
  for (int number = 0; number < 400; ++number) {
    const unsigned kind = random() % 20;
    racers.Add(database_->Write([number, kind](Session& session) -> Status {
      Status inserted = Insert(session, number);
      if (kind == 0) return Fail(ErrorKind::kConflict, "it is there already");
      if (kind == 1) session.Run({"fails", "INSERT INTO nowhere VALUES (1)"});
      if (kind == 2) {
        session.Run({"fatal", fmt::format("INSERT OR ROLLBACK INTO note VALUES ({}, 0)", number)});
      }
      return inserted;
    }),
               &outcomes[static_cast<std::size_t>(number)]);
  }
  racers.Run();
  std::vector<int> successes;
  for (int number = 0; number < 400; ++number) {
    if (outcomes[static_cast<std::size_t>(number)].at(0)) successes.push_back(number);
  }
  EXPECT_GT(successes.size(), 300u);
  EXPECT_LT(successes.size(), 400u);
  EXPECT_EQ(Stored(), successes) << "in the order of the requests";
}

TEST_F(TogetherTest, ThoseWithoutTimeToRunAgainDoNotJoin) {
  constexpr milliseconds kTimeout{3000};
  database_.emplace(std::make_unique<CommitCounter>(path_, commits_, fails_),
                    Database::Pools{.readers = 1, .writers = 1, .write_timeout = kTimeout});
  const auto asked = Clock::now();
  std::vector<Status> first, second;
  Racers racers;
  racers.Add(database_->Write([&](Session& session) -> Status {
    std::promise<void> never;
    never.get_future().wait_until(asked + kTimeout * 8 / 10);
    return Insert(session, 0);
  }),
             &first);
  racers.Add(database_->Write(Note(1)), &second);
  racers.Run();
  EXPECT_FALSE(second.at(0));
  EXPECT_EQ(ran_, 0);
  if (!first.at(0)) return;  // the machine was busy for the rest of its time
  EXPECT_EQ(second.at(0).error().limit, LimitName("catalog.write_timeout"));
  EXPECT_EQ(Stored(), (std::vector{0}));
}

TEST_F(TogetherTest, WhatWaitsWhenThePoolStopsIsCommitted) {
  std::promise<void> begun;
  std::vector<Status> answers;
  std::thread asking([&] {
    Racers racers;
    racers.Add(database_->Write([&](Session& session) -> Status {
      while (database_->Loads()[1].queued < 3) std::this_thread::yield();
      begun.set_value();
      return Insert(session, 0);
    }),
               &answers);
    for (int i = 1; i <= 3; ++i) racers.Add(database_->Write(Note(i)), &answers);
    racers.Run();
  });
  begun.get_future().wait();
  database_.reset();
  asking.join();
  ASSERT_EQ(answers.size(), 4u);
  for (const Status& each : answers) EXPECT_TRUE(each);
  EXPECT_EQ(Stored(), (std::vector{0, 1, 2, 3}));
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
  // On a machine that has other things to do it may be too late to be begun, at first.
  const auto give_up = Clock::now() + std::chrono::seconds(60);
  while (database.Loads()[0].cut_off == 0 && Clock::now() < give_up) {
    EXPECT_FALSE(RunTask(database.Read(forever)));
  }
  EXPECT_GE(database.Loads()[0].cut_off, 1u);
  EXPECT_EQ(database.Loads()[0].begun, 1u);
}

using Decision = DatabaseCircuitBreaker::Decision;
using std::chrono::milliseconds;

constexpr DatabaseCircuitBreaker::Time At(int ms) {
  return DatabaseCircuitBreaker::Time(milliseconds(1'000'000 + ms));
}
const Error kDown{.kind = ErrorKind::kUnavailable, .message = "down"};

TEST(CircuitBreakerTest, AdmitsAllWhileClosed) {
  DatabaseCircuitBreaker breaker;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(breaker.Admit(At(i)).decision, Decision::kAdmit);
  EXPECT_FALSE(breaker.is_open());
}

TEST(CircuitBreakerTest, AdmitsOneProbeASecondWhileOpen) {
  DatabaseCircuitBreaker breaker;
  breaker.Open(At(0), kDown);
  EXPECT_EQ(breaker.why(), kDown);
  EXPECT_EQ(breaker.Admit(At(0)).decision, Decision::kReject);
  EXPECT_EQ(breaker.Admit(At(999)).decision, Decision::kReject);
  EXPECT_EQ(breaker.Admit(At(1000)).decision, Decision::kProbe);
  // It may take its time: there is never a second one.
  EXPECT_EQ(breaker.Admit(At(1001)).decision, Decision::kReject);
  EXPECT_EQ(breaker.Admit(At(9000)).decision, Decision::kReject);
  breaker.Open(At(9000), kDown);
  EXPECT_EQ(breaker.Admit(At(9999)).decision, Decision::kReject);
  EXPECT_EQ(breaker.Admit(At(10'000)).decision, Decision::kProbe);
  breaker.Close();
  EXPECT_FALSE(breaker.is_open());
  EXPECT_EQ(breaker.Admit(At(10'001)).decision, Decision::kAdmit);
}

TEST(CircuitBreakerTest, ProbesOnlyWhileAnotherBreakerIsOpen) {
  DatabaseCircuitBreaker breaker;
  EXPECT_EQ(breaker.Admit(At(0), true).decision, Decision::kProbe);
  EXPECT_EQ(breaker.Admit(At(0), true).decision, Decision::kReject);
  breaker.Close();
  EXPECT_EQ(breaker.Admit(At(1), true).decision, Decision::kReject);
  EXPECT_EQ(breaker.Admit(At(1), false).decision, Decision::kAdmit);
  EXPECT_EQ(breaker.Admit(At(1000), true).decision, Decision::kProbe);
}

// Who admission for the reason afterwards found the breaker closed already, and none.
TEST(CircuitBreakerTest, TheReasonComesWithTheRejection) {
  DatabaseCircuitBreaker breaker;
  breaker.Open(At(0), kDown);
  DatabaseCircuitBreaker::Admission admission = breaker.Admit(At(1));
  breaker.Close();
  EXPECT_EQ(admission.decision, Decision::kReject);
  EXPECT_EQ(admission.why, kDown);
  EXPECT_EQ(breaker.Admit(At(2)).why, std::nullopt);
}

TEST(CircuitBreakerTest, TheReasonOfAnotherBreakerIsThere) {
  DatabaseCircuitBreaker breaker;
  EXPECT_EQ(breaker.Admit(At(0), true).decision, Decision::kProbe);
  DatabaseCircuitBreaker::Admission admission = breaker.Admit(At(0), true);
  EXPECT_EQ(admission.decision, Decision::kReject);
  EXPECT_EQ(admission.why, std::nullopt);
  breaker.Open(At(1), kDown);
  EXPECT_EQ(breaker.Admit(At(2), true).why, kDown) << "this one is open, too";
}

}  // namespace

}  // namespace koya::sql
