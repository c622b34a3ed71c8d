// What every catalog must do: the audit log of how people come in. See catalog_suite_base.h.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "catalog/audit_catalog.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/sign_in_suite_base.h"
#include "domain/credential_record.h"
#include "domain/identity_record.h"

namespace koya {
namespace {

// An entry in one line: "user:tester: token.create user:ann {before} -> {after}".
std::string AuditLine(const AuditRecord& record) {
  const AuditEntry& entry = record.entry;
  return fmt::format("{}: {} {} [{}] {}->{}", entry.by.name, entry.action, entry.target, entry.ns,
                     entry.before, entry.after);
}

class SignInAuditSuite : public SignInSuiteBase {
 protected:
  // Entries written since the last call, oldest first.
  Texts Lines() {
    Texts lines;
    auto records = RunTask(audit().ListAudit({}, 1000));
    this->ExpectDone(records);
    for (const AuditRecord& record : records.value_or(std::vector<AuditRecord>())) {
      if (record.id <= seen_) break;
      EXPECT_EQ(record.entry.by.request_id, Tester().request_id) << record.entry.action;
      lines.insert(lines.begin(), AuditLine(record));
    }
    if (records && !records->empty()) seen_ = records->front().id;
    return lines;
  }

 private:
  std::int64_t seen_ = 0;
};
INSTANTIATE_CATALOG_SUITE(SignInAuditSuite);

TEST_P(SignInAuditSuite, PasswordsAndSessions) {
  this->AddUser("Ann");
  this->Lines();
  this->AddSession(SampleSession("1", "Ann"));
  const std::string session =
      R"({"session":"id of session 1","method":"password","expires":"2023-11-14T22:15:00Z"})";
  EXPECT_EQ(this->Lines(), Texts{"user:Ann: session.start user:Ann [] ->" + session})
      << "whoever signs in is who it is from then on";
  EXPECT_FALSE(RunTask(sessions().AddSession(Tester(), SampleSession("1", "Ann"))));
  EXPECT_FALSE(RunTask(sessions().AddSession(Tester(), SampleSession("2", "nobody"))));
  const std::string id = "id of session 1";
  EXPECT_FALSE(RunTask(sessions().EndSession(Tester(), id, "of somebody else")));
  EXPECT_TRUE(RunTask(sessions().EndSession(Tester(), id, "")));
  EXPECT_FALSE(RunTask(sessions().EndSession(Tester(), id, "")));
  EXPECT_EQ(this->Lines(), Texts{"user:tester: session.end user:Ann [] " + session + "->"});
  EXPECT_EQ(RunTask(sessions().EndSessionsOf(Tester(), "ann")), 0U) << "no change";
  for (const char* name : {"2", "3"}) this->AddSession(SampleSession(name, "Ann"));
  this->Lines();
  EXPECT_EQ(RunTask(sessions().EndSessionsOf(Tester(), "ann")), 2U);
  EXPECT_EQ(this->Lines(), Texts{R"(user:tester: session.end user:Ann [] {"sessions":2}->)"});
  this->AddSession(SampleSession("4", "Ann"));
  this->Lines();
  this->SetPassword("ann", "$argon2id$secret");
  this->SetPassword("ann", std::nullopt);
  EXPECT_FALSE(RunTask(passwords().SetPassword(Tester(), "nobody", "hash", "")));
  EXPECT_TRUE(RunTask(passwords().RenewHash("ann", "$argon2id$secret", "dear")));
  EXPECT_EQ(this->Lines(),
            (Texts{R"(user:tester: password.set user:Ann [] ->{"sessions_ended":1})",
                   R"(user:tester: password.remove user:Ann [] ->{"sessions_ended":0})"}));
}

TEST_P(SignInAuditSuite, TheFirstAdministrator) {
  AccountRecord root = SampleAccount("Root");
  root.admin = true;
  const Digest token = Digest::Of("token");
  ASSERT_TRUE(RunTask(setup().PutSetupToken(token, kSuiteNow + 100)));
  EXPECT_FALSE(RunTask(
      setup().SetUp(Tester(), Digest::Of("another"), root, "hash", SetupChoices{}, kSuiteNow)));
  EXPECT_TRUE(RunTask(setup().SetUp(Tester(), token, root, "hash", SetupChoices{}, kSuiteNow)));
  EXPECT_EQ(this->Lines(),
            Texts{fmt::format("user:tester: account.create user:Root [] ->"
                              R"({{"id":"{}","admin":"yes","with":"the set-up token"}})",
                              root.id)});
}

TEST_P(SignInAuditSuite, ProvidersAndWhatTheySayOfPeople) {
  this->AddGroup("Dev");
  this->AddGroup("ops");
  IdentityProviderRecord okta = SampleIdentityProvider("Okta");
  okta.groups = {{"developers", "Dev"}, {"operators", "ops"}};
  this->Lines();
  this->AddIdentityProvider(okta);
  EXPECT_FALSE(RunTask(identities().AddIdentityProvider(Tester(), okta)));
  const std::string facts =
      R"("issuer":"https://login.example.com/größe","client_id":"koya's","secret":"yes",)"
      R"("groups_claim":"groups","groups":["developers=Dev","operators=ops"])";
  EXPECT_EQ(this->Lines(), Texts{"user:tester: idp.add idp:Okta [] ->{" + facts + "}"});

  auto ann = this->SignIn("okta", "subject 1", "ann", {"dev", "none"});
  ASSERT_TRUE(ann);
  const std::string in_dev = R"({"member":"user:ann","idp":"Okta"})";
  EXPECT_EQ(this->Lines(), (Texts{fmt::format("user:ann: account.create user:ann [] ->"
                                              R"({{"id":"{}","idp":"Okta","subject":"subject 1"}})",
                                              ann->id),
                                  "user:ann: group.add group:Dev [] ->" + in_dev}));
  EXPECT_TRUE(this->SignIn("okta", "subject 1", "ann", {"DEV"}));
  EXPECT_EQ(this->Lines(), Texts{}) << "nothing changed";
  EXPECT_TRUE(this->SignIn("okta", "subject 1", "ann", {"ops"}));
  EXPECT_EQ(this->Lines(), (Texts{"user:ann: group.add group:ops [] ->" + in_dev,
                                  "user:ann: group.remove group:Dev [] " + in_dev + "->"}));
  EXPECT_FALSE(this->SignIn("nobody", "subject 1", "ann"));
  EXPECT_FALSE(this->SignInWith("a@b.example", "nobody", "subject 1", "ann"));
  EXPECT_EQ(this->Lines(), Texts{});

  okta = *RunTask(identities().FindIdentityProvider("okta"));
  EXPECT_TRUE(RunTask(identities().ResealIdentityProvider(Tester(), okta, "sealed:2")));
  EXPECT_FALSE(RunTask(identities().ResealIdentityProvider(Tester(), okta, "sealed:3")));
  SessionRecord session = SampleSession("1", "ann");
  session.account_id = ann->id;
  session.method = "oidc:Okta";
  this->AddSession(session);
  this->Lines();
  EXPECT_TRUE(RunTask(identities().RemoveIdentityProvider(Tester(), "OKTA")));
  EXPECT_FALSE(RunTask(identities().RemoveIdentityProvider(Tester(), "okta")));
  EXPECT_EQ(this->Lines(), Texts{"user:tester: idp.remove idp:Okta [] {" + facts +
                                 R"(,"memberships":1,"sessions":1}->)"});
}

TEST_P(SignInAuditSuite, TheAddressesThatProvidersSay) {
  this->AddIdentityProvider(SampleIdentityProvider("Okta"));
  this->Lines();
  auto ann = this->SignInWith("ann@a.example", "okta", "1", "ann");
  ASSERT_TRUE(ann);
  EXPECT_EQ(
      this->Lines(),
      Texts{fmt::format("user:ann: account.create user:ann [] ->{{\"id\":\"{}\",\"idp\":\"Okta\","
                        "\"subject\":\"1\",\"email\":\"ann@a.example\"}}",
                        ann->id)});
  EXPECT_TRUE(this->SignInWith("ann@a.example", "okta", "1", "ann"));
  EXPECT_EQ(this->Lines(), Texts{}) << "nothing changed";
  EXPECT_TRUE(this->SignInWith("ann@b.example", "okta", "1", "ann"));
  EXPECT_TRUE(this->SignInWith("", "okta", "1", "ann"));
  EXPECT_TRUE(this->SignInWith("ann@b.example", "okta", "1", "ann"));
  const std::string change = "user:ann: account.email user:ann [] ";
  const std::string at_a = R"({"email":"ann@a.example"})", at_b = R"({"email":"ann@b.example"})";
  EXPECT_EQ(this->Lines(),
            (Texts{change + at_a + "->" + at_b, change + at_b + "->", change + "->" + at_b}));
}

TEST_P(SignInAuditSuite, ResealingLeavesTheSecretOut) {
  this->AddIdentityProvider(SampleIdentityProvider("okta"));
  this->Lines();
  EXPECT_TRUE(RunTask(
      identities().ResealIdentityProvider(Tester(), SampleIdentityProvider("okta"), "sealed:2")));
  EXPECT_EQ(this->Lines(), Texts{"user:tester: idp.reseal idp:okta [] ->"});
}

TEST_P(SignInAuditSuite, Trust) {
  this->AddNamespace("Acme");
  this->Lines();
  EXPECT_TRUE(RunTask(trust().AddTrust(Tester(), SampleTrust("1", "ACME"))));
  EXPECT_FALSE(RunTask(trust().AddTrust(Tester(), SampleTrust("2", "acme")))) << "the same";
  const std::string facts =
      R"({"issuer":"https://ci.example.com","rules":["repository=acme/modules","ref=refs/tags/*"]})";
  EXPECT_EQ(this->Lines(), Texts{"user:tester: trust.add trust:1 [acme] ->" + facts});
  EXPECT_FALSE(RunTask(trust().RemoveTrust(Tester(), "acme", "2")));
  EXPECT_TRUE(RunTask(trust().RemoveTrust(Tester(), "aCME", "1")));
  EXPECT_EQ(this->Lines(), Texts{"user:tester: trust.remove trust:1 [acme] " + facts + "->"});
}

}  // namespace
}  // namespace koya
