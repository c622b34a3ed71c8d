#include "obs/limit_counter.h"

#include <gtest/gtest.h>

#include "obs/log.h"
#include "obs/log_capture_fake.h"

namespace koya {
namespace {

using ::std::chrono::seconds;

TEST(LimitCounterTest, CountsEachLimitAndSpeaksOnceAMinute) {
  Metrics metrics;
  LimitCounter counter;
  counter.CountIn(metrics);
  LimitCounter::Time start{};
  EXPECT_EQ(counter.Count("limits.archive_ratio", start), 1U);
  EXPECT_EQ(counter.Count("limits.archive_ratio", start + seconds(1)), 0U);
  EXPECT_EQ(counter.Count("limits.archive_ratio", start + seconds(59)), 0U);
  EXPECT_EQ(counter.Count("limits.archive_entries", start + seconds(2)), 1U);
  EXPECT_EQ(counter.Count("limits.archive_ratio", start + seconds(60)), 3U);
  EXPECT_EQ(counter.Count("limits.archive_ratio", start + seconds(61)), 0U);
  std::string text = metrics.Render();
  EXPECT_NE(text.find("koya_limit_reached_total{limit=\"limits.archive_ratio\"} 5"), text.npos);
  EXPECT_NE(text.find("koya_limit_reached_total{limit=\"limits.archive_entries\"} 1"), text.npos);
}

TEST(LimitCounterTest, TheLogNamesTheSettingOnce) {
  LogCapture capture;
  Metrics metrics;
  Logger log(capture.writer(), LogLevel::kInfo);
  log.CountLimitsIn(metrics);
  Failure failure = FailLimit(ErrorKind::kRefused, "limits.archive_entries", "too many entries");
  for (int i = 0; i < 3; ++i) log.LimitReached(failure.error().limit, failure.error().message);
  auto lines = capture.Lines();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].at("limit"), "limits.archive_entries");
  EXPECT_EQ(lines[0].at("error"), "too many entries");
  EXPECT_EQ(lines[0].at("level"), "warn");
}

TEST(LimitCounterTest, AnErrorThatWasCountedIsNotCountedAgain) {
  LogCapture capture;
  Metrics metrics;
  Logger log(capture.writer(), LogLevel::kInfo);
  log.CountLimitsIn(metrics);
  Error error = FailLimit(ErrorKind::kTooLarge, "limits.module_bytes", "too large").error();
  log.TakeLimit(error);
  EXPECT_TRUE(error.limit.empty());
  log.TakeLimit(error);
  std::string text = metrics.Render();
  EXPECT_NE(text.find("koya_limit_reached_total{limit=\"limits.module_bytes\"} 1"), text.npos);
}

}  // namespace
}  // namespace koya
