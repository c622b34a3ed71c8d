// What every catalog must do: passwords. See catalog_suite_base.h.
#include <string>
#include <vector>

#include "catalog/sign_in_catalog.h"
#include "catalog/sign_in_suite_base.h"
#include "domain/sign_in_record.h"

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

}  // namespace
}  // namespace koya
