#include "obs/access_log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "obs/log_capture_fake.h"

namespace koya {
namespace {

AccessLogEntry Example() {
  return {.request_id = "01J",
          .remote = "192.0.2.7",
          .method = "GET",
          .path = "/v1/modules/acme/vpc/aws/versions",
          .route = "/v1/modules/{namespace}/{name}/{system}/versions",
          .user_agent = "OpenTofu/1.8.1",
          .status = 200,
          .bytes_received = 10,
          .bytes_sent = 1520,
          .duration = std::chrono::microseconds(84)};
}

TEST(AccessLogTest, OneLineSaysWhatHappened) {
  LogCapture capture;
  AccessLog(capture.writer()).Write(Example());
  auto lines = capture.Lines();
  ASSERT_EQ(lines.size(), 1U);
  const auto& line = lines[0];
  EXPECT_EQ(line.at("message"), "request");
  EXPECT_EQ(line.at("request_id"), "01J");
  EXPECT_EQ(line.at("remote"), "192.0.2.7");
  EXPECT_EQ(line.at("method"), "GET");
  EXPECT_EQ(line.at("path"), "/v1/modules/acme/vpc/aws/versions");
  EXPECT_EQ(line.at("route"), "/v1/modules/{namespace}/{name}/{system}/versions");
  EXPECT_EQ(line.at("status").as_int64(), 200);
  EXPECT_EQ(line.at("bytes_in").as_int64(), 10);
  EXPECT_EQ(line.at("bytes_out").as_int64(), 1520);
  EXPECT_EQ(line.at("duration_us").as_int64(), 84);
  EXPECT_EQ(line.at("user_agent"), "OpenTofu/1.8.1");
  EXPECT_FALSE(line.contains("trace_id"));
  EXPECT_FALSE(line.contains("detail"));
  EXPECT_FALSE(line.contains("cut_off"));
  EXPECT_FALSE(line.contains("protocol"));
}

TEST(AccessLogTest, DetailAndCutOffAppearWhenThereIsOne) {
  LogCapture capture;
  AccessLogEntry entry = Example();
  entry.detail = "blob: short read";
  entry.cut_off = true;
  entry.http2 = true;
  entry.route = "";
  entry.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  AccessLog(capture.writer()).Write(entry);
  auto lines = capture.Lines();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].at("detail"), "blob: short read");
  EXPECT_TRUE(lines[0].at("cut_off").as_bool());
  EXPECT_EQ(lines[0].at("protocol"), "h2");
  EXPECT_EQ(lines[0].at("trace_id"), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_FALSE(lines[0].contains("route"));
}

TEST(AccessLogTest, AQueryIsNeverWritten) {
  LogCapture capture;
  AccessLogEntry entry = Example();
  entry.path = "/download/x.zip?sig=SECRET";
  AccessLog(capture.writer()).Write(entry);
  EXPECT_EQ(capture.Lines().at(0).at("path"), "/download/x.zip");
  EXPECT_EQ(capture.Text().find("SECRET"), std::string::npos);
}

TEST(AccessLogTest, SaysEachValueAsItWasWhereverSomethingIsEscaped) {
  const std::string_view kSpecial[] = {"\"",   "\\",   "\n", "\x01",
                                       "\x1f", "\x7f", "ä",  "\xF0\x9F\x90\x9F"};
  LogCapture capture;
  std::vector<std::string> expected;
  for (std::string_view special : kSpecial) {
    for (std::size_t size = 0; size <= 40; ++size) {
      for (std::size_t at = 0; at <= size; ++at) {
        AccessLogEntry entry = Example();
        expected.push_back(std::string(size, '~').insert(at, special));
        entry.user_agent = expected.back();
        AccessLog(capture.writer()).Write(entry);
      }
    }
  }
  auto lines = capture.Lines();
  ASSERT_EQ(lines.size(), expected.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].at("user_agent").as_string(), expected[i]);
  }
}

TEST(AccessLogTest, HostileValuesStayInsideTheirLineAndBounded) {
  LogCapture capture;
  AccessLogEntry entry = Example();
  std::string hostile = "\"}\n{\"status\":500,\x01\xFF\x1b[31m";
  std::string huge(16 << 10, '\x02');
  entry.user_agent = hostile;
  entry.path = huge;
  entry.method = huge;
  AccessLog(capture.writer()).Write(entry);
  auto lines = capture.Lines();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].at("status").as_int64(), 200);
  EXPECT_LT(capture.Text().size(), 10000U);
}

}  // namespace
}  // namespace koya
