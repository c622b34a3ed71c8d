#include "service/access/access_explanation.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "auth/principal.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/catalog_parts_fake.h"
#include "domain/topic.h"

namespace koya::service {
namespace {

using Reason = AccessExplanation::Reason;

class AccessExplanationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"ann", "root", "gone"}) {
      Done(catalog_.accounts().AddAccount(Actor::Server(), {.id = name,
                                                            .kind = AccountKind::kUser,
                                                            .name = name,
                                                            .admin = std::string(name) == "root"}));
    }
    Done(catalog_.accounts().AddAccount(
        Actor::Server(), {.id = "ci", .kind = AccountKind::kService, .name = "ann"}));
    for (auto [ns, visibility] :
         {std::pair("open", Visibility::kPublic), std::pair("ours", Visibility::kInternal),
          std::pair("Acme", Visibility::kPrivate)}) {
      ASSERT_TRUE(RunTask(catalog_.namespaces().AddNamespace(
          Actor::Server(), {.name = ns, .visibility = visibility})));
    }
    Done(catalog_.accounts().AddGroup(Actor::Server(), {.name = "Ops"}));
    Done(catalog_.accounts().AddMember(Actor::Server(), "ops", {AccountKind::kUser, "ann", ""}));
    Done(catalog_.accounts().SetDisabled(Actor::Server(), AccountKind::kUser, "gone", 1));
  }

  static void Done(Task<void> task) { ASSERT_TRUE(RunTask(std::move(task))); }
  void Grant(GranteeKind kind, std::string name, Role role) {
    Done(catalog_.namespaces().PutGrant(Actor::Server(), {.ns = "acme",
                                                          .kind = kind,
                                                          .grantee = std::move(name),
                                                          .role = role,
                                                          .granted_by = "root"}));
  }
  Result<AccessExplanation> Ask(AccessQuestion question,
                                auth::Principal by = auth::Principal::Operator()) {
    return RunTask(explainer_.Explain(std::move(by), std::move(question)));
  }
  AccessExplanation Told(std::string user, Permission deed, std::string ns) {
    auto told = Ask({.who = AccessQuestion::Who{AccountKind::kUser, std::move(user)},
                     .deed = deed,
                     .ns = std::move(ns)});
    EXPECT_TRUE(told) << told.error().message;
    return told.value_or(AccessExplanation());
  }
  // Checks that the explanation agrees with the decision that the principal gets itself.
  void ExpectReason(const AccessExplanation& told, bool may, Reason reason) {
    EXPECT_EQ(told.may, may);
    EXPECT_EQ(told.reason, reason);
  }

  TestCatalog catalog_;
  AccessExplainer explainer_{catalog_, catalog_, Visibility::kPrivate};
};

TEST_F(AccessExplanationTest, NothingGrantsItUntilSomethingDoes) {
  ExpectReason(Told("ann", Permission::kRead, "acme"), false, Reason::kNothing);
  Grant(GranteeKind::kGroup, "ops", Role::kPublisher);
  const AccessExplanation read = Told("ANN", Permission::kRead, "ACME");
  ExpectReason(read, true, Reason::kGrant);
  EXPECT_EQ(read.name, "ann");
  EXPECT_EQ(read.ns, "Acme");
  ASSERT_EQ(read.grants.size(), 1U);
  EXPECT_EQ(read.grants[0].grantee, "Ops");
  EXPECT_EQ(read.grants[0].granted_by, "root");
  ExpectReason(Told("ann", Permission::kPublish, "acme"), true, Reason::kGrant);
  const AccessExplanation own = Told("ann", Permission::kOwn, "acme");
  ExpectReason(own, false, Reason::kTooLittle);
  ASSERT_EQ(own.grants.size(), 1U) << "what there is is told, although it is not enough";
}

TEST_F(AccessExplanationTest, TheHighestRoleComesFirstAndOnlyWhatIsEnough) {
  Grant(GranteeKind::kGroup, "ops", Role::kReader);
  Grant(GranteeKind::kUser, "ann", Role::kOwner);
  EXPECT_EQ(Told("ann", Permission::kRead, "acme").grants.size(), 2U);
  EXPECT_EQ(Told("ann", Permission::kRead, "acme").grants[0].role, Role::kOwner);
  EXPECT_EQ(Told("ann", Permission::kOwn, "acme").grants.size(), 1U);
}

TEST_F(AccessExplanationTest, AServiceAccountOfTheSameNameIsSomebodyElse) {
  Grant(GranteeKind::kUser, "ann", Role::kOwner);
  auto told = Ask({.who = AccessQuestion::Who{AccountKind::kService, "ann"},
                   .deed = Permission::kPublish,
                   .ns = "acme"});
  ASSERT_TRUE(told) << told.error().message;
  ExpectReason(*told, false, Reason::kNothing);
  EXPECT_TRUE(told->grants.empty());
}

TEST_F(AccessExplanationTest, VisibilityAndAdministratorsNeedNoGrant) {
  ExpectReason(Told("ann", Permission::kRead, "open"), true, Reason::kPublic);
  ExpectReason(Told("ann", Permission::kRead, "ours"), true, Reason::kInternal);
  ExpectReason(Told("ann", Permission::kPublish, "open"), false, Reason::kNothing);
  for (Permission deed :
       {Permission::kRead, Permission::kPublish, Permission::kOwn, Permission::kEverything}) {
    ExpectReason(Told("root", deed, "acme"), true, Reason::kAdministrator);
  }
  ExpectReason(Told("ann", Permission::kEverything, ""), false, Reason::kNotEverything);
}

TEST_F(AccessExplanationTest, WhoIsDisabledMayNothing) {
  Grant(GranteeKind::kUser, "gone", Role::kOwner);
  for (Permission deed :
       {Permission::kRead, Permission::kPublish, Permission::kOwn, Permission::kEverything}) {
    ExpectReason(Told("gone", deed, "acme"), false, Reason::kDisabled);
  }
}

TEST_F(AccessExplanationTest, StrangersReadWhatIsPublic) {
  auto told = [this](Permission deed, std::string ns) {
    return Ask({.who = {}, .deed = deed, .ns = std::move(ns)}).value();
  };
  ExpectReason(told(Permission::kRead, "open"), true, Reason::kPublic);
  ExpectReason(told(Permission::kRead, "ours"), false, Reason::kStranger);
  ExpectReason(told(Permission::kRead, "acme"), false, Reason::kStranger);
  ExpectReason(told(Permission::kPublish, "open"), false, Reason::kStranger);
  ExpectReason(told(Permission::kEverything, ""), false, Reason::kStranger);
}

TEST_F(AccessExplanationTest, WhatIsNotThereIsToldOf) {
  const AccessExplanation nowhere = Told("ann", Permission::kRead, "nowhere");
  EXPECT_FALSE(nowhere.may);
  EXPECT_FALSE(nowhere.has_namespace);
  EXPECT_EQ(nowhere.visibility, Visibility::kPrivate);
  for (const char* name : {"nobody", "eve"}) {
    auto unknown = Ask({.who = AccessQuestion::Who{AccountKind::kUser, name}, .ns = "acme"});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().kind, ErrorKind::kNotFound) << name;
  }
  for (const char* name : {"", "a b", "../x", "'; DROP TABLE account; --"}) {
    auto wrong = Ask({.who = AccessQuestion::Who{AccountKind::kUser, name}, .ns = "acme"});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().kind, ErrorKind::kInvalid) << name;
    auto ns = Ask({.who = AccessQuestion::Who{AccountKind::kUser, "ann"}, .ns = name});
    ASSERT_FALSE(ns);
    EXPECT_EQ(ns.error().kind, ErrorKind::kInvalid) << name;
  }
}

TEST_F(AccessExplanationTest, IsForAdministratorsAlone) {
  for (const auth::Principal& by :
       {auth::Principal{"t", Scope::kPublish, {}}, auth::Principal{"t", Scope::kAdmin, {"acme"}}}) {
    auto refused = Ask({.who = {}, .ns = "acme"}, by);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::kForbidden);
  }
}

}  // namespace
}  // namespace koya::service
