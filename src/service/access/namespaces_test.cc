#include "service/access/namespaces.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/key_catalog.h"
#include "service/common/change_feed.h"

namespace koya::service {
namespace {

class NamespacesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    changes_.AddListener([this](std::string_view topic) { namespaces_.Invalidate(topic); });
  }
  void Add(const std::string& name, Visibility visibility) {
    ASSERT_TRUE(RunTask(catalog_.namespaces().AddNamespace(
        Actor::Server(), {.name = name, .visibility = visibility})));
  }

  void AddUser(const std::string& name) {
    // There is an administrator, so that any other account may be deleted.
    ASSERT_TRUE(RunTask(catalog_.accounts().AddAccount(Actor::Server(), {.id = "id of " + name,
                                                                         .kind = AccountKind::kUser,
                                                                         .name = name,
                                                                         .admin = name == "ada"})));
  }
  void Grant(const std::string& grantee, Role role, GranteeKind kind = GranteeKind::kUser) {
    ASSERT_TRUE(RunTask(catalog_.namespaces().PutGrant(
        Actor::Server(), {.ns = "acme", .kind = kind, .grantee = grantee, .role = role})));
  }
  NamespaceOwners OwnersOf(std::string ns) {
    auto owners = RunTask(namespaces_.Owners(std::move(ns)));
    return owners ? **owners : NamespaceOwners{.owners = {}, .more = 999};
  }

  TestCatalog catalog_;
  ChangeFeed changes_{catalog_};
  Namespaces namespaces_{catalog_, Visibility::kInternal};
};

TEST_F(NamespacesTest, OneIsAskedForOnceAndThenKnownInThatSpelling) {
  Add("Acme", Visibility::kPrivate);
  EXPECT_FALSE(namespaces_.FindCached("acme"));
  NamespaceState found = RunTask(namespaces_.FindNamespace("acme")).value();
  EXPECT_TRUE(found.recorded);
  EXPECT_EQ(found.visibility, Visibility::kPrivate);
  ASSERT_TRUE(namespaces_.FindCached("acme"));
  EXPECT_EQ(namespaces_.FindCached("acme")->visibility, Visibility::kPrivate);
  EXPECT_EQ(RunTask(namespaces_.FindNamespace("ACME")).value().visibility, Visibility::kPrivate);
}

TEST_F(NamespacesTest, OneWithoutARecordIsAsNewOnesAre) {
  NamespaceState found = RunTask(namespaces_.FindNamespace("nowhere")).value();
  EXPECT_FALSE(found.recorded);
  EXPECT_EQ(found.visibility, Visibility::kInternal);
  Add("nowhere", Visibility::kPublic);
  EXPECT_FALSE(namespaces_.FindCached("nowhere")) << "it was told that there is one now";
  EXPECT_EQ(RunTask(namespaces_.FindNamespace("nowhere")).value().visibility, Visibility::kPublic);
}

TEST_F(NamespacesTest, AChangeIsKnownAtOnceInEverySpelling) {
  Add("acme", Visibility::kPublic);
  for (const char* spelling : {"acme", "Acme", "ACME"})
    RunTask(namespaces_.FindNamespace(spelling));
  ASSERT_TRUE(
      RunTask(catalog_.namespaces().SetVisibility(Actor::Server(), "aCme", Visibility::kPrivate)));
  for (const char* spelling : {"acme", "Acme", "ACME"}) {
    EXPECT_FALSE(namespaces_.FindCached(spelling)) << spelling;
    EXPECT_EQ(RunTask(namespaces_.FindNamespace(spelling)).value().visibility,
              Visibility::kPrivate);
  }
}

TEST_F(NamespacesTest, OwnersAreThoseWithThatRoleAFewOfThemByName) {
  Add("acme", Visibility::kPublic);
  for (const char* user : {"eve", "dan", "ada", "bob"}) AddUser(user);
  EXPECT_EQ(OwnersOf("acme"), NamespaceOwners());
  EXPECT_EQ(OwnersOf("nowhere"), NamespaceOwners());
  Grant("eve", Role::kOwner);
  Grant("ada", Role::kOwner);
  Grant("bob", Role::kPublisher);
  ASSERT_TRUE(RunTask(catalog_.accounts().AddGroup(Actor::Server(), {.name = "all"})));
  Grant("all", Role::kOwner, GranteeKind::kGroup);
  const NamespaceOwners three{.owners = {{"ada", GranteeKind::kUser},
                                         {"eve", GranteeKind::kUser},
                                         {"all", GranteeKind::kGroup}}};
  EXPECT_EQ(OwnersOf("ACME"), three);
  Grant("dan", Role::kOwner);
  EXPECT_EQ(OwnersOf("acme").owners.size(), NamespaceOwners::kMost);
  EXPECT_EQ(OwnersOf("acme").more, 1U);
}

TEST_F(NamespacesTest, OwnersAreKeptUntilSomebodysRightsChange) {
  Add("acme", Visibility::kPublic);
  for (const char* user : {"ada", "bob"}) AddUser(user);
  Grant("ada", Role::kOwner);
  const auto kept = RunTask(namespaces_.Owners("acme")).value();
  EXPECT_EQ(RunTask(namespaces_.Owners("acme")).value(), kept) << "nobody was asked again";
  Add("other", Visibility::kPublic);
  EXPECT_EQ(RunTask(namespaces_.Owners("acme")).value(), kept) << "that was about another one";
  Grant("bob", Role::kOwner);
  EXPECT_EQ(OwnersOf("acme").owners.size(), 2U);
  Grant("ada", Role::kReader);
  EXPECT_EQ(OwnersOf("acme").owners, (std::vector<NamespaceOwner>{{"bob", GranteeKind::kUser}}));
  ASSERT_TRUE(
      RunTask(catalog_.accounts().RemoveAccount(Actor::Server(), AccountKind::kUser, "bob")));
  EXPECT_EQ(OwnersOf("acme"), NamespaceOwners()) << "who is gone owns nothing";
}

TEST_F(NamespacesTest, WhatIsPretendedIsNotKnown) {
  Add("acme", Visibility::kPrivate);
  EXPECT_TRUE(RunTask(namespaces_.Pretend("acme")));
  EXPECT_TRUE(RunTask(namespaces_.Pretend("nowhere")));
}

TEST_F(NamespacesTest, OneWithoutARecordMayHaveAnotherVisibilityThanANewOne) {
  ASSERT_TRUE(RunTask(catalog_.keys().AddKey(Actor::Server(), SampleKey("old"))));
  Namespaces namespaces(catalog_, Visibility::kInternal, Visibility::kPublic);
  EXPECT_EQ(namespaces.of_new(), Visibility::kInternal);
  EXPECT_EQ(RunTask(namespaces.FindNamespace("old")).value().visibility, Visibility::kPublic);
}

}  // namespace
}  // namespace koya::service
