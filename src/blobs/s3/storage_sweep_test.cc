#include "blobs/s3/storage_sweep.h"

#include <thread>

#include "blobs/s3/s3_store_fixture_fake.h"

namespace koya {
namespace {

class StorageSweepTest : public S3StoreTest {
 protected:
  std::string Leave(const std::string& content) {
    std::string name = OtherStore(content);
    EXPECT_EQ(
        RunTask(elsewhere_.blobs().RemoveIfOlder(Digest::Of(content), std::chrono::seconds(0))),
        true);
    return name;
  }
  SweepReport Sweep(std::stop_token stop = {}) {
    Result<SweepReport> report = RunTask(sweep_.Run(kTimes, std::move(stop)));
    EXPECT_TRUE(report);
    return report.value_or(SweepReport());
  }

  static constexpr SweepTimes kTimes{std::chrono::hours(24), std::chrono::hours(48)};
  LogCapture capture_;
  Logger log_{capture_.writer(), LogLevel::kInfo};
  StorageSweep sweep_{objects_, ledger_, log_};
};

TEST_F(StorageSweepTest, RemovesWhatLeftLongEnoughAgo) {
  const std::string kept = OtherStore("kept");
  const std::string old = Leave("old");
  ledger_.Advance(std::chrono::hours(49));
  const std::string young = Leave("young");
  SweepReport report = Sweep();
  EXPECT_EQ(report.removed, 1U);
  EXPECT_EQ(report.bytes, 3U);
  EXPECT_EQ(report.failed, 0U);
  EXPECT_EQ(ledger_.StateOf(old), std::nullopt);
  EXPECT_EQ(ledger_.StateOf(young), State::kLeaving);
  EXPECT_EQ(ledger_.StateOf(kept), State::kStored);
  std::vector<std::string> left{kept, young};
  std::ranges::sort(left);
  EXPECT_EQ(objects_.Names(), left);
}

TEST_F(StorageSweepTest, UploadsThatNobodyFinishedGoInTheEnd) {
  objects_.FailPut(FakeObjectClient::PutFault::kAfterTheAct);
  EXPECT_FALSE(RunTask(Store(here_.blobs(), "half")));
  EXPECT_EQ(Sweep().given_up, 0U);
  ledger_.Advance(std::chrono::hours(25));
  EXPECT_EQ(Sweep().given_up, 1U);
  EXPECT_EQ(objects_.Names().size(), 1U);
  ledger_.Advance(std::chrono::hours(49));
  EXPECT_EQ(Sweep().removed, 1U);
  EXPECT_EQ(objects_.counts().aborts, 1);
  EXPECT_TRUE(objects_.Names().empty());
  EXPECT_TRUE(ledger_.Rows().empty());
}

TEST_F(StorageSweepTest, WhatCannotBeRemovedStaysForTheNextSweep) {
  const std::string stuck = Leave("stuck");
  Leave("goes");
  ledger_.Advance(std::chrono::hours(49));
  objects_.Protect(stuck);
  SweepReport report = Sweep();
  EXPECT_EQ(report.removed, 1U);
  EXPECT_EQ(report.failed, 1U);
  EXPECT_EQ(ledger_.StateOf(stuck), State::kLeaving);
  EXPECT_NE(capture_.Text().find(stuck), std::string::npos);
  objects_.Protect("");
  EXPECT_EQ(Sweep().removed, 1U);
  EXPECT_TRUE(ledger_.Rows().empty());
  EXPECT_EQ(sweep_.totals().removed, 2U);
  EXPECT_EQ(sweep_.totals().bytes, 9U);
  EXPECT_EQ(sweep_.totals().failed, 1U);
}

TEST_F(StorageSweepTest, AStoreThatRefusesIsLeftAlone) {
  for (int i = 0; i < 20; ++i) Leave("blob " + std::to_string(i));
  ledger_.Advance(std::chrono::hours(49));
  objects_.SetDown(true);
  SweepReport report = Sweep();
  EXPECT_EQ(report.removed, 0U);
  EXPECT_EQ(report.failed, 5U);
  EXPECT_EQ(ledger_.Rows().size(), 20U);
}

TEST_F(StorageSweepTest, TwoAtOnceDoNoHarm) {
  for (int i = 0; i < 100; ++i) Leave("blob " + std::to_string(i));
  const std::string kept = OtherStore("kept");
  ledger_.Advance(std::chrono::hours(49));
  StorageSweep other(objects_, ledger_, log_);
  SweepReport second;
  std::jthread beside([&] { second = *RunTask(other.Run(kTimes, {})); });
  SweepReport first = Sweep();
  beside.join();
  EXPECT_GE(first.removed + second.removed, 100U);
  EXPECT_EQ(first.failed + second.failed, 0U);
  EXPECT_EQ(objects_.Names(), std::vector{kept});
  EXPECT_EQ(ledger_.Rows().size(), 1U);
}

TEST_F(StorageSweepTest, EndsWhenItIsTold) {
  Leave("stays");
  ledger_.Advance(std::chrono::hours(49));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(Sweep(stop.get_token()).removed, 0U);
  EXPECT_EQ(objects_.Names().size(), 1U);
}

TEST_F(StorageSweepTest, WithoutALedgerNothingIsRemoved) {
  Leave("stays");
  ledger_.Advance(std::chrono::hours(49));
  ledger_.SetFailure(Error{ErrorKind::kUnavailable, "the catalog is down", {}});
  EXPECT_EQ(KindOf(RunTask(sweep_.Run(kTimes, {}))), ErrorKind::kUnavailable);
  EXPECT_EQ(objects_.Names().size(), 1U);
}

}  // namespace
}  // namespace koya
