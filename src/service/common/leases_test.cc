#include "service/common/leases.h"

#include <gtest/gtest.h>

#include "base/run_task.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/replica_catalog.h"
#include "domain/replica_record.h"

namespace koya::service {
namespace {

class LeasesTest : public ::testing::Test {
 protected:
  bool Take(Leases& leases) { return RunTask(leases.TakeLease("gc")).value(); }

  std::chrono::nanoseconds now_ = std::chrono::hours(1);
  TestCatalog catalog_;
  Leases one_{catalog_, "one", [this] { return now_; }};
  Leases two_{catalog_, "two", [this] { return now_; }};
};

TEST_F(LeasesTest, OneServerHasItUntilItGivesItBack) {
  EXPECT_FALSE(one_.Holds("gc"));
  ASSERT_TRUE(Take(one_));
  EXPECT_TRUE(one_.Holds("gc"));
  EXPECT_FALSE(Take(two_));
  EXPECT_FALSE(two_.Holds("gc"));
  ASSERT_TRUE(RunTask(one_.GiveBack("gc")));
  EXPECT_FALSE(one_.Holds("gc"));
  EXPECT_EQ(one_.lost(), 0U);
  EXPECT_TRUE(Take(two_));
}

TEST_F(LeasesTest, ItIsTrustedForLessThanItLastsUnlessItIsKept) {
  ASSERT_TRUE(Take(one_));
  now_ += Leases::kTrust;
  EXPECT_TRUE(one_.Holds("gc"));
  ASSERT_TRUE(RunTask(one_.RenewLeases()));
  now_ += Leases::kTrust;
  EXPECT_TRUE(one_.Holds("gc"));
  now_ += std::chrono::nanoseconds(1);
  EXPECT_FALSE(one_.Holds("gc")) << "this process was stopped, or the database is away";
}

TEST_F(LeasesTest, WhatWasLostToAnotherServerIsNotKept) {
  ASSERT_TRUE(Take(one_));
  // As if it had run out, and another server had come.
  std::string holder = RunTask(catalog_.leases().ListLeases())->front().holder;
  ASSERT_TRUE(RunTask(catalog_.leases().GiveLeaseBack("gc", holder)));
  now_ += Leases::kKeepEvery;
  ASSERT_TRUE(Take(two_));
  ASSERT_TRUE(RunTask(one_.RenewLeases()));
  EXPECT_FALSE(one_.Holds("gc"));
  EXPECT_TRUE(two_.Holds("gc"));
  EXPECT_EQ(one_.lost(), 1U);
  EXPECT_EQ(two_.lost(), 0U);
}

TEST_F(LeasesTest, WhoIsFoundDeadIsReplacedByOne) {
  EXPECT_FALSE(RunTask(two_.FindLease("fill")).value());
  ASSERT_TRUE(RunTask(one_.TakeLease("fill", "one.example:8443")).value());
  LeaseRecord found = RunTask(two_.FindLease("fill")).value().value();
  EXPECT_EQ(found.address, "one.example:8443");
  ASSERT_TRUE(RunTask(two_.TakeOver(found, "two.example:8443")).value());
  EXPECT_TRUE(two_.Holds("fill"));
  EXPECT_EQ(RunTask(one_.FindLease("fill")).value()->address, "two.example:8443");
  Leases three(catalog_, "three", [this] { return now_; });
  EXPECT_FALSE(RunTask(three.TakeOver(found, "")).value()) << "somebody was quicker";
  now_ += Leases::kKeepEvery;
  ASSERT_TRUE(RunTask(one_.RenewLeases()));
  EXPECT_FALSE(one_.Holds("fill")) << "it was not dead, and hears of it";
}

}  // namespace
}  // namespace koya::service
