// What every catalog must do: the first administrator. See catalog_suite_base.h.
#include <algorithm>
#include <string>
#include <vector>

#include "catalog/access_catalog.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/sign_in_suite_base.h"
#include "catalog/token_catalog.h"
#include "domain/sign_in_record.h"
#include "domain/visibility.h"

namespace koya {
namespace {

class SetupCatalogSuite : public SignInSuiteBase {
 protected:
  void Put(const std::string& token, UnixSeconds expires_at = kSuiteNow + 100) {
    this->ExpectDone(RunTask(setup().PutSetupToken(Digest::Of(token), expires_at)));
  }
  Status MakeFirst(const std::string& token, const std::string& name = "root",
                   UnixSeconds now = kSuiteNow, std::optional<Visibility> said = std::nullopt) {
    AccountRecord root = SampleAccount(name);
    root.admin = true;
    return RunTask(setup().SetUp(Tester(), Digest::Of(token), std::move(root), "hash", said, now));
  }
};
INSTANTIATE_CATALOG_SUITE(SetupCatalogSuite);

TEST_P(SetupCatalogSuite, TheTokenMakesTheAdministratorOnce) {
  this->ExpectFails(this->MakeFirst("token"), ErrorKind::kNotFound, "this set-up token");
  this->Put("token");
  EXPECT_EQ(this->News(), Texts{});
  EXPECT_TRUE(this->MakeFirst("token"));
  EXPECT_EQ(this->News(), Texts{"access"});
  AccountRecord root = SampleAccount("root");
  root.admin = true;
  EXPECT_EQ(RunTask(passwords().FindPassword("ROOT")), (PasswordRecord{root, "hash"}));
  EXPECT_EQ(RunTask(accounts().HasAdministrator()), true);
  this->ExpectFails(this->MakeFirst("token", "other"), ErrorKind::kNotFound, "was already used");
}

TEST_P(SetupCatalogSuite, WhatWasSaidOfNewNamespacesIsKeptWithTheAdministrator) {
  EXPECT_EQ(RunTask(setup().FindDefaultVisibility()).value(), std::nullopt);
  this->Put("token");
  EXPECT_FALSE(this->MakeFirst("another", "root", kSuiteNow, Visibility::kPublic));
  EXPECT_EQ(RunTask(setup().FindDefaultVisibility()).value(), std::nullopt);
  EXPECT_TRUE(this->MakeFirst("token", "root", kSuiteNow, Visibility::kPrivate));
  EXPECT_EQ(RunTask(setup().FindDefaultVisibility()).value(), Visibility::kPrivate);
}

TEST_P(SetupCatalogSuite, OnlyTheLastTokenCountsUntilItsEnd) {
  this->Put("first", kSuiteNow + 1000);
  this->Put("last", kSuiteNow + 100);
  struct Case {
    const char* token;
    UnixSeconds now;
  };
  const Case kRefused[] = {
      {"first", kSuiteNow}, {"", kSuiteNow}, {"last", kSuiteNow + 100}, {"last", kSuiteNow + 500}};
  for (const Case& c : kRefused) {
    EXPECT_EQ(CatalogErrorOf(this->MakeFirst(c.token, "root", c.now)), ErrorKind::kNotFound)
        << c.token;
  }
  EXPECT_EQ(RunTask(accounts().HasAdministrator()), false);
  EXPECT_TRUE(this->MakeFirst("last", "root", kSuiteNow + 99));
}

TEST_P(SetupCatalogSuite, ATokenThatWasRemovedIsGone) {
  EXPECT_TRUE(RunTask(setup().RemoveSetupToken())) << "there is none";
  this->Put("token");
  EXPECT_TRUE(RunTask(setup().RemoveSetupToken()));
  EXPECT_EQ(CatalogErrorOf(this->MakeFirst("token")), ErrorKind::kNotFound);
}

TEST_P(SetupCatalogSuite, WhereSomebodyMayDoEverythingNothingIsSetUp) {
  this->Put("token");
  this->AddToken(UnlimitedToken());
  this->ExpectFails(this->MakeFirst("token"), ErrorKind::kConflict, "already has an administrator");
  this->AddAdministrator("ann");
  EXPECT_TRUE(RunTask(tokens().RevokeToken(Tester(), "root", UnlimitedToken().secret)));
  this->ExpectFails(this->MakeFirst("token"), ErrorKind::kConflict, "already has an administrator");
  EXPECT_EQ(CatalogErrorOf(this->Find("root")), ErrorKind::kNotFound);
}

TEST_P(SetupCatalogSuite, WhatIsRefusedLeavesTheToken) {
  this->Put("token");
  this->AddUser("Ann");
  this->News();
  this->ExpectFails(this->MakeFirst("token", "ann"), ErrorKind::kConflict, "choose another name");
  for (const std::string& text : kUnstorable) {
    EXPECT_EQ(CatalogErrorOf(this->MakeFirst("token", text)), ErrorKind::kInvalid);
    auto status = RunTask(setup().SetUp(Tester(), Digest::Of("token"), SampleAccount("root"), text,
                                        std::nullopt, kSuiteNow));
    this->ExpectFails(status, ErrorKind::kInvalid, "the hash of the password");
  }
  EXPECT_EQ(CatalogErrorOf(this->Find("root")), ErrorKind::kNotFound);
  EXPECT_EQ(this->News(), Texts{});
  EXPECT_TRUE(this->MakeFirst("token"));
}

}  // namespace
}  // namespace koya
