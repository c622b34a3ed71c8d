#include "service/common/job_runs.h"

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

TEST(JobRunsTest, TellHowLongItTookAndWhatIsLeftToDo) {
  ManualClock clock;
  clock.now = 100;
  JobRuns runs(clock);
  runs.NoteWaiting("readings", 12);
  JobRun run = runs.All().at(0);
  EXPECT_EQ(run.ended_at, 0) << "it has not ended yet";
  EXPECT_EQ(run.runs, 0U);
  EXPECT_EQ(run.measure.waiting, 12U);
  EXPECT_FALSE(run.measure.took);

  runs.NoteDone("readings", "10 were read", {.took = std::chrono::milliseconds(70), .waiting = 2});
  run = runs.All().at(0);
  EXPECT_EQ(run.ended_at, 100);
  EXPECT_EQ(run.measure.took, std::chrono::milliseconds(70));
  EXPECT_EQ(run.measure.waiting, 2U);

  runs.NoteFailed("readings", {ErrorKind::kUnavailable, "not now", ""});
  run = runs.All().at(0);
  EXPECT_FALSE(run.measure.took) << "that of the run before says nothing of this one";
  EXPECT_EQ(run.measure.waiting, 2U) << "what is left to do is still left to do";
  runs.NoteDone("gc");
  EXPECT_FALSE(runs.All().at(0).measure.waiting) << "it has no queue";
}

TEST(JobRunsTest, ATimerBeginsWhereItIsMade) {
  const RunTimer timer;
  const auto first = timer.Took();
  EXPECT_GE(first.count(), 0);
  EXPECT_GE(timer.Took(), first);
}

TEST(JobRunsTest, AreNotedWhereThereIsSomebodyToNoteThem) {
  NoteRun(nullptr, "gc", {}, "done");
  ManualClock clock;
  JobRuns runs(clock);
  NoteRun(&runs, "gc", {}, "done");
  EXPECT_EQ(runs.All()[0].told, "done");
  NoteRun(&runs, "gc", FailUnavailable("not now"), {});
  EXPECT_TRUE(runs.All()[0].failed);
  EXPECT_EQ(runs.All()[0].told, "not now");
}

}  // namespace
}  // namespace koya::service
