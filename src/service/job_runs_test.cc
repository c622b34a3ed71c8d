#include "service/job_runs.h"

#include <gtest/gtest.h>

#include "base/manual_clock_fake.h"

namespace koya::service {
namespace {

TEST(JobRunsTest, TellOfTheLastRunAndOfTheLastFailure) {
  ManualClock clock;
  JobRuns runs(clock);
  EXPECT_TRUE(runs.All().empty()) << "what has not run is not told of";
  clock.now = 100;
  runs.NoteFailed("gc", {ErrorKind::kUnavailable, "the database does not answer", "secret"});
  clock.now = 200;
  runs.NoteDone("gc", "removed 3");
  runs.NoteDone("audit");
  const std::vector<JobRun> all = runs.All();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].job, "audit");
  EXPECT_EQ(all[0].failed_at, 0);
  EXPECT_EQ(all[1].job, "gc");
  EXPECT_FALSE(all[1].failed);
  EXPECT_EQ(all[1].told, "removed 3");
  EXPECT_EQ(all[1].ended_at, 200);
  EXPECT_EQ(all[1].runs, 2U);
  EXPECT_EQ(all[1].failures, 1U);
  EXPECT_EQ(all[1].failed_at, 100);
  EXPECT_EQ(all[1].last_failure, "the database does not answer");
}

TEST(JobRunsTest, AFailureStaysUntilTheNextRun) {
  ManualClock clock;
  JobRuns runs(clock);
  runs.NoteDone("gc", "removed 3");
  runs.NoteFailed("gc", {ErrorKind::kStorageFull, "the disk is full", ""});
  EXPECT_TRUE(runs.All()[0].failed);
  EXPECT_EQ(runs.All()[0].told, "the disk is full");
}

TEST(JobRunsTest, AreNotedWhereThereIsSomebodyToNoteThem) {
  NoteRun(nullptr, "gc", {}, "done");
  ManualClock clock;
  JobRuns runs(clock);
  NoteRun(&runs, "gc", {}, "done");
  EXPECT_EQ(runs.All()[0].told, "done");
  NoteRun(&runs, "gc", Fail(ErrorKind::kUnavailable, "not now"), {});
  EXPECT_TRUE(runs.All()[0].failed);
  EXPECT_EQ(runs.All()[0].told, "not now");
}

}  // namespace
}  // namespace koya::service
