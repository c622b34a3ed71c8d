#include "service/fill.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <thread>
#include <vector>

#include "base/run_task.h"

namespace koya::service {
namespace {

const Error kBroken{ErrorKind::kBadUpstream, "other bytes than announced", {}};

std::shared_ptr<const void> Owner() { return std::make_shared<int>(0); }

TEST(Fill, KeepsTheLastByteBackUntilItIsVerified) {
  Fill fill;
  fill.Start(Owner(), 7, 10);
  auto started = RunTask(fill.WaitForStart());
  ASSERT_TRUE(started);
  EXPECT_EQ(started->descriptor, 7);
  EXPECT_EQ(started->length, 10U);
  fill.Grow(4);
  EXPECT_EQ(RunTask(fill.WaitBeyond(0)).value(), 4U);
  fill.Grow(10);
  EXPECT_EQ(RunTask(fill.WaitBeyond(4)).value(), 9U);
  fill.Succeed();
  EXPECT_EQ(RunTask(fill.WaitBeyond(9)).value(), 10U);
  EXPECT_TRUE(RunTask(fill.WaitForEnd()));
  EXPECT_FALSE(RunTask(fill.WaitBeyond(10)));
}

TEST(Fill, AFailureReachesEverybodyWhoWaits) {
  Fill fill;
  fill.Start(Owner(), 7, 10);
  fill.Grow(10);
  std::vector<std::jthread> readers;
  std::atomic<int> told = 0;
  for (int i = 0; i < 8; ++i) {
    readers.emplace_back([&] {
      auto end = RunTask(fill.WaitBeyond(9));
      if (!end && end.error() == kBroken) ++told;
    });
  }
  fill.Fail(kBroken);
  readers.clear();
  EXPECT_EQ(told, 8);
  EXPECT_EQ(RunTask(fill.WaitForStart()).error(), kBroken);
  EXPECT_EQ(RunTask(fill.WaitForEnd()).error(), kBroken);
}

TEST(Fill, WithoutALengthReadersWaitForTheEnd) {
  Fill fill;
  fill.Start(Owner(), 7, std::nullopt);
  fill.Grow(5);
  std::jthread ending([&] { fill.Succeed(); });
  auto started = RunTask(fill.WaitForStart());
  ASSERT_TRUE(started);
  EXPECT_EQ(started->length, 5U);
}

TEST(Fill, AnEmptyArchiveIsJudgedBeforeItIsServed) {
  Fill fill;
  fill.Start(Owner(), 7, 0);
  std::jthread ending([&] { fill.Fail(kBroken); });
  EXPECT_EQ(RunTask(fill.WaitForStart()).error(), kBroken);
}

TEST(FillBoard, OneFillForOneThing) {
  FillBoard board;
  int begun = 0;
  auto begin = [&begun](const std::shared_ptr<Fill>&) { ++begun; };
  auto first = board.Join("a", begin);
  EXPECT_EQ(board.Join("a", begin), first);
  EXPECT_NE(board.Join("b", begin), first);
  EXPECT_EQ(begun, 2);
  board.Leave("a");
  EXPECT_NE(board.Join("a", begin), first);
  EXPECT_EQ(begun, 3);
  EXPECT_EQ(board.size(), 2U);
}

}  // namespace
}  // namespace koya::service
