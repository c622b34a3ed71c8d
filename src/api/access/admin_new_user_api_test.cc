// A user created by an administrator, whose first password cannot be stored: the account exists,
// and the administrator learns that the password is missing.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "api/common/browser_fake.h"
#include "base/run_task.h"
#include "base/temp_folder_fake.h"
#include "catalog/access_catalog.h"
#include "catalog/catalog.h"
#include "catalog/sql/open_catalog.h"
#include "domain/account_record.h"
#include "service/common/refused_updates_fake.h"

namespace koya::api {
namespace {

constexpr std::string_view kNewUserPassword = "correct horse battery";

class AdminNewUserTest : public ::testing::Test {
 protected:
  AdminNewUserTest() {
    api_.AddUser("ada", std::string(kNewUserPassword), true);
    EXPECT_EQ(ada_.SignIn("ada", kNewUserPassword).status, 303U);
    ada_.Open("/-/admin/users");
    service::RefuseInserts(file(), "account_password");
  }

  std::string file() const { return folder_ / "koya.db"; }
  static FormFields Wanted() {
    return {{"name", "mika"},
            {"password", std::string(kNewUserPassword)},
            {"password_again", std::string(kNewUserPassword)}};
  }
  bool HasUser(const std::string& name) {
    return RunTask(api_.catalog().accounts().FindAccount(AccountKind::kUser, name)).has_value();
  }

  TempFolder folder_;
  ApiFixture api_{std::shared_ptr<Catalog>(OpenCatalog({.url = "sqlite:" + file()}).value())};
  FakeBrowser ada_{api_};
};

TEST_F(AdminNewUserTest, WhosePasswordCouldNotBeSetHasAPageThatSaysSo) {
  const Reply reply = ada_.Submit("/-/admin/users", Wanted());
  EXPECT_EQ(reply.status, 422U);
  EXPECT_TRUE(reply.body.contains("action=\"/-/admin/users/mika\"")) << reply.body;
  EXPECT_TRUE(reply.body.contains("could not use its catalog")) << "why: " << reply.body;
  EXPECT_TRUE(reply.body.contains("href=\"#password\"")) << "where: " << reply.body;
  EXPECT_FALSE(reply.body.contains("was created")) << "and not that all is well";
  EXPECT_FALSE(reply.body.contains(kNewUserPassword)) << "no page holds a password";
  EXPECT_TRUE(HasUser("mika")) << "the page is of somebody who is there";
  EXPECT_EQ(FakeBrowser(api_).SignIn("mika", kNewUserPassword).status, 401U);
}

TEST_F(AdminNewUserTest, GetsThePasswordOnThatPageLater) {
  ASSERT_EQ(ada_.Submit("/-/admin/users", Wanted()).status, 422U);
  EXPECT_EQ(ada_.Submit("/-/admin/users", Wanted()).status, 422U) << "the name is taken by now";
  service::AllowInserts(file(), "account_password");
  const Reply set =
      ada_.Submit("/-/admin/users/mika", {{"do", "password"},
                                          {"password", std::string(kNewUserPassword)},
                                          {"password_again", std::string(kNewUserPassword)}});
  EXPECT_EQ(set.status, 303U) << set.body;
  EXPECT_EQ(FakeBrowser(api_).SignIn("mika", kNewUserPassword).status, 303U);
}

TEST_F(AdminNewUserTest, WhoNeedsNoPasswordIsMadeAllTheSame) {
  const Reply reply = ada_.Submit("/-/admin/users", {{"name", "plain"}});
  EXPECT_EQ(reply.status, 303U) << reply.body;
  EXPECT_EQ(reply.Get("Location"), "/-/admin/users/plain");
  EXPECT_TRUE(HasUser("plain"));
}

}  // namespace
}  // namespace koya::api
