#include "service/access/accounts.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "auth/principal.h"
#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/catalog_parts_fake.h"

namespace koya::service {
namespace {

using auth::Principal;

constexpr AccountKind kUser = AccountKind::kUser;
constexpr AccountKind kService = AccountKind::kService;

class AccountsTest : public ::testing::Test {
 protected:
  static Principal Root() { return Principal::Operator(); }

  Result<AccountRecord> Make(AccountKind kind, std::string name, bool admin = false) {
    NewAccount account{.kind = kind, .name = std::move(name), .admin = admin};
    return RunTask(accounts_.Create(Root(), std::move(account)));
  }
  void MakeGroup(std::string name) {
    ASSERT_TRUE(RunTask(accounts_.CreateGroup(Root(), std::move(name))));
  }
  std::vector<std::string> Names(AccountKind kind) {
    std::vector<std::string> names;
    for (const AccountRecord& each : RunTask(accounts_.List(Root(), kind)).value()) {
      names.push_back(each.name);
    }
    return names;
  }
  // "user:ada", …
  std::vector<std::string> Members(std::string group) {
    std::vector<std::string> members;
    for (const MemberRecord& each :
         RunTask(accounts_.ListMembers(Root(), std::move(group))).value()) {
      members.push_back(std::string(AccountKindName(each.kind)) + ":" + each.name);
    }
    return members;
  }
  template <class T>
  static ErrorKind KindOf(const Result<T>& result) {
    EXPECT_FALSE(result);
    return result ? ErrorKind::kInternal : result.error().kind;
  }

  ManualClock clock_;
  TestCatalog catalog_;
  Accounts accounts_{catalog_, clock_};
};

TEST_F(AccountsTest, ALanguageIsSetByItsUserAndByAdministrators) {
  const AccountRecord ada = *Make(kUser, "Ada");
  ASSERT_TRUE(Make(kUser, "bob"));
  const AccountRecord robot = *Make(kService, "ada");
  auto set = [this](const Principal& by, std::string user, std::string language) {
    return RunTask(accounts_.SetLanguage(by, std::move(user), std::move(language)));
  };
  auto language = [this](std::string user) {
    return RunTask(catalog_.accounts().FindAccount(kUser, std::move(user)))->language;
  };
  Principal her{.name = "ci", .scope = Scope::kRead, .namespaces = {}};
  her.account = std::make_shared<const AccountRights>(AccountRights{.account = ada, .roles = {}});
  Principal its = her;
  its.account = std::make_shared<const AccountRights>(AccountRights{.account = robot, .roles = {}});
  ASSERT_TRUE(set(her, "ada", "ja"));
  EXPECT_EQ(language("ada"), "ja");
  ASSERT_TRUE(set(Root(), "ada", "zh"));
  EXPECT_EQ(language("ada"), "zh");
  ASSERT_TRUE(set(her, "ADA", ""));
  EXPECT_EQ(language("ada"), "");
  EXPECT_EQ(KindOf(set(her, "bob", "ja")), ErrorKind::kForbidden);
  EXPECT_EQ(KindOf(set(its, "ada", "ja")), ErrorKind::kForbidden) << "a program is no user";
  EXPECT_EQ(KindOf(set(Principal(), "ada", "ja")), ErrorKind::kForbidden);
  EXPECT_EQ(KindOf(set(Root(), "nobody", "ja")), ErrorKind::kNotFound);
  for (const char* wrong : {"de", "JA", "ja ", "auto", "en,ja", "\xff"}) {
    EXPECT_EQ(KindOf(set(her, "ada", wrong)), ErrorKind::kInvalid) << wrong;
  }
  EXPECT_EQ(language("ada"), "");
  EXPECT_EQ(language("bob"), "");
}

TEST_F(AccountsTest, AreMadeAndListed) {
  auto ada = Make(kUser, "Ada@example.com", true);
  ASSERT_TRUE(ada) << ada.error().message;
  EXPECT_EQ(ada->created_at, clock_.Now());
  EXPECT_EQ(ada->created_by, "koya");
  EXPECT_TRUE(ada->admin);
  auto bob = Make(kUser, "bob");
  ASSERT_TRUE(bob);
  EXPECT_FALSE(bob->admin);
  EXPECT_NE(ada->id, bob->id);
  EXPECT_EQ(ada->id.size(), 22U);
  ASSERT_TRUE(Make(kService, "bob")) << "kinds have names of their own";
  EXPECT_EQ(Names(kUser), (std::vector<std::string>{"Ada@example.com", "bob"}));
  EXPECT_EQ(Names(kService), std::vector<std::string>{"bob"});
  auto found = RunTask(catalog_.accounts().FindAccount(kUser, "ADA@example.com"));
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, *ada);
}

TEST_F(AccountsTest, ANameIsTakenWhateverItsLetterCase) {
  ASSERT_TRUE(Make(kUser, "ada"));
  EXPECT_EQ(KindOf(Make(kUser, "ada")), ErrorKind::kConflict);
  EXPECT_EQ(KindOf(Make(kUser, "ADA")), ErrorKind::kConflict);
  MakeGroup("ada");
  EXPECT_EQ(KindOf(RunTask(accounts_.CreateGroup(Root(), "Ada"))), ErrorKind::kConflict);
}

TEST_F(AccountsTest, AreRefusedWithNamesThatNobodyMayHave) {
  for (const char* name : {"", "a b", "a/b", "..", "größe"}) {
    EXPECT_EQ(KindOf(Make(kUser, name)), ErrorKind::kInvalid) << name;
    EXPECT_EQ(KindOf(Make(kService, name)), ErrorKind::kInvalid) << name;
    EXPECT_EQ(KindOf(RunTask(accounts_.CreateGroup(Root(), name))), ErrorKind::kInvalid) << name;
    EXPECT_EQ(KindOf(RunTask(accounts_.Disable(Root(), kUser, name))), ErrorKind::kInvalid);
    EXPECT_EQ(KindOf(RunTask(accounts_.Enable(Root(), kUser, name))), ErrorKind::kInvalid);
    EXPECT_EQ(KindOf(RunTask(accounts_.Delete(Root(), kUser, name))), ErrorKind::kInvalid);
    EXPECT_EQ(KindOf(RunTask(accounts_.DeleteGroup(Root(), name))), ErrorKind::kInvalid);
    EXPECT_EQ(KindOf(RunTask(accounts_.ListMembers(Root(), name))), ErrorKind::kInvalid);
  }
  EXPECT_EQ(KindOf(Make(kService, "ci@example.com")), ErrorKind::kInvalid);
  EXPECT_TRUE(Names(kUser).empty());
}

TEST_F(AccountsTest, AServiceAccountIsNoAdministrator) {
  EXPECT_EQ(KindOf(Make(kService, "ci", true)), ErrorKind::kInvalid);
  EXPECT_TRUE(Names(kService).empty());
}

TEST_F(AccountsTest, AreDisabledOnceAndEnabledAgain) {
  ASSERT_TRUE(Make(kUser, "root", true));
  ASSERT_TRUE(Make(kUser, "ada"));
  UnixSeconds first = clock_.Now();
  auto disabled = RunTask(accounts_.Disable(Root(), kUser, "ADA"));
  ASSERT_TRUE(disabled) << disabled.error().message;
  EXPECT_EQ(disabled->name, "ada");
  EXPECT_EQ(disabled->disabled_at, first);
  clock_.now += 100;
  EXPECT_EQ(RunTask(accounts_.Disable(Root(), kUser, "ada"))->disabled_at, first);
  EXPECT_EQ(RunTask(catalog_.accounts().FindAccount(kUser, "ada"))->disabled_at, first);
  EXPECT_EQ(RunTask(accounts_.Enable(Root(), kUser, "ada"))->disabled_at, std::nullopt);
  EXPECT_EQ(RunTask(accounts_.Enable(Root(), kUser, "ada"))->disabled_at, std::nullopt);
  EXPECT_EQ(KindOf(RunTask(accounts_.Disable(Root(), kService, "ada"))), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(RunTask(accounts_.Disable(Root(), kUser, "none"))), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(RunTask(accounts_.Enable(Root(), kUser, "none"))), ErrorKind::kNotFound);
}

TEST_F(AccountsTest, TheLastAdministratorStays) {
  ASSERT_TRUE(Make(kUser, "root", true));
  ASSERT_TRUE(Make(kUser, "ada"));
  EXPECT_EQ(KindOf(RunTask(accounts_.Disable(Root(), kUser, "root"))), ErrorKind::kConflict);
  EXPECT_EQ(KindOf(RunTask(accounts_.Delete(Root(), kUser, "root"))), ErrorKind::kConflict);
  ASSERT_TRUE(Make(kUser, "second", true));
  EXPECT_TRUE(RunTask(accounts_.Disable(Root(), kUser, "root")));
  EXPECT_EQ(KindOf(RunTask(accounts_.Delete(Root(), kUser, "second"))), ErrorKind::kConflict);
  EXPECT_TRUE(RunTask(accounts_.Enable(Root(), kUser, "root")));
  EXPECT_TRUE(RunTask(accounts_.Delete(Root(), kUser, "second")));
  EXPECT_EQ(Names(kUser), (std::vector<std::string>{"ada", "root"}));
}

TEST_F(AccountsTest, ADeletedOneIsNowhereAnyMore) {
  ASSERT_TRUE(Make(kUser, "root", true));
  ASSERT_TRUE(Make(kUser, "ada"));
  ASSERT_TRUE(Make(kService, "ada"));
  MakeGroup("platform");
  ASSERT_TRUE(RunTask(accounts_.AddMember(Root(), "platform", kUser, "ada")));
  ASSERT_TRUE(RunTask(accounts_.AddMember(Root(), "platform", kService, "ada")));
  ASSERT_TRUE(RunTask(accounts_.Delete(Root(), kUser, "Ada")));
  EXPECT_EQ(Members("platform"), std::vector<std::string>{"service:ada"});
  EXPECT_EQ(Names(kUser), std::vector<std::string>{"root"});
  EXPECT_EQ(Names(kService), std::vector<std::string>{"ada"});
  EXPECT_EQ(KindOf(RunTask(accounts_.Delete(Root(), kUser, "ada"))), ErrorKind::kNotFound);
}

TEST_F(AccountsTest, GroupsHaveMembers) {
  ASSERT_TRUE(Make(kUser, "ada"));
  ASSERT_TRUE(Make(kUser, "bob"));
  ASSERT_TRUE(Make(kService, "ci"));
  MakeGroup("platform");
  EXPECT_TRUE(Members("platform").empty());
  for (const char* name : {"bob", "ada", "ADA"}) {
    EXPECT_TRUE(RunTask(accounts_.AddMember(Root(), "Platform", kUser, name))) << name;
  }
  EXPECT_TRUE(RunTask(accounts_.AddMember(Root(), "platform", kService, "ci")));
  EXPECT_EQ(Members("PLATFORM"), (std::vector<std::string>{"user:ada", "user:bob", "service:ci"}));
  EXPECT_TRUE(RunTask(accounts_.RemoveMember(Root(), "platform", kUser, "bob")));
  EXPECT_EQ(Members("platform"), (std::vector<std::string>{"user:ada", "service:ci"}));
  EXPECT_EQ(RunTask(accounts_.ListGroups(Root())).value().size(), 1U);
  EXPECT_TRUE(RunTask(accounts_.DeleteGroup(Root(), "platform")));
  EXPECT_TRUE(RunTask(accounts_.ListGroups(Root())).value().empty());
  EXPECT_EQ(Names(kUser).size(), 2U) << "members stay accounts";
}

TEST_F(AccountsTest, WhatIsNotThereIsSaid) {
  ASSERT_TRUE(Make(kUser, "ada"));
  MakeGroup("platform");
  auto add = [&](const char* group, AccountKind kind, const char* name) {
    return KindOf(RunTask(accounts_.AddMember(Root(), group, kind, name)));
  };
  auto remove = [&](const char* group, AccountKind kind, const char* name) {
    return KindOf(RunTask(accounts_.RemoveMember(Root(), group, kind, name)));
  };
  EXPECT_EQ(add("none", kUser, "ada"), ErrorKind::kNotFound);
  EXPECT_EQ(add("platform", kService, "ada"), ErrorKind::kNotFound);
  EXPECT_EQ(add("platform", kUser, "none"), ErrorKind::kNotFound);
  EXPECT_EQ(add("plat form", kUser, "ada"), ErrorKind::kInvalid);
  EXPECT_EQ(add("platform", kUser, "a b"), ErrorKind::kInvalid);
  EXPECT_EQ(remove("none", kUser, "ada"), ErrorKind::kNotFound);
  EXPECT_EQ(remove("platform", kUser, "ada"), ErrorKind::kNotFound);
  EXPECT_EQ(remove("platform", kUser, ""), ErrorKind::kInvalid);
  EXPECT_EQ(KindOf(RunTask(accounts_.ListMembers(Root(), "none"))), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(RunTask(accounts_.DeleteGroup(Root(), "none"))), ErrorKind::kNotFound);
}

// Whose rights do not suffice: a scope below admin, and an administrator of some namespaces.
TEST_F(AccountsTest, AreForAdministratorsOfAllNamespacesOnly) {
  ASSERT_TRUE(Make(kUser, "ada"));
  MakeGroup("platform");
  const std::vector<Principal> kOthers = {{"reader", Scope::kRead, {}},
                                          {"ci", Scope::kPublish, {}},
                                          {"team", Scope::kAdmin, {"acme"}},
                                          {"stars", Scope::kAdmin, {"*"}},
                                          {}};
  for (const Principal& by : kOthers) {
    const std::vector<ErrorKind> kAnswers = {
        KindOf(RunTask(accounts_.Create(by, {.kind = kUser, .name = "eve", .admin = true}))),
        KindOf(RunTask(accounts_.Create(by, {.kind = kService, .name = "eve"}))),
        KindOf(RunTask(accounts_.List(by, kUser))),
        KindOf(RunTask(accounts_.Disable(by, kUser, "ada"))),
        KindOf(RunTask(accounts_.Enable(by, kUser, "ada"))),
        KindOf(RunTask(accounts_.Delete(by, kUser, "ada"))),
        KindOf(RunTask(accounts_.CreateGroup(by, "eves"))),
        KindOf(RunTask(accounts_.ListGroups(by))),
        KindOf(RunTask(accounts_.DeleteGroup(by, "platform"))),
        KindOf(RunTask(accounts_.ListMembers(by, "platform"))),
        KindOf(RunTask(accounts_.AddMember(by, "platform", kUser, "ada"))),
        KindOf(RunTask(accounts_.RemoveMember(by, "platform", kUser, "ada"))),
    };
    for (ErrorKind answer : kAnswers) EXPECT_EQ(answer, ErrorKind::kForbidden) << by.name;
  }
  EXPECT_EQ(Names(kUser), std::vector<std::string>{"ada"});
  EXPECT_TRUE(Members("platform").empty());
}

}  // namespace
}  // namespace koya::service
