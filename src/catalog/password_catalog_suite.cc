// What every catalog must do: passwords, and the first administrator. See catalog_suite_base.h.
#include <algorithm>
#include <string>
#include <vector>

#include "catalog/access_catalog.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/sign_in_suite_base.h"
#include "catalog/token_catalog.h"
#include "domain/access.h"
#include "domain/credential_record.h"

namespace koya {
namespace {

class PasswordCatalogSuite : public SignInSuiteBase {};
INSTANTIATE_CATALOG_SUITE(PasswordCatalogSuite);

TEST_P(PasswordCatalogSuite, APasswordIsOfAUser) {
  this->AddUser("Ann");
  this->AddUser("bob");
  this->AddService("ann");
  EXPECT_EQ(RunTask(passwords().FindPassword("ann")),
            (PasswordRecord{SampleAccount("Ann"), std::nullopt}));
  this->News();
  this->SetPassword("ANN", "$argon2id$v=19$m=32768,t=3,p=1$c2FsdA$aGFzaA");
  EXPECT_EQ(this->News(), Texts{"access"});
  for (const char* name : {"Ann", "ann", "aNN"}) {
    EXPECT_EQ(this->PasswordOf(name), "$argon2id$v=19$m=32768,t=3,p=1$c2FsdA$aGFzaA") << name;
  }
  EXPECT_EQ(this->PasswordOf("bob"), "none");
  this->SetPassword("ann", "another");
  EXPECT_EQ(this->PasswordOf("ann"), "another");
  this->SetPassword("ann", std::nullopt);
  this->SetPassword("ann", std::nullopt);
  EXPECT_EQ(this->PasswordOf("ann"), "none");
}

TEST_P(PasswordCatalogSuite, NobodyElseHasOne) {
  this->AddUser("ann");
  this->AddService("robot");
  this->News();
  Texts names = kUnowned;
  names.insert(names.end(), kUnstorable.begin(), kUnstorable.end());
  names.emplace_back("robot");
  for (const std::string& name : names) {
    this->ExpectFails(RunTask(passwords().FindPassword(name)), ErrorKind::kNotFound,
                      "there is no user named");
    this->ExpectFails(RunTask(passwords().SetPassword(Tester(), name, "hash", "")),
                      ErrorKind::kNotFound, "there is no user named");
    EXPECT_EQ(CatalogErrorOf(RunTask(passwords().SetPassword(Tester(), name, std::nullopt, ""))),
              ErrorKind::kNotFound);
  }
  for (const std::string& text : kUnstorable) {
    for (auto& failed : {RunTask(passwords().SetPassword(Tester(), "ann", text, "")),
                         RunTask(passwords().SetPassword(Tester(), "ann", "hash", text)),
                         RunTask(passwords().RenewHash("ann", "hash", text))}) {
      this->ExpectFails(failed, ErrorKind::kInvalid, "must be UTF-8");
    }
  }
  EXPECT_EQ(this->PasswordOf("ann"), "none");
  EXPECT_EQ(this->News(), Texts{});
}

TEST_P(PasswordCatalogSuite, ANewPasswordEndsTheSessionsButTheOneThatIsKept) {
  struct Case {
    const char* kept;
    Texts left;
  };
  const Case kCases[] = {{"", {"of bob"}},
                         {"id of session 2", {"2", "of bob"}},
                         {"id of session of bob", {"of bob"}},
                         {"%", {"of bob"}}};
  for (const char* user : {"ann", "bob"}) this->AddUser(user);
  for (const Case& c : kCases) {
    for (const std::optional<std::string>& hash :
         {std::optional<std::string>("hash"), std::optional<std::string>()}) {
      SCOPED_TRACE(c.kept);
      for (const char* name : {"1", "2", "3"}) this->AddSession(SampleSession(name, "ann"));
      this->AddSession(SampleSession("of bob", "bob"));
      this->SetPassword("ann", hash, c.kept);
      EXPECT_EQ(this->AllSessions(), c.left);
      for (const char* user : {"ann", "bob"}) {
        EXPECT_TRUE(RunTask(sessions().EndSessionsOf(Tester(), user)));
      }
    }
  }
}

TEST_P(PasswordCatalogSuite, AHashIsRenewedWhileItIsTheSame) {
  for (const char* user : {"ann", "bob", "carol"}) this->AddUser(user);
  for (const char* user : {"ann", "bob"}) this->SetPassword(user, "cheap");
  this->AddSession(SampleSession("1", "ann"));
  this->News();
  EXPECT_TRUE(RunTask(passwords().RenewHash("ANN", "cheap", "dear")));
  EXPECT_EQ(this->PasswordOf("ann"), "dear");
  Texts nobodys = kUnowned;
  nobodys.insert(nobodys.end(), kUnstorable.begin(), kUnstorable.end());
  nobodys.emplace_back("carol");
  for (const std::string& name : nobodys) {
    EXPECT_TRUE(RunTask(passwords().RenewHash(name, "cheap", "x"))) << name;
  }
  for (const std::string& old : Texts{"cheap", "", "dea_", "%", "\xff"}) {
    EXPECT_TRUE(RunTask(passwords().RenewHash("ann", old, "x"))) << old;
  }
  EXPECT_EQ(this->PasswordOf("ann"), "dear") << "it was another one by then";
  EXPECT_EQ(this->PasswordOf("bob"), "cheap");
  EXPECT_EQ(this->PasswordOf("carol"), "none");
  EXPECT_EQ(this->AllSessions(), Texts{"1"});
  EXPECT_EQ(this->News(), Texts{}) << "it is the same password";
}

class SetupCatalogSuite : public SignInSuiteBase {
 protected:
  void Put(const std::string& token, UnixSeconds expires_at = kSuiteNow + 100) {
    this->ExpectDone(RunTask(setup().PutSetupToken(Digest::Of(token), expires_at)));
  }
  Status MakeFirst(const std::string& token, const std::string& name = "root",
                   UnixSeconds now = kSuiteNow, SetupChoices said = {}) {
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

TEST_P(SetupCatalogSuite, ChoicesAreStoredWithTheAdministrator) {
  EXPECT_EQ(RunTask(setup().FindChoices()).value(), SetupChoices());
  this->Put("token");
  EXPECT_FALSE(this->MakeFirst("another", "root", kSuiteNow, {Visibility::kPublic, "Other"}));
  EXPECT_FALSE(this->MakeFirst("token", "root", kSuiteNow, {std::nullopt, "\xff"}));
  EXPECT_EQ(RunTask(setup().FindChoices()).value(), SetupChoices());
  const SetupChoices chosen{Visibility::kPrivate, "Kumo 雲 registry"};
  EXPECT_TRUE(this->MakeFirst("token", "root", kSuiteNow, chosen));
  EXPECT_EQ(RunTask(setup().FindChoices()).value(), chosen);
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
                                        SetupChoices{}, kSuiteNow));
    this->ExpectFails(status, ErrorKind::kInvalid, "the hash of the password");
  }
  EXPECT_EQ(CatalogErrorOf(this->Find("root")), ErrorKind::kNotFound);
  EXPECT_EQ(this->News(), Texts{});
  EXPECT_TRUE(this->MakeFirst("token"));
}

}  // namespace

}  // namespace koya
