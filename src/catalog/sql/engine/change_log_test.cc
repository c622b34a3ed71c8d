#include "catalog/sql/engine/change_log.h"

#include <gtest/gtest.h>

#include "base/temp_folder_fake.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/migrations.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/sqlite_engine.h"
#include "domain/topic.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

class ChangeLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Do([](Session& session) -> Status {
      RETURN_IF_ERROR(Migrate(session, AllMigrations()));
      return {};
    }));
  }
  Status Do(const std::function<Status(Session&)>& work) { return database_.WriteNow(work); }
  void Append(int count) {
    ASSERT_TRUE(Do([count](Session& session) -> Status {
      for (int i = 0; i < count; ++i) AppendChange(session, "module:a/b/c");
      return {};
    }));
  }
  std::vector<Change> Since(const ChangePosition& after) {
    std::vector<Change> changes;
    EXPECT_TRUE(Do([&](Session& session) -> Status {
      ASSIGN_OR_RETURN(changes, ChangesSince(session, after));
      return {};
    }));
    return changes;
  }
  // The position of a change that is still kept.
  ChangePosition At(std::int64_t sequence) {
    ChangePosition position{.sequence = sequence, .mark = {}};
    EXPECT_TRUE(Do([&](Session& session) -> Status {
      Query query(session, {"test_mark", "SELECT mark FROM change WHERE sequence = :sequence"});
      query.Use(sequence).Into(position.mark).Next();
      return {};
    }));
    return position;
  }
  void Run(std::string_view statement) {
    ASSERT_TRUE(Do([&](Session& session) -> Status {
      session.Run(Statement{"test_change", statement});
      return {};
    }));
  }

  TempFolder folder_;
  Database database_{MakeSqliteEngine({.path = folder_ / "a.db", .durable = false}),
                     Database::Pools{.readers = 1, .writers = 1}};
};

TEST_F(ChangeLogTest, KeepsTheNewestAndSaysWhenSomeAreGone) {
  Append(static_cast<int>(kKeptChanges) + 300);
  const std::int64_t latest = kKeptChanges + 300;
  std::vector<Change> kept = Since(At(301));
  ASSERT_EQ(kept.size(), 1000u);
  EXPECT_EQ(kept.front().sequence, 302);
  for (std::int64_t behind : {0, 150, 300}) {
    std::vector<Change> changes = Since({behind, "a mark"});
    ASSERT_EQ(changes.size(), 1u) << behind;
    EXPECT_EQ(changes[0].topic, "");
    EXPECT_EQ(changes[0].sequence, latest);
    EXPECT_TRUE(Since(ChangePosition::Of(changes[0])).empty()) << "nothing is told twice";
  }
  EXPECT_EQ(Since(At(latest - 1)).size(), 1u);
  EXPECT_TRUE(Since(At(latest)).empty());
}

TEST_F(ChangeLogTest, FromTheBeginningAllIsToldAPageAtATime) {
  EXPECT_TRUE(Since({}).empty());
  Append(1001);
  std::vector<Change> page = Since({});
  ASSERT_EQ(page.size(), 1000u);
  EXPECT_EQ(page.front().sequence, 1);
  EXPECT_EQ(Since(ChangePosition::Of(page.back())).size(), 1u);
}

// As after a failover to a database that had not got the last changes.
TEST_F(ChangeLogTest, WhoeverReadWhatTheLogNoLongerSaysHearsThatAnythingMayHaveChanged) {
  Append(5);
  const ChangePosition third = At(3), fifth = At(5);
  Run("DELETE FROM change WHERE sequence > 3");
  auto is_everything = [](const std::vector<Change>& changes, std::int64_t at) {
    return changes.size() == 1 && changes[0].topic == kEverything && changes[0].sequence == at;
  };
  EXPECT_TRUE(is_everything(Since(fifth), 3)) << "the end went back";
  Run("INSERT INTO change (sequence, topic, mark) VALUES (4, 'module:x/y/z', 'p')");
  Run("INSERT INTO change (sequence, topic, mark) VALUES (5, 'module:x/y/z', 'q')");
  Run("INSERT INTO change (sequence, topic, mark) VALUES (6, 'module:x/y/z', 'r')");
  EXPECT_TRUE(is_everything(Since(fifth), 6)) << "the number is another change's";
  EXPECT_EQ(Since(third).size(), 3u);
  Run("DELETE FROM change");
  EXPECT_TRUE(is_everything(Since(fifth), 0)) << "the log is empty";
}

TEST_F(ChangeLogTest, ANumberIsNeverGivenTwice) {
  Append(3);
  Run("DELETE FROM change");
  Append(1);
  EXPECT_EQ(Since({}).front().sequence, 4);
}

}  // namespace
}  // namespace koya::sql
