#include "blobs/fill.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <thread>
#include <vector>

#include "base/run_task.h"
#include "blobs/blob_texts_fake.h"
#include "blobs/memory/memory_blob_store.h"

namespace koya {
namespace {

const Error kBroken{ErrorKind::kBadUpstream, "other bytes than announced", {}};

const Error kLate{ErrorKind::kUnavailable, "still on its way", {}};
constexpr auto kEver = std::chrono::steady_clock::time_point::max();

Fill::Arrival Announced(std::optional<std::uint64_t> length) {
  return {.digest = Digest::Of("0123456789"),
          .owner = std::make_shared<int>(0),
          .descriptor = 7,
          .length = length};
}

TEST(Fill, KeepsTheLastByteBackUntilItIsVerified) {
  auto shared = std::make_shared<Fill>();
  Fill& fill = *shared;
  fill.Start(Announced(10));
  fill.Grow(4);
  auto started = RunTask(fill.Open(kEver, kLate));
  ASSERT_TRUE(started);
  EXPECT_EQ(started->digest, Digest::Of("0123456789"));
  EXPECT_EQ(started->blob->file_descriptor(), 7);
  EXPECT_EQ(started->blob->size(), 10U);
  EXPECT_EQ(started->blob->growth(), shared);
  EXPECT_EQ(RunTask(fill.WaitBeyond(0)).value(), 4U);
  fill.Grow(10);
  EXPECT_EQ(RunTask(fill.WaitBeyond(4)).value(), 9U);
  fill.Succeed();
  EXPECT_EQ(RunTask(fill.WaitBeyond(9)).value(), 10U);
  fill.End();
  EXPECT_TRUE(RunTask(fill.WaitForEnd()));
  EXPECT_FALSE(RunTask(fill.WaitBeyond(10)));
}

TEST(Fill, AFailureReachesEverybodyWhoWaits) {
  auto shared = std::make_shared<Fill>();
  Fill& fill = *shared;
  fill.Start(Announced(10));
  fill.Grow(10);
  std::vector<std::jthread> readers;
  std::atomic<int> told = 0;
  for (int i = 0; i < 8; ++i) {
    readers.emplace_back([&] {
      auto end = RunTask(fill.WaitBeyond(9));
      if (!end && end.error() == kBroken) ++told;
    });
  }
  fill.End(Failure(kBroken));
  readers.clear();
  EXPECT_EQ(told, 8);
  EXPECT_EQ(RunTask(fill.Open(kEver, kLate)).error(), kBroken);
  EXPECT_EQ(RunTask(fill.WaitForEnd()).error(), kBroken);
}

TEST(Fill, WithoutALengthReadersWaitForTheEnd) {
  auto shared = std::make_shared<Fill>();
  Fill& fill = *shared;
  fill.Start(Announced(std::nullopt));
  fill.Grow(5);
  std::jthread ending([&] { fill.Succeed(); });
  auto started = RunTask(fill.Open(kEver, kLate));
  ASSERT_TRUE(started);
  EXPECT_EQ(started->blob->size(), 5U);
}

TEST(Fill, AnEmptyArchiveIsJudgedBeforeItIsServed) {
  auto shared = std::make_shared<Fill>();
  Fill& fill = *shared;
  fill.Start(Announced(0));
  std::jthread ending([&] { fill.End(Failure(kBroken)); });
  EXPECT_EQ(RunTask(fill.Open(kEver, kLate)).error(), kBroken);
}

TEST(Fill, WhoCannotWaitForTheStartIsToldSo) {
  auto fill = std::make_shared<Fill>();
  auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
  EXPECT_EQ(RunTask(fill->Open(soon, kLate)).error(), kLate);
  fill->Start(Announced(10));
  EXPECT_EQ(RunTask(fill->Open(soon, kLate)).error(), kLate);  // there is nothing to read yet
  fill->Grow(1);
  EXPECT_TRUE(RunTask(fill->Open(soon, kLate)));
}

TEST(Fill, WhatTurnsOutToBeHereIsServedWhole) {
  MemoryBlobStore blobs;
  ASSERT_TRUE(RunTask(Store(blobs, "here")));
  auto fill = std::make_shared<Fill>();
  fill->Serve({Digest::Of("here"), *RunTask(blobs.Open(Digest::Of("here")))});
  auto opened = RunTask(fill->Open(kEver, kLate));
  ASSERT_TRUE(opened);
  EXPECT_FALSE(opened->blob->growth());
  EXPECT_EQ(RunTask(ReadAll(opened->blob)), "here");
  fill->End();
  EXPECT_TRUE(RunTask(fill->WaitForEnd()));
}

TEST(Fill, ATransferThatNobodyWaitsForDoesNotBegin) {
  auto fill = std::make_shared<Fill>();
  std::jthread announcing([&] {
    fill->Start(Announced(10), [](std::shared_ptr<Fill> wanted) {
      wanted->Grow(10);
      wanted->Succeed();
      wanted->End();
    });
  });
  auto opened = RunTask(fill->OpenAnnounced());
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->blob->size(), 10U);
  EXPECT_EQ(RunTask(fill->Open(std::chrono::steady_clock::now(), kLate)).error(), kLate);
  EXPECT_EQ(RunTask(fill->WaitBeyond(9)).value(), 10U);
  EXPECT_TRUE(RunTask(fill->WaitForEnd()));
}

TEST(Fill, ATransferBeginsOnceHoweverManyWait) {
  auto fill = std::make_shared<Fill>();
  std::atomic<int> begun = 0;
  fill->Start(Announced(10), [&begun](const std::shared_ptr<Fill>& /*wanted*/) { ++begun; });
  fill->Demand();
  fill->Demand();
  EXPECT_EQ(begun, 1);
  fill->End(Failure(kBroken));
  EXPECT_EQ(RunTask(fill->WaitBeyond(0)).error(), kBroken);
}

TEST(Fill, WhatEndedBeforeItBeganNeverBegins) {
  auto fill = std::make_shared<Fill>();
  fill->Start(Announced(10), [](const std::shared_ptr<Fill>& /*wanted*/) { FAIL(); });
  fill->End(Failure(kBroken));
  fill->Demand();
  EXPECT_EQ(RunTask(fill->OpenAnnounced()).error(), kBroken);
}

// A store without descriptors has its bytes read like this while they arrive, and sent piece by
// piece.
TEST(Fill, AGrowingBlobIsReadToItsVerifiedEnd) {
  MemoryBlobStore blobs;
  std::shared_ptr<BlobWriter> writer = *blobs.Create();
  auto fill = std::make_shared<Fill>();
  fill->Start({Digest::Of("0123456789"), writer, writer->staged_file(), 10});
  std::jthread filling([&] {
    for (std::string_view piece : {"012", "3456", "789"}) {
      EXPECT_TRUE(writer->Write(AsBytes(piece)));
      fill->Grow(writer->size());
    }
    fill->Succeed();
  });
  auto opened = RunTask(fill->Open(kEver, kLate));
  ASSERT_TRUE(opened);
  EXPECT_EQ(RunTask(ReadAll(opened->blob)), "0123456789");
}

// A reader that sees a failure and retries must neither join the failed fill nor see an end without
// its failure.
TEST(FillBoard, AFailureIsToldWithTheEnd) {
  for (int round = 0; round < 200; ++round) {
    FillBoard board;
    auto begin = [](const std::shared_ptr<Fill>&) {};
    auto first = board.Join("a", begin);
    std::jthread filling([&] { board.EndFill("a", Failure(kBroken)); });
    EXPECT_EQ(RunTask(first->WaitForEnd()), Status(Failure(kBroken)));
    EXPECT_NE(board.Join("a", begin), first);
  }
}

TEST(FillBoard, OneFillForOneThing) {
  FillBoard board;
  int begun = 0;
  auto begin = [&begun](const std::shared_ptr<Fill>&) { ++begun; };
  auto first = board.Join("a", begin);
  EXPECT_EQ(board.Join("a", begin), first);
  EXPECT_NE(board.Join("b", begin), first);
  EXPECT_EQ(begun, 2);
  board.EndFill("a", Failure(kBroken));
  EXPECT_EQ(RunTask(first->WaitForEnd()).error(), kBroken);
  EXPECT_NE(board.Join("a", begin), first);
  EXPECT_EQ(begun, 3);
  EXPECT_EQ(board.size(), 2U);
  EXPECT_EQ(board.ended(), 1U);
}

}  // namespace
}  // namespace koya
