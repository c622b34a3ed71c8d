// What administrators do to several users at once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "api/common/browser_fake.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/audit_catalog.h"
#include "domain/account_record.h"
#include "domain/actor.h"
#include "domain/audit_record.h"
#include "service/sign_in/sessions.h"

namespace koya::api {
namespace {

constexpr std::string_view kChosenPassword = "correct horse battery";
constexpr std::string_view kChosenPath = "/-/admin/chosen-users";

class AdminChosenTest : public ::testing::Test {
 protected:
  AdminChosenTest() {
    api_.AddUser("ada", std::string(kChosenPassword), true);
    for (const char* name : {"bob", "eve", "mika"})
      api_.AddUser(name, std::string(kChosenPassword));
    EXPECT_TRUE(RunTask(api_.catalog().accounts().AddGroup(Actor::Server(), {.name = "dev"})));
    ada_.SignIn("ada", kChosenPassword);
    ada_.Open("/-/admin/users");
  }

  bool IsDisabled(const std::string& name) {
    return RunTask(api_.catalog().accounts().FindAccount(AccountKind::kUser, name))
        ->disabled_at.has_value();
  }
  std::vector<std::string> Members() {
    std::vector<std::string> names;
    for (const MemberRecord& each : RunTask(api_.catalog().accounts().ListMembers("dev")).value()) {
      names.push_back(each.name);
    }
    return names;
  }
  // "account.disable user:bob" of each change by ada, oldest first.
  std::vector<std::string> Deeds() {
    std::vector<std::string> deeds;
    for (const AuditRecord& each : RunTask(api_.catalog().audit().ListAudit({}, 1000)).value()) {
      const std::string& action = each.entry.action;
      const bool counts = action.starts_with("account.") || action.starts_with("group.");
      if (each.entry.by.name != "user:ada" || !counts) continue;
      deeds.push_back(fmt::format("{} {}", each.entry.action, each.entry.target));
    }
    std::ranges::reverse(deeds);
    return deeds;
  }

  ApiFixture api_;
  FakeBrowser ada_{api_};
};

TEST_F(AdminChosenTest, ThePageOfUsersLeadsToOneThatNamesThem) {
  const Reply list = ada_.Open("/-/admin/users");
  EXPECT_TRUE(list.body.contains("name=\"u1\" value=\"bob\"")) << list.body;
  const Reply asked = ada_.Open(fmt::format("{}?u1=bob&u2=eve&deed=disable&group=", kChosenPath));
  EXPECT_EQ(asked.status, 200U);
  EXPECT_TRUE(asked.body.contains("Disable these users"));
  EXPECT_TRUE(asked.body.contains("<bdi>bob</bdi>") && asked.body.contains("<bdi>eve</bdi>"));
  EXPECT_FALSE(asked.body.contains("<bdi>mika</bdi>"));
  EXPECT_FALSE(IsDisabled("bob")) << "a GET does nothing";
  const Reply done = ada_.Submit(kChosenPath, ada_.HiddenFields());
  EXPECT_EQ(done.status, 303U) << done.body;
  EXPECT_EQ(done.Get("Location"), "/-/admin/users");
  EXPECT_TRUE(ada_.Open("/-/admin/users").body.contains("Users disabled: 2"));
  EXPECT_TRUE(IsDisabled("bob") && IsDisabled("eve"));
  EXPECT_FALSE(IsDisabled("mika"));
}

TEST_F(AdminChosenTest, EachIsDoneAndLoggedAsItWouldBeAlone) {
  const FormFields both{{"chosen", "bob,eve,bob"}, {"group", "dev"}};
  for (const char* deed : {"disable", "enable", "add"}) {
    FormFields form = both;
    form.emplace_back("deed", deed);
    EXPECT_EQ(ada_.Submit(kChosenPath, form).status, 303U) << deed;
    ada_.Open("/-/admin/users");
  }
  EXPECT_FALSE(IsDisabled("bob") || IsDisabled("eve"));
  EXPECT_EQ(Members(), (std::vector<std::string>{"bob", "eve"}));
  EXPECT_EQ(Deeds(),
            (std::vector<std::string>{"account.disable user:bob", "account.disable user:eve",
                                      "account.enable user:bob", "account.enable user:eve",
                                      "group.add group:dev", "group.add group:dev"}));
}

TEST_F(AdminChosenTest, TheLastAdministratorStaysAndOthersAreDone) {
  const Reply reply = ada_.Submit(kChosenPath, {{"chosen", "ada,nobody,eve"}, {"deed", "disable"}});
  EXPECT_EQ(reply.status, 422U);
  EXPECT_TRUE(reply.body.contains("At least one administrator must remain")) << reply.body;
  EXPECT_TRUE(reply.body.contains("<bdi>nobody</bdi>"));
  EXPECT_TRUE(reply.body.contains("Done for these users"));
  EXPECT_FALSE(IsDisabled("ada"));
  EXPECT_TRUE(IsDisabled("eve"));
}

TEST_F(AdminChosenTest, AGroupThatIsNotThereIsTold) {
  const Reply reply =
      ada_.Submit(kChosenPath, {{"chosen", "bob"}, {"deed", "add"}, {"group", "ops"}});
  EXPECT_EQ(reply.status, 422U);
  EXPECT_TRUE(reply.body.contains("no group named")) << reply.body;
  EXPECT_TRUE(Members().empty());
}

TEST_F(AdminChosenTest, WhatCannotBeIsTold) {
  std::string many;
  for (int i = 0; i <= 50; ++i) many += fmt::format("user{},", i);
  struct Case {
    FormFields form;
    std::string_view told;
  };
  for (const Case& each :
       {Case{{{"deed", "disable"}}, "Select at least one user"},
        Case{{{"chosen", ",,"}, {"deed", "disable"}}, "Select at least one user"},
        Case{{{"chosen", many}, {"deed", "disable"}}, "Select 50 users at most"},
        Case{{{"chosen", "bob"}, {"deed", "delete"}}, "role=\"alert\""},
        Case{{{"chosen", "bob"}}, "role=\"alert\""},
        Case{{{"chosen", "b b"}, {"deed", "disable"}}, "role=\"alert\""},
        Case{{{"chosen", "<b>"}, {"deed", "disable"}}, "role=\"alert\""},
        Case{{{"chosen", "bob"}, {"deed", "add"}}, "Use 1 to 64 letters"},
        Case{{{"chosen", "bob"}, {"deed", "add"}, {"group", ".."}}, "Use 1 to 64 letters"}}) {
    const Reply reply = ada_.Submit(kChosenPath, each.form);
    EXPECT_EQ(reply.status, 422U) << each.told;
    EXPECT_TRUE(reply.body.contains(each.told)) << each.told << reply.body;
    const Reply asked = ada_.Open(fmt::format("{}?{}", kChosenPath, EncodeForm(each.form)));
    EXPECT_EQ(asked.status, 422U) << each.told;
  }
  EXPECT_EQ(Deeds(), std::vector<std::string>());
}

TEST_F(AdminChosenTest, OthersAndForgedFormsDoNothing) {
  const FormFields form{{"chosen", "bob"}, {"deed", "disable"}};
  FormFields forged = form;
  forged.emplace_back("csrf", "wrong");
  EXPECT_EQ(ada_.Submit(kChosenPath, forged).status, 403U);
  FakeBrowser eve(api_), stranger(api_);
  eve.SignIn("eve", kChosenPassword);
  eve.Open("/-/settings");
  EXPECT_EQ(eve.Submit(kChosenPath, form).status, 404U);
  EXPECT_EQ(eve.Open(fmt::format("{}?u0=bob&deed=disable", kChosenPath)).status, 404U);
  stranger.Open("/login");
  EXPECT_EQ(stranger.Submit(kChosenPath, form).status, 303U);
  EXPECT_FALSE(IsDisabled("bob"));
}

TEST_F(AdminChosenTest, WhoMustSignInAgainFindsTheChoice) {
  std::string many;
  for (int i = 0; i < 50; ++i) many += fmt::format("{}somebody-{}", i == 0 ? "" : ",", i);
  api_.clock.now += std::chrono::seconds(service::Sessions::kLife).count();
  EXPECT_EQ(ada_.Submit(kChosenPath, {{"chosen", many}, {"deed", "enable"}}).status, 401U);
  FormFields in = ada_.HiddenFields();
  in.emplace_back("username", "ada");
  in.emplace_back("password", kChosenPassword);
  EXPECT_EQ(ada_.Submit("/login", in).status, 200U);
  const Reply back = ada_.Submit(kChosenPath, ada_.HiddenFields());
  EXPECT_EQ(back.status, 303U);
  const Reply asked = ada_.Open(back.Get("Location"));
  EXPECT_TRUE(asked.body.contains("Enable these users")) << asked.body;
  EXPECT_TRUE(asked.body.contains("<bdi>somebody-49</bdi>"));
}

}  // namespace
}  // namespace koya::api
