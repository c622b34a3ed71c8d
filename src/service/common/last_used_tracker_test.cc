#include "service/common/last_used_tracker.h"

#include <gtest/gtest.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "auth/token.h"
#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/token_catalog.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"
#include "service/access/tokens.h"

namespace koya::service {
namespace {

class UseNotesTest : public ::testing::Test {
 protected:
  UseNotesTest() {
    // A caller that waits for a lock here waits until the test is ended.
    uses_ = std::make_unique<LastUsedTracker>(catalog_, log_);
    TokenRecord record{.name = "ci", .secret = minted_.secret, .created_at = clock_.now};
    EXPECT_TRUE(RunTask(catalog_.tokens().AddToken(Actor::Server(), record)));
  }

  std::optional<UnixSeconds> LastUsed() {
    return RunTask(catalog_.tokens().FindToken(minted_.secret)).value().last_used_at;
  }

  ManualClock clock_;
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  TestCatalog catalog_;
  std::unique_ptr<LastUsedTracker> uses_;
  auth::MintedToken minted_ = auth::MintToken();
};

// Every request with a token waited until the lock was gone, or catalog.write_timeout over.
TEST_F(UseNotesTest, WhoeverAuthenticatesWaitsForNoLock) {
  TokenCache cache(TimeSinceBoot);
  Tokens tokens(catalog_, catalog_, cache, clock_, *uses_);
  soci::session other(*soci::factory_sqlite3(), "db=" + catalog_.file().string());
  other << "BEGIN IMMEDIATE";
  EXPECT_TRUE(RunTask(tokens.Authenticate("Bearer " + minted_.text)));
  other << "ROLLBACK";
  EXPECT_EQ(LastUsed(), std::nullopt);
  RunTask(uses_->Write());
  EXPECT_EQ(LastUsed(), clock_.now);
}

TEST_F(UseNotesTest, OfSeveralUsesTheLastCounts) {
  for (UnixSeconds later : {0, 5, 7}) uses_->NoteToken(minted_.secret, clock_.now + later);
  RunTask(uses_->Write());
  EXPECT_EQ(LastUsed(), clock_.now + 7);
  RunTask(uses_->Write());  // nothing is left
  uses_->NoteToken(minted_.secret, clock_.now + 70);
  RunTask(uses_->Write());
  EXPECT_EQ(LastUsed(), clock_.now + 70);
  EXPECT_EQ(captured_.Text(), "");
}

TEST_F(UseNotesTest, TheLastUseSaysWhereItCameFrom) {
  auto from = [this] {
    return RunTask(catalog_.tokens().FindToken(minted_.secret))->last_used_from;
  };
  uses_->NoteToken(minted_.secret, clock_.now, "192.0.2.1");
  uses_->NoteToken(minted_.secret, clock_.now + 5, "192.0.2.2");
  RunTask(uses_->Write());
  EXPECT_EQ(from(), "192.0.2.2");
  uses_->NoteToken(minted_.secret, clock_.now + 90, std::string(1000, '1'));
  RunTask(uses_->Write());
  EXPECT_EQ(from(), std::string(64, '1')) << "what is no address is bounded all the same";
}

TEST_F(UseNotesTest, WhatWaitsToBeNotedIsBounded) {
  for (std::size_t i = 0; i < LastUsedTracker::kMostPending; ++i) {
    uses_->NoteToken(Digest::Of(std::to_string(i)), clock_.now);
  }
  uses_->NoteToken(minted_.secret, clock_.now);
  RunTask(uses_->Write());
  EXPECT_EQ(LastUsed(), std::nullopt);
  uses_->NoteToken(minted_.secret, clock_.now);
  RunTask(uses_->Write());
  EXPECT_EQ(LastUsed(), clock_.now) << "there is room again";
}

}  // namespace
}  // namespace koya::service
