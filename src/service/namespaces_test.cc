#include "service/namespaces.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "base/temp_folder_fake.h"
#include "catalog/provider_samples_fake.h"
#include "catalog/sql/open_catalog.h"
#include "service/change_feed.h"

namespace koya::service {
namespace {

class NamespacesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    changes_.AddListener([this](std::string_view topic) { namespaces_.Invalidate(topic); });
  }
  void Add(const std::string& name, Visibility visibility) {
    ASSERT_TRUE(
        RunTask(catalog_->AddNamespace(Actor::Server(), {.name = name, .visibility = visibility})));
  }

  TempFolder folder_;
  ManualClock clock_;
  std::unique_ptr<Catalog> catalog_ =
      OpenCatalog({.url = "sqlite:" + (folder_ / "koya.db").string()}).value();
  ChangeFeed changes_{*catalog_};
  Namespaces namespaces_{*catalog_, Visibility::kInternal, clock_};
};

TEST_F(NamespacesTest, OneIsAskedForOnceAndThenKnownInThatSpelling) {
  Add("Acme", Visibility::kPrivate);
  EXPECT_FALSE(namespaces_.Known("acme"));
  NamespaceState found = RunTask(namespaces_.Find("acme")).value();
  EXPECT_TRUE(found.recorded);
  EXPECT_EQ(found.visibility, Visibility::kPrivate);
  ASSERT_TRUE(namespaces_.Known("acme"));
  EXPECT_EQ(namespaces_.Known("acme")->visibility, Visibility::kPrivate);
  EXPECT_EQ(RunTask(namespaces_.Find("ACME")).value().visibility, Visibility::kPrivate);
}

TEST_F(NamespacesTest, OneWithoutARecordIsAsNewOnesAre) {
  NamespaceState found = RunTask(namespaces_.Find("nowhere")).value();
  EXPECT_FALSE(found.recorded);
  EXPECT_EQ(found.visibility, Visibility::kInternal);
  Add("nowhere", Visibility::kPublic);
  EXPECT_FALSE(namespaces_.Known("nowhere")) << "it was told that there is one now";
  EXPECT_EQ(RunTask(namespaces_.Find("nowhere")).value().visibility, Visibility::kPublic);
}

TEST_F(NamespacesTest, AChangeIsKnownAtOnceInEverySpelling) {
  Add("acme", Visibility::kPublic);
  for (const char* spelling : {"acme", "Acme", "ACME"}) RunTask(namespaces_.Find(spelling));
  ASSERT_TRUE(RunTask(catalog_->SetVisibility(Actor::Server(), "aCme", Visibility::kPrivate)));
  for (const char* spelling : {"acme", "Acme", "ACME"}) {
    EXPECT_FALSE(namespaces_.Known(spelling)) << spelling;
    EXPECT_EQ(RunTask(namespaces_.Find(spelling)).value().visibility, Visibility::kPrivate);
  }
}

TEST_F(NamespacesTest, WhatIsPretendedIsNotKnown) {
  Add("acme", Visibility::kPrivate);
  EXPECT_TRUE(RunTask(namespaces_.Pretend("acme")));
  EXPECT_TRUE(RunTask(namespaces_.Pretend("nowhere")));
}

TEST_F(NamespacesTest, WhatEarlierVersionsMadeIsRecordedOnce) {
  ASSERT_TRUE(RunTask(catalog_->AddKey(Actor::Server(), SampleKey("old"))));
  EXPECT_EQ(RunTask(namespaces_.Adopt()).value(), 1U);
  EXPECT_EQ(RunTask(namespaces_.Adopt()).value(), 0U);
  EXPECT_TRUE(RunTask(namespaces_.Find("old")).value().recorded);
}

}  // namespace
}  // namespace koya::service
