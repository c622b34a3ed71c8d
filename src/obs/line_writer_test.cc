#include "obs/line_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "obs/log_capture_fake.h"

namespace koya {
namespace {

struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    reader = UniqueFd(ends[0]);
    writer = UniqueFd(ends[1]);
  }
  // Reads until `text` holds `until`, or the pipe ends.
  void ReadUntil(std::string& text, std::string_view until) const {
    char buffer[65536];
    while (text.find(until) == std::string::npos) {
      ssize_t got = ::read(reader.get(), buffer, sizeof buffer);
      if (got <= 0) return;
      text.append(buffer, static_cast<std::size_t>(got));
    }
  }
  UniqueFd reader;
  UniqueFd writer;
};

TEST(LineWriterTest, LinesOfManyThreadsArriveWholeAndInEachThreadsOrder) {
  constexpr int kThreads = 6;
  constexpr int kLines = 2000;
  LogCapture capture;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t, &capture] {
      for (int i = 0; i < kLines; ++i) {
        std::string line =
            "{\"thread\":" + std::to_string(t) + ",\"n\":" + std::to_string(i) + "}\n";
        while (!capture.writer().Append(line)) std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::map<std::int64_t, std::int64_t> next;
  for (const auto& line : capture.Lines()) {
    if (line.contains("message")) continue;  // "lines were dropped", should that have happened
    EXPECT_EQ(line.at("n").as_int64(), next[line.at("thread").as_int64()]++);
  }
  for (int t = 0; t < kThreads; ++t) EXPECT_EQ(next[t], kLines);
}

TEST(LineWriterTest, TheDestructorWritesWhatIsLeft) {
  Pipe pipe;
  {
    LineWriter writer({.descriptor = pipe.writer.get()});
    writer.Append("last words\n");
  }
  pipe.writer.Reset();
  std::string text;
  pipe.ReadUntil(text, "nothing");
  EXPECT_EQ(text, "last words\n");
}

TEST(LineWriterTest, AReaderThatDoesNotReadBlocksNobodyAndIsToldWhatItMissed) {
  Pipe pipe;
  LineWriter writer({.descriptor = pipe.writer.get(), .max_buffered_bytes = 64 << 10});
  std::string line(999, 'x');
  line += '\n';
  int accepted = 0;
  for (int i = 0; i < 2000; ++i) accepted += writer.Append(line) ? 1 : 0;
  EXPECT_LT(accepted, 2000);
  EXPECT_GE(writer.dropped(), static_cast<std::uint64_t>(2000 - accepted));
  std::string text;
  pipe.ReadUntil(text, "log lines were dropped");
  EXPECT_NE(text.find("\"lines\":"), std::string::npos);
}

TEST(LineWriterTest, StopsInTimeThoughNobodyReads) {
  Pipe pipe;
  auto begin = std::chrono::steady_clock::now();
  {
    LineWriter writer(
        {.descriptor = pipe.writer.get(), .stop_limit = std::chrono::milliseconds(50)});
    std::string line(4000, 'x');
    line += '\n';
    for (int i = 0; i < 100; ++i) writer.Append(line);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(LineWriterTest, AReaderThatLeftIsSurvived) {
  Pipe pipe;
  LineWriter writer({.descriptor = pipe.writer.get()});
  pipe.reader.Reset();
  for (int round = 0; round < 3; ++round) {  // SIGPIPE would end the program here
    writer.Append("into the void\n");
    writer.Flush(std::chrono::minutes(1));
  }
  EXPECT_EQ(writer.dropped(), 3U);
}

TEST(LineWriterTest, AClosedDescriptorIsSurvived) {
  int closed = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::close(closed);
  LineWriter writer({.descriptor = closed});
  writer.Append("nobody hears\n");
  writer.Flush(std::chrono::minutes(1));
  EXPECT_EQ(writer.dropped(), 1U);
}

TEST(LineWriterTest, AFullDiskIsSurvived) {
  UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  LineWriter writer({.descriptor = full.get()});
  writer.Append("no room\n");
  writer.Flush(std::chrono::minutes(1));
  EXPECT_EQ(writer.dropped(), 1U);
}

TEST(LineWriterTest, WithoutADescriptorLinesAreDiscardedButNotMissed) {
  LineWriter writer({.descriptor = -1});
  EXPECT_TRUE(writer.Append("quiet\n"));
  writer.Flush(std::chrono::minutes(1));
  EXPECT_EQ(writer.dropped(), 0U);
}

}  // namespace
}  // namespace koya
