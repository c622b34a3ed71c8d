#include "app/startup_retry.h"

#include <gtest/gtest.h>

#include <csignal>

#include "obs/log_capture_fake.h"

namespace koya {
namespace {

class StartupRetryTest : public ::testing::Test {
 protected:
  StartupRetryTest() { settings_.catalog.url = "postgresql://koya@db.example.com/koya"; }

  static Status Away() { return FailUnavailable("the database is away"); }

  Settings settings_;
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  ServingStatus status_;
  // What the database says of itself when it was asked for a reason that often.
  std::optional<Error> Refusal() const {
    if (asked_ < refuses_at_) return std::nullopt;
    return Error{.kind = ErrorKind::kInvalid, .message = "it refuses its user"};
  }

  int asked_ = 0;
  int refuses_at_ = 1000;
  StartupRetry patience_{settings_, log_, status_, [this](const std::string& url) {
                           EXPECT_EQ(url, settings_.catalog.url);
                           ++asked_;
                           return Refusal();
                         }};
  int runs_ = 0;
};

TEST_F(StartupRetryTest, WhatCannotBeReachedIsTriedAgainUntilItCan) {
  std::string said;
  Status done = patience_.Await([&]() -> Status {
    said = status_.Now().waits_for;
    return ++runs_ < 2 ? Away() : Status();
  });
  EXPECT_TRUE(done);
  EXPECT_EQ(runs_, 2);
  EXPECT_EQ(said, "the database is away");
  EXPECT_EQ(status_.Now().waits_for, "");
  EXPECT_FALSE(patience_.stopped());
}

TEST_F(StartupRetryTest, ADatabaseThatHangsAtTheFirstTryIsNamed) {
  EXPECT_TRUE(patience_.Await([&]() -> Status {
    EXPECT_TRUE(status_.Now().waits_for.contains("catalog.url")) << status_.Now().waits_for;
    return {};
  }));
  EXPECT_EQ(status_.Now().waits_for, "");
  settings_.catalog.url.clear();
  EXPECT_TRUE(patience_.Await([&]() -> Status {
    EXPECT_EQ(status_.Now().waits_for, "");
    return {};
  }));
}

TEST_F(StartupRetryTest, WhatWaitingWouldNotMendIsNotTriedAgain) {
  Status done = patience_.Await([&]() -> Status {
    ++runs_;
    return FailInvalid("there is no such user");
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::kInvalid);
  settings_.catalog.url.clear();  // a file of this machine: waiting cannot fix it
  EXPECT_FALSE(patience_.Await([&]() -> Status {
    ++runs_;
    return Away();
  }));
  EXPECT_EQ(runs_, 2);
  EXPECT_FALSE(patience_.stopped());
}

TEST_F(StartupRetryTest, WhatComesBackAndRefusesIsNotWaitedFor) {
  refuses_at_ = 2;
  Status done = patience_.Await([&]() -> Status {
    ++runs_;
    return Away();
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::kInvalid);
  EXPECT_EQ(done.error().message, "it refuses its user");
  EXPECT_EQ(runs_, 2) << "the first time it could not be reached";
  EXPECT_FALSE(patience_.stopped());
}

TEST_F(StartupRetryTest, ASignalIsHeardWhileAStepWorksThatSucceeds) {
  Status done = patience_.Await([&]() -> Status {
    if (++runs_ == 1) return Away();
    EXPECT_EQ(::raise(SIGTERM), 0);
    return {};
  });
  EXPECT_FALSE(done);
  EXPECT_TRUE(patience_.stopped());
  EXPECT_EQ(runs_, 2);
}

}  // namespace
}  // namespace koya
