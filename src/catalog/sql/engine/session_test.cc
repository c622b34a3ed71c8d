#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/temp_folder_fake.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/session.h"
#include "catalog/sql/engine/sqlite_engine.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr Statement kMake{"make", "CREATE TABLE numbers (n INTEGER UNIQUE, word TEXT)"};
constexpr Statement kAdd{"add", "INSERT INTO numbers (n, word) VALUES (:n, :word)"};
constexpr Statement kFrom{"from", "SELECT n FROM numbers WHERE n >= :least ORDER BY n"};
constexpr Statement kWord{"word", "SELECT word FROM numbers WHERE n = :n"};

class KeptStatementsTest : public testing::Test {
 protected:
  KeptStatementsTest() {
    session_.Begin(Session::Time::max());
    session_.Run(kMake);
    for (std::int64_t n = 1; n <= 3; ++n) Add(n, "w" + std::to_string(n));
  }

  void Add(std::int64_t n, std::optional<std::string> word) {
    Query query(session_, kAdd);
    query.Use(n).Use(word ? std::string_view(*word) : "");
    query.Run();
  }

  std::vector<std::int64_t> From(std::int64_t least) {
    std::vector<std::int64_t> found;
    std::int64_t n = 0;
    Query query(session_, kFrom);
    query.Use(least).Into(n);
    while (query.Next()) found.push_back(n);
    return found;
  }

  std::size_t kept() { return session_.kept_statements().size(); }

  TempFolder folder_;
  std::unique_ptr<Engine> engine_ =
      MakeSqliteEngine({.path = folder_ / "numbers.db", .durable = false});
  Session session_{*engine_, std::chrono::seconds(5)};
};

TEST_F(KeptStatementsTest, OneIsRunAgainWithOtherParametersAndColumns) {
  const std::size_t before = kept();
  EXPECT_EQ(From(2), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(kept(), before + 1);
  EXPECT_EQ(From(3), (std::vector<std::int64_t>{3}));
  EXPECT_EQ(From(4), (std::vector<std::int64_t>{}));
  EXPECT_EQ(From(1), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(kept(), before + 1);
}

TEST_F(KeptStatementsTest, OneThatIsSteppedThroughIsNotBegunAnew) {
  std::vector<std::int64_t> seen;
  std::int64_t n = 0;
  Query outer(session_, kFrom);
  outer.Use(1).Into(n);
  while (outer.Next()) {
    seen.push_back(n);
    EXPECT_EQ(From(n).front(), n);
  }
  EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2, 3}));
}

TEST_F(KeptStatementsTest, OneThatWasLeftInTheMiddleHoldsNothing) {
  {
    std::int64_t n = 0;
    Query query(session_, kFrom);
    query.Use(1).Into(n);
    ASSERT_TRUE(query.Next());
  }
  // A statement under way would keep the table from being dropped.
  session_.Run({"drop", "DROP TABLE numbers"});
  session_.Run(kMake);
  EXPECT_EQ(From(1), (std::vector<std::int64_t>{}));
}

TEST_F(KeptStatementsTest, OneThatFailedIsDropped) {
  const std::size_t before = kept();
  EXPECT_ANY_THROW(Add(1, "once more"));
  EXPECT_EQ(kept(), before - 1);
  Add(4, "four");
  std::string word;
  Query query(session_, kWord);
  query.Use(4).Into(word);
  ASSERT_TRUE(query.Next());
  EXPECT_EQ(word, "four");
}

TEST_F(KeptStatementsTest, OnesUsedLongestAgoGiveWayAndLongOnesAreNotKept) {
  for (std::size_t i = 0; i < 2 * StatementCache::kMost; ++i) {
    const std::string text = "SELECT n FROM numbers WHERE n = " + std::to_string(i);
    std::int64_t n = 0;
    Query query(session_, {"many", text});
    query.Into(n);
    query.Next();
  }
  EXPECT_EQ(kept(), StatementCache::kMost);
  session_.Disconnect();
  EXPECT_EQ(kept(), 0U);
  const std::string text =
      "SELECT n FROM numbers " + std::string(StatementCache::kLongestText, ' ');
  std::int64_t n = 0;
  {
    Query query(session_, {"long", text});
    query.Into(n);
    query.Next();
  }
  EXPECT_EQ(n, 1);
  EXPECT_EQ(kept(), 0U);
}

TEST_F(KeptStatementsTest, AConnectionThatWasClosedTakesItsStatementsAlong) {
  EXPECT_EQ(From(1).size(), 3U);
  session_.Disconnect();
  EXPECT_EQ(kept(), 0U);
  EXPECT_EQ(From(2).size(), 2U);
}

}  // namespace
}  // namespace koya::sql
