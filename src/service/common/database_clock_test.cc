#include "service/common/database_clock.h"

#include <gtest/gtest.h>

#include <chrono>

#include "auth/token.h"
#include "base/run_task.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/replica_catalog.h"
#include "catalog/token_catalog.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"
#include "service/access/tokens.h"
#include "service/common/last_used_tracker.h"

namespace koya::service {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr UnixSeconds kNoon = 1'795'279'270;

// A database, and a machine whose clock is wrong: all that passes, passes on both.
class DatabaseClockTest : public ::testing::Test, protected DatabaseTime {
 protected:
  Task<milliseconds> AskTime() override {
    Pass(trip_);
    const milliseconds now = std::chrono::duration_cast<milliseconds>(database_);
    Pass(trip_);
    if (away_) co_return FailUnavailable("the database is away");
    co_return now;
  }
  void Pass(nanoseconds time) {
    database_ += time;
    wall_ += time;
    up_ += time;
  }
  UnixSeconds There() const { return std::chrono::floor<seconds>(database_).count(); }
  void Ask() { RunTask(clock_.Synchronize()); }

  nanoseconds database_ = seconds(kNoon);
  nanoseconds wall_ = seconds(kNoon) + hours(1);
  nanoseconds up_ = hours(100);
  nanoseconds trip_ = milliseconds(3);
  bool away_ = false;
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  DatabaseClock clock_{
      *this, log_, {.up = [this] { return up_; }, .wall = [this] { return wall_; }}};
};

TEST_F(DatabaseClockTest, TheMachinesOwnClockCountsUntilTheDatabaseHasAnswered) {
  EXPECT_EQ(clock_.Now(), kNoon + 3600);
  away_ = true;
  Ask();
  EXPECT_EQ(clock_.Now(), kNoon + 3600);
  EXPECT_EQ(clock_.ahead(), nanoseconds::zero());
  away_ = false;
  Ask();
  EXPECT_EQ(clock_.Now(), There());
  EXPECT_EQ(clock_.ahead(), hours(1));
}

TEST_F(DatabaseClockTest, AJumpOfTheMachinesClockChangesNothing) {
  Ask();
  for (nanoseconds jump : {nanoseconds(hours(-1)), nanoseconds(hours(4 * 365 * 24))}) {
    wall_ += jump;
    EXPECT_EQ(clock_.Now(), There());
    Pass(seconds(7));
    EXPECT_EQ(clock_.Now(), There());
  }
}

TEST_F(DatabaseClockTest, TheDatabasesJumpsAreFollowed) {
  Ask();
  database_ += seconds(90);
  Ask();
  EXPECT_EQ(clock_.Now(), There());
  database_ -= hours(2);
  Ask();
  EXPECT_EQ(clock_.Now(), There());
}

TEST_F(DatabaseClockTest, AnAnswerThatTookLongSaysLittle) {
  Ask();
  database_ += hours(1);
  trip_ = milliseconds(501);
  Ask();
  EXPECT_EQ(clock_.Now(), There() - 3600);
  trip_ = milliseconds(499);
  Ask();
  EXPECT_EQ(clock_.Now(), There());
}

TEST_F(DatabaseClockTest, ThatTheClocksDifferIsToldOnceAndThatTheyAgreeAgain) {
  for (int i = 0; i < 3; ++i) Ask();
  wall_ -= hours(1);
  for (int i = 0; i < 3; ++i) Ask();
  wall_ -= seconds(3);
  Ask();
  auto lines = captured_.Lines();
  ASSERT_EQ(lines.size(), 3U) << captured_.Text();
  EXPECT_EQ(lines[0].at("level"), "warn");
  EXPECT_EQ(lines[0].at("ahead_s"), 3600);
  EXPECT_EQ(lines[1].at("level"), "info");
  EXPECT_EQ(lines[2].at("ahead_s"), -3);
}

// Each server took its own clock: the token had ended on one and not on the other.
TEST_F(DatabaseClockTest, ATokenEndsForAServerWhoseClockIsAnHourAheadWhenItEndsForTheOthers) {
  TestCatalog catalog;
  LastUsedTracker uses(catalog, log_);
  TokenCache cache([this] { return up_; }, [this] { return up_; });
  Tokens tokens(catalog, catalog, cache, clock_, uses);
  auth::MintedToken minted = auth::MintToken();
  TokenRecord record{.name = "ci", .secret = minted.secret, .expires_at = kNoon + 600};
  ASSERT_TRUE(RunTask(catalog.tokens().AddToken(Actor::Server(), record)));
  const std::string bearer = "Bearer " + minted.text;
  EXPECT_FALSE(RunTask(tokens.Authenticate(bearer))) << "as its own clock says";
  Ask();
  EXPECT_TRUE(RunTask(tokens.Authenticate(bearer)));
  Pass(seconds(599));
  EXPECT_TRUE(RunTask(tokens.Authenticate(bearer)));
  Pass(seconds(1));
  EXPECT_FALSE(RunTask(tokens.Authenticate(bearer)));
}

}  // namespace
}  // namespace koya::service
