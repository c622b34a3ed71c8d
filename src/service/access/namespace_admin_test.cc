#include "service/access/namespace_admin.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "auth/principal.h"
#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/catalog_parts_fake.h"
#include "service/access/accounts.h"

namespace koya::service {
namespace {

using auth::Principal;

class NamespaceAdminTest : public ::testing::Test {
 protected:
  static Principal Root() { return Principal::Operator(); }
  static Principal Acme() { return {"team", Scope::kAdmin, {"acme", "a-*"}}; }

  void SetUp() override {
    Accounts accounts(catalog_, clock_);
    ASSERT_TRUE(RunTask(accounts.Create(Root(), {.kind = AccountKind::kUser, .name = "ada"})));
    ASSERT_TRUE(RunTask(accounts.Create(Root(), {.kind = AccountKind::kService, .name = "ci"})));
    ASSERT_TRUE(RunTask(accounts.CreateGroup(Root(), "platform")));
  }

  Result<NamespaceAdmin::Outcome> Set(std::string ns, Visibility visibility,
                                      Principal by = Root()) {
    return RunTask(admin_.Set(std::move(by), std::move(ns), {.visibility = visibility}));
  }
  Result<GrantRecord> Put(std::string ns, GranteeKind kind, std::string name, Role role,
                          Principal by = Root()) {
    Grantee grantee{.ns = std::move(ns), .kind = kind, .name = std::move(name)};
    return RunTask(admin_.PutGrant(std::move(by), std::move(grantee), role));
  }
  Status Remove(std::string ns, GranteeKind kind, std::string name, Principal by = Root()) {
    Grantee grantee{.ns = std::move(ns), .kind = kind, .name = std::move(name)};
    return RunTask(admin_.RemoveGrant(std::move(by), std::move(grantee)));
  }
  std::vector<std::string> Names(Principal by = Root()) {
    std::vector<std::string> names;
    for (const NamespaceRecord& each : RunTask(admin_.List(std::move(by))).value()) {
      names.push_back(each.name);
    }
    return names;
  }
  // "user:ada=owner", …
  std::vector<std::string> Grants(std::string ns) {
    std::vector<std::string> grants;
    for (const GrantRecord& each : RunTask(admin_.ListGrants(Root(), std::move(ns))).value()) {
      grants.push_back(
          fmt::format("{}:{}={}", GranteeKindName(each.kind), each.grantee, RoleName(each.role)));
    }
    return grants;
  }
  template <class T>
  static ErrorKind KindOf(const Result<T>& result) {
    EXPECT_FALSE(result);
    return result ? ErrorKind::kInternal : result.error().kind;
  }

  ManualClock clock_;
  TestCatalog catalog_;
  NamespaceAdmin admin_{catalog_, clock_, Visibility::kInternal};
};

TEST_F(NamespaceAdminTest, ARuleForVersionsMakesTheNamespaceToo) {
  auto set = [this](std::optional<SemverRule> rule) {
    NamespaceAdmin::Wish wish;
    wish.semver.emplace(rule);
    return RunTask(admin_.Set(Root(), "Acme", wish));
  };
  auto made = set(SemverRule::kRefuse);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(made->created);
  EXPECT_EQ(made->record.visibility, Visibility::kInternal) << "as settings say";
  EXPECT_EQ(made->record.semver, SemverRule::kRefuse);
  ASSERT_TRUE(Set("acme", Visibility::kPublic));
  EXPECT_EQ(RunTask(admin_.Show(Root(), "acme"))->semver, SemverRule::kRefuse) << "it stays";
  EXPECT_EQ(set(SemverRule::kOff)->record.visibility, Visibility::kPublic) << "and so does this";
  EXPECT_EQ(set(std::nullopt)->record.semver, std::nullopt);
}

TEST_F(NamespaceAdminTest, ARuleForPublishingMakesTheNamespaceTooAndStays) {
  auto set = [this](PublishRule rule) {
    return RunTask(admin_.Set(Root(), "Acme", {.publish = rule}));
  };
  auto made = set(PublishRule::kCiOnly);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(made->created);
  EXPECT_EQ(made->record.publish, PublishRule::kCiOnly);
  ASSERT_TRUE(Set("acme", Visibility::kPublic));
  EXPECT_EQ(RunTask(admin_.Show(Root(), "acme"))->publish, PublishRule::kCiOnly) << "it stays";
  EXPECT_EQ(set(PublishRule::kAny)->record.publish, PublishRule::kAny);
}

TEST_F(NamespaceAdminTest, WordsMakeTheNamespaceTooAndStay) {
  auto set = [this](NamespaceWordsChange words) {
    return RunTask(admin_.Set(Root(), "Acme", {.words = std::move(words)}));
  };
  auto made = set({.title = "Acme & co"});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(made->created);
  EXPECT_EQ(made->record.visibility, Visibility::kInternal) << "as settings say";
  EXPECT_EQ(made->record.words, (NamespaceWords{.title = "Acme & co"}));
  EXPECT_EQ(set({.description = "All."})->record.words,
            (NamespaceWords{.title = "Acme & co", .description = "All."}));
  ASSERT_TRUE(Set("acme", Visibility::kPublic));
  EXPECT_EQ(RunTask(admin_.Show(Root(), "acme"))->words.title, "Acme & co") << "it stays";
  EXPECT_EQ(set({.title = ""})->record.words, (NamespaceWords{.description = "All."}));
  EXPECT_EQ(RunTask(admin_.Show(Root(), "acme"))->visibility, Visibility::kPublic);
}

TEST_F(NamespaceAdminTest, SettingAVisibilityMakesTheNamespace) {
  auto made = Set("Acme", Visibility::kPrivate);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(made->created);
  EXPECT_EQ(made->record, (NamespaceRecord{.name = "Acme",
                                           .visibility = Visibility::kPrivate,
                                           .created_at = clock_.Now(),
                                           .created_by = "koya"}));
  clock_.now += 10;
  auto again = Set("ACME", Visibility::kInternal);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->created);
  EXPECT_EQ(again->record.name, "Acme");
  EXPECT_EQ(again->record.visibility, Visibility::kInternal);
  EXPECT_EQ(again->record.created_at, clock_.Now() - 10);
  EXPECT_EQ(RunTask(admin_.Show(Root(), "acme")).value(), again->record);
}

TEST_F(NamespaceAdminTest, NamesOfModulesAndProvidersAreTaken) {
  for (const char* ns : {"my_team", "a--b", "größe", "größe_2", "x1"}) {
    EXPECT_TRUE(Set(ns, Visibility::kPublic)) << ns;
  }
  EXPECT_FALSE(Set("GRÖßE", Visibility::kPublic)->created);
  for (const char* ns : {"", "a.b", "a/b", "-a", "a b", "*", "größe_"}) {
    EXPECT_EQ(KindOf(Set(ns, Visibility::kPublic)), ErrorKind::kInvalid) << ns;
    EXPECT_EQ(KindOf(RunTask(admin_.Show(Root(), ns))), ErrorKind::kInvalid) << ns;
    EXPECT_EQ(KindOf(RunTask(admin_.ListGrants(Root(), ns))), ErrorKind::kInvalid) << ns;
    EXPECT_EQ(KindOf(Put(ns, GranteeKind::kUser, "ada", Role::kOwner)), ErrorKind::kInvalid) << ns;
    EXPECT_EQ(KindOf(Remove(ns, GranteeKind::kUser, "ada")), ErrorKind::kInvalid) << ns;
  }
}

TEST_F(NamespaceAdminTest, AReservedNameIsForNoNewNamespace) {
  for (const char* ns : {"api", "Mirror", "oauth", "v1"}) {
    auto refused = Set(ns, Visibility::kPrivate);
    ASSERT_FALSE(refused) << ns;
    EXPECT_EQ(refused.error().kind, ErrorKind::kInvalid);
    EXPECT_TRUE(refused.error().message.contains("is reserved")) << refused.error().message;
  }
  EXPECT_TRUE(Names().empty());
  // From before it was reserved.
  ASSERT_TRUE(RunTask(catalog_.namespaces().AddNamespace(
      Actor::Server(), {.name = "oauth", .visibility = Visibility::kPublic})));
  EXPECT_TRUE(Set("OAuth", Visibility::kPrivate));
  EXPECT_EQ(RunTask(admin_.Show(Root(), "oauth"))->visibility, Visibility::kPrivate);
}

TEST_F(NamespaceAdminTest, ListsThoseThatTheCallerManages) {
  for (const char* ns : {"beta", "acme", "A-tools", "ab"}) {
    ASSERT_TRUE(Set(ns, Visibility::kPublic)) << ns;
  }
  EXPECT_EQ(Names(), (std::vector<std::string>{"A-tools", "ab", "acme", "beta"}));
  EXPECT_EQ(Names(Acme()), (std::vector<std::string>{"A-tools", "acme"}));
  EXPECT_TRUE(Names({"other", Scope::kAdmin, {"gamma"}}).empty());
  EXPECT_EQ(KindOf(RunTask(admin_.List({"ci", Scope::kPublish, {}}))), ErrorKind::kForbidden);
}

TEST_F(NamespaceAdminTest, TheFirstOfThemAreTheBeginningOfThatList) {
  for (const char* ns : {"beta", "acme", "A-tools", "ab"}) {
    ASSERT_TRUE(Set(ns, Visibility::kPublic)) << ns;
  }
  auto ada = [](bool admin, std::vector<GrantedRole> roles) {
    Principal by{"ada", Scope::kAdmin, {}};
    by.account = std::make_shared<AccountRights>(
        AccountRights{.account = {.name = "ada", .admin = admin}, .roles = std::move(roles)});
    return by;
  };
  Principal narrowed = ada(true, {});
  narrowed.namespaces = {"a*"};
  const std::vector<std::pair<Principal, std::vector<std::string>>> cases = {
      {Root(), {"A-tools", "ab", "acme", "beta"}},
      {Acme(), {"A-tools", "acme"}},
      {ada(true, {}), {"A-tools", "ab", "acme", "beta"}},
      {narrowed, {"A-tools", "ab", "acme"}},
      {ada(false, {}), {}},
      {ada(false, {{"ab", Role::kPublisher}, {"acme", Role::kOwner}, {"gone", Role::kOwner}}),
       {"acme"}},
      {{"other", Scope::kAdmin, {"gamma"}}, {}}};
  for (const auto& [by, wanted] : cases) {
    EXPECT_EQ(Names(by), wanted);
    for (std::size_t most = 0; most < 6; ++most) {
      auto first = RunTask(admin_.ListFirst(by, most));
      ASSERT_TRUE(first) << first.error().message;
      std::vector<std::string> names;
      for (const NamespaceRecord& each : *first) names.push_back(each.name);
      EXPECT_EQ(names, std::vector<std::string>(
                           wanted.begin(),
                           wanted.begin() + static_cast<long>(std::min(most, wanted.size()))));
    }
  }
  EXPECT_EQ(KindOf(RunTask(admin_.ListFirst({"ci", Scope::kPublish, {}}, 3))),
            ErrorKind::kForbidden);
}

TEST_F(NamespaceAdminTest, ListsMoreThanTheCatalogGivesAtOnce) {
  for (int i = 0; i < 1001; ++i) {
    ASSERT_TRUE(RunTask(
        catalog_.namespaces().AddNamespace(Actor::Server(), {.name = fmt::format("n{:04}", i)})));
  }
  std::vector<std::string> names = Names();
  ASSERT_EQ(names.size(), 1001U);
  EXPECT_EQ(names.front(), "n0000");
  EXPECT_EQ(names.back(), "n1000");
}

TEST_F(NamespaceAdminTest, GivesAndTakesRoles) {
  ASSERT_TRUE(Set("Acme", Visibility::kPrivate));
  auto grant = Put("acme", GranteeKind::kUser, "ada", Role::kPublisher, Acme());
  ASSERT_TRUE(grant) << grant.error().message;
  EXPECT_EQ(*grant, (GrantRecord{.ns = "Acme",
                                 .kind = GranteeKind::kUser,
                                 .grantee = "ada",
                                 .role = Role::kPublisher,
                                 .granted_at = clock_.Now(),
                                 .granted_by = "team"}));
  ASSERT_TRUE(Put("acme", GranteeKind::kGroup, "platform", Role::kReader));
  ASSERT_TRUE(Put("acme", GranteeKind::kService, "ci", Role::kPublisher));
  EXPECT_EQ(Put("ACME", GranteeKind::kUser, "ADA", Role::kOwner)->grantee, "ada");
  EXPECT_EQ(Grants("acme"), (std::vector<std::string>{"user:ada=owner", "group:platform=reader",
                                                      "service:ci=publisher"}));
  EXPECT_TRUE(Remove("acme", GranteeKind::kGroup, "platform", Acme()));
  EXPECT_EQ(KindOf(Remove("acme", GranteeKind::kGroup, "platform")), ErrorKind::kNotFound);
  EXPECT_EQ(Grants("acme"), (std::vector<std::string>{"user:ada=owner", "service:ci=publisher"}));
}

TEST_F(NamespaceAdminTest, WhatIsNotThereIsSaid) {
  ASSERT_TRUE(Set("acme", Visibility::kPrivate));
  EXPECT_EQ(KindOf(RunTask(admin_.Show(Root(), "none"))), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(RunTask(admin_.ListGrants(Root(), "none"))), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(Put("none", GranteeKind::kUser, "ada", Role::kReader)), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(Put("acme", GranteeKind::kUser, "ci", Role::kReader)), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(Put("acme", GranteeKind::kGroup, "ada", Role::kReader)), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(Put("acme", GranteeKind::kService, "ada", Role::kReader)), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(Put("acme", GranteeKind::kService, "c@i", Role::kReader)), ErrorKind::kInvalid);
  EXPECT_EQ(KindOf(Put("acme", GranteeKind::kUser, "", Role::kReader)), ErrorKind::kInvalid);
  EXPECT_EQ(KindOf(Remove("acme", GranteeKind::kUser, "a b")), ErrorKind::kInvalid);
  EXPECT_EQ(KindOf(Remove("acme", GranteeKind::kUser, "ada")), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(Remove("none", GranteeKind::kUser, "ada")), ErrorKind::kNotFound);
  EXPECT_TRUE(Grants("acme").empty());
}

TEST_F(NamespaceAdminTest, ThosePublishingSeeTheNamespaceAndWhatANewOneIs) {
  ASSERT_TRUE(Set("acme", Visibility::kPrivate));
  const Principal publisher{"ci", Scope::kPublish, {"acme", "next"}};
  EXPECT_EQ(RunTask(admin_.Show(publisher, "ACME"))->visibility, Visibility::kPrivate);
  const Error missing = RunTask(admin_.Show(publisher, "next")).error();
  EXPECT_EQ(missing.kind, ErrorKind::kNotFound);
  EXPECT_TRUE(missing.message.contains("the first publish creates it, and then it is "))
      << missing.message;
  EXPECT_EQ(KindOf(RunTask(admin_.ListGrants(publisher, "acme"))), ErrorKind::kForbidden);
}

// Another namespace's administrator learns not even whether this one exists.
TEST_F(NamespaceAdminTest, NobodyManagesWhatTheyDoNotHold) {
  ASSERT_TRUE(Set("beta", Visibility::kPrivate));
  ASSERT_TRUE(Put("beta", GranteeKind::kUser, "ada", Role::kReader));
  const std::vector<Principal> kOthers = {
      Acme(), {"ci", Scope::kPublish, {"acme"}}, {"ci", Scope::kRead, {"beta"}}, {}};
  for (const Principal& by : kOthers) {
    for (const char* ns : {"beta", "none"}) {
      const std::vector<ErrorKind> kAnswers = {
          KindOf(Set(ns, Visibility::kPublic, by)),
          KindOf(RunTask(admin_.Show(by, ns))),
          KindOf(RunTask(admin_.ListGrants(by, ns))),
          KindOf(Put(ns, GranteeKind::kUser, "ada", Role::kOwner, by)),
          KindOf(Remove(ns, GranteeKind::kUser, "ada", by)),
      };
      for (ErrorKind answer : kAnswers) EXPECT_EQ(answer, ErrorKind::kForbidden) << by.name << ns;
    }
  }
  EXPECT_EQ(RunTask(admin_.Show(Root(), "beta"))->visibility, Visibility::kPrivate);
  EXPECT_EQ(Grants("beta"), std::vector<std::string>{"user:ada=reader"});
}

}  // namespace
}  // namespace koya::service
