#include "catalog/sql/change_log.h"

#include <gtest/gtest.h>

#include "base/temp_folder_fake.h"
#include "catalog/sql/database.h"
#include "catalog/sql/migrations.h"
#include "catalog/sql/query.h"
#include "catalog/sql/sqlite_engine.h"

namespace koya::sql {
namespace {

class ChangeLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Do([](Session& session) { return Migrate(session, AllMigrations()); }));
  }
  Status Do(const std::function<Status(Session&)>& work) { return database_.WriteNow(work); }
  void Append(int count) {
    ASSERT_TRUE(Do([count](Session& session) -> Status {
      for (int i = 0; i < count; ++i) AppendChange(session, "module:a/b/c");
      return {};
    }));
  }
  std::vector<Change> Since(std::int64_t sequence) {
    std::vector<Change> changes;
    EXPECT_TRUE(Do([&](Session& session) -> Status {
      ASSIGN_OR_RETURN(changes, ChangesSince(session, sequence));
      return {};
    }));
    return changes;
  }

  TempFolder folder_;
  Database database_{MakeSqliteEngine({.path = folder_ / "a.db", .durable = false}),
                     Database::Lanes{.readers = 1, .writers = 1}};
};

TEST_F(ChangeLogTest, KeepsTheNewestAndSaysWhenSomeAreGone) {
  Append(static_cast<int>(kKeptChanges) + 300);
  const std::int64_t latest = kKeptChanges + 300;
  std::vector<Change> kept = Since(300);
  ASSERT_EQ(kept.size(), 1000u);
  EXPECT_EQ(kept.front().sequence, 301);
  for (std::int64_t behind : {0, 150, 299}) {
    std::vector<Change> changes = Since(behind);
    ASSERT_EQ(changes.size(), 1u) << behind;
    EXPECT_EQ(changes[0].topic, "");
    EXPECT_EQ(changes[0].sequence, latest);
  }
  EXPECT_EQ(Since(latest - 1).size(), 1u);
  EXPECT_TRUE(Since(latest).empty());
}

TEST_F(ChangeLogTest, ANumberIsNeverGivenTwice) {
  Append(3);
  ASSERT_TRUE(Do([](Session& session) -> Status {
    session.Run({"test_forget", "DELETE FROM change"});
    return {};
  }));
  Append(1);
  EXPECT_EQ(Since(0).front().sequence, 4);
}

}  // namespace
}  // namespace koya::sql
