// What every catalog must do: sign-in providers, and who their subjects are. See
// catalog_suite_base.h.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "catalog/access_catalog.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/sign_in_suite_base.h"
#include "domain/credential_record.h"
#include "domain/identity_record.h"

namespace koya {
namespace {

class IdentityCatalogSuite : public SignInSuiteBase {
 protected:
  Result<IdentityProviderRecord> FindProvider(const std::string& name) {
    return RunTask(identities().FindIdentityProvider(name));
  }
  Texts ProviderNames() {
    Texts names;
    for (const auto& each : RunTask(identities().ListIdentityProviders()).value()) {
      names.push_back(each.name);
    }
    return names;
  }
};
INSTANTIATE_CATALOG_SUITE(IdentityCatalogSuite);

TEST_P(IdentityCatalogSuite, AProviderComesBackAsItWas) {
  for (const char* group : {"Dev", "ops"}) this->AddGroup(group);
  this->News();
  IdentityProviderRecord full = SampleIdentityProvider("Okta");
  full.groups = {{"z/admins", "ops"}, {"größe, 'quotes' 豆腐", "Dev"}, {"z/admins", "Dev"}};
  IdentityProviderRecord plain = SampleIdentityProvider("gitlab");
  plain.sealed_secret = "";
  plain.groups_claim = "";
  this->AddIdentityProvider(full);
  this->AddIdentityProvider(plain);
  EXPECT_EQ(this->News(), (Texts{"access", "access"}));
  for (const char* name : {"Okta", "okta", "OKTA"}) EXPECT_EQ(this->FindProvider(name), full);
  EXPECT_EQ(RunTask(identities().ListIdentityProviders()),
            (std::vector<IdentityProviderRecord>{plain, full}));
}

TEST_P(IdentityCatalogSuite, OurGroupsAreNamedAsTheyAreAndGoFromTheProviderToo) {
  for (const char* group : {"Dev", "ops"}) this->AddGroup(group);
  IdentityProviderRecord provider = SampleIdentityProvider("okta");
  provider.groups = {{"theirs", "dEV"}, {"others", "OPS"}};
  this->AddIdentityProvider(provider);
  provider.groups = {{"theirs", "Dev"}, {"others", "ops"}};
  EXPECT_EQ(this->FindProvider("okta"), provider);
  EXPECT_TRUE(RunTask(accounts().RemoveGroup(Tester(), "dev")));
  provider.groups = {{"others", "ops"}};
  EXPECT_EQ(this->FindProvider("okta"), provider);
  EXPECT_TRUE(RunTask(accounts().RemoveGroup(Tester(), "ops")));
  provider.groups = {};
  EXPECT_EQ(this->FindProvider("okta"), provider);
}

TEST_P(IdentityCatalogSuite, WhatIsNoProviderIsRefused) {
  this->AddGroup("dev");
  this->AddIdentityProvider(SampleIdentityProvider("Okta"));
  this->News();
  for (const char* name : {"Okta", "okta", "OKTA"}) {
    this->ExpectFails(
        RunTask(identities().AddIdentityProvider(Tester(), SampleIdentityProvider(name))),
        ErrorKind::kConflict, "choose another name");
  }
  for (const std::string& group : Texts{"nobody", "", "%", "de_", "\xff"}) {
    IdentityProviderRecord provider = SampleIdentityProvider("new");
    provider.groups = {{"theirs", "dev"}, {"others", group}};
    this->ExpectFails(RunTask(identities().AddIdentityProvider(Tester(), provider)),
                      ErrorKind::kNotFound, "there is no group named");
  }
  for (const std::string& text : kUnstorable) {
    for (std::string IdentityProviderRecord::* field :
         {&IdentityProviderRecord::name, &IdentityProviderRecord::issuer,
          &IdentityProviderRecord::client_id, &IdentityProviderRecord::sealed_secret,
          &IdentityProviderRecord::groups_claim, &IdentityProviderRecord::created_by}) {
      IdentityProviderRecord provider = SampleIdentityProvider("new");
      provider.*field = text;
      this->ExpectFails(RunTask(identities().AddIdentityProvider(Tester(), provider)),
                        ErrorKind::kInvalid, "must be UTF-8");
    }
    IdentityProviderRecord provider = SampleIdentityProvider("new");
    provider.groups = {{text, "dev"}};
    EXPECT_EQ(CatalogErrorOf(RunTask(identities().AddIdentityProvider(Tester(), provider))),
              ErrorKind::kInvalid);
  }
  EXPECT_EQ(this->ProviderNames(), Texts{"Okta"});
  EXPECT_EQ(this->News(), Texts{});
}

TEST_P(IdentityCatalogSuite, UnknownProvidersAreNotFound) {
  this->AddIdentityProvider(SampleIdentityProvider("okta"));
  this->News();
  Texts names{"okt_", "okta ", "", "%", "nobody"};
  names.insert(names.end(), kUnstorable.begin(), kUnstorable.end());
  for (const std::string& name : names) {
    this->ExpectFails(this->FindProvider(name), ErrorKind::kNotFound,
                      "there is no sign-in provider named");
    this->ExpectFails(RunTask(identities().RemoveIdentityProvider(Tester(), name)),
                      ErrorKind::kNotFound, "there is no sign-in provider named");
    this->ExpectFails(this->SignIn(name, "1", "ann"), ErrorKind::kNotFound,
                      "there is no sign-in provider named");
    EXPECT_EQ(CatalogErrorOf(RunTask(identities().ResealIdentityProvider(
                  Tester(), SampleIdentityProvider(name), "x"))),
              ErrorKind::kConflict);
  }
  EXPECT_EQ(this->News(), Texts{});
  EXPECT_TRUE(RunTask(accounts().ListAccounts(AccountKind::kUser))->empty());
}

TEST_P(IdentityCatalogSuite, ASecretIsResealedWhileItIsTheSame) {
  IdentityProviderRecord provider = SampleIdentityProvider("Okta");
  this->AddIdentityProvider(provider);
  IdentityProviderRecord spelled = provider;
  spelled.name = "okta";
  EXPECT_TRUE(RunTask(identities().ResealIdentityProvider(Tester(), spelled, "sealed:2")));
  this->ExpectFails(RunTask(identities().ResealIdentityProvider(Tester(), provider, "sealed:3")),
                    ErrorKind::kConflict, "was removed or resealed meanwhile");
  for (const std::string& text : kUnstorable) {
    EXPECT_EQ(
        CatalogErrorOf(RunTask(identities().ResealIdentityProvider(Tester(), provider, text))),
        ErrorKind::kInvalid);
  }
  EXPECT_EQ(this->FindProvider("okta")->sealed_secret, "sealed:2");
}

TEST_P(IdentityCatalogSuite, ASubjectIsTheSameUserEveryTime) {
  this->AddIdentityProvider(SampleIdentityProvider("Okta"));
  this->AddIdentityProvider(SampleIdentityProvider("gitlab"));
  this->News();
  auto ann = this->SignIn("okta", "00u1", "ann@example.com");
  this->ExpectDone(ann);
  EXPECT_EQ(this->News(), Texts{"access"});
  EXPECT_EQ(ann->kind, AccountKind::kUser);
  EXPECT_EQ(ann->name, "ann@example.com");
  EXPECT_FALSE(ann->admin);
  EXPECT_EQ(ann->created_at, kSuiteNow);
  EXPECT_EQ(ann->created_by, "oidc:Okta");
  EXPECT_EQ(ann->disabled_at, std::nullopt);
  EXPECT_EQ(this->Find("ann@example.com"), ann);
  EXPECT_EQ(this->PasswordOf("ann@example.com"), "none");
  EXPECT_EQ(this->SignIn("OKTA", "00u1", "somebody.else"), ann) << "the name does not count";
  EXPECT_EQ(this->News(), Texts{}) << "nothing changed";
  EXPECT_TRUE(this->Disable("ann@example.com"));
  EXPECT_EQ(this->SignIn("okta", "00u1", "x")->disabled_at, kSuiteNow) << "the caller refuses";
  // Another provider's subject is another user, and so is one that differs in letter case.
  for (const char* provider : {"okta", "gitlab"}) {
    EXPECT_NE(this->SignIn(provider, "00U1", "bob")->id, ann->id);
  }
  EXPECT_NE(this->SignIn("gitlab", "00u1", "carol")->id, ann->id);
  std::set<std::string> ids;
  for (const auto& account : RunTask(accounts().ListAccounts(AccountKind::kUser)).value()) {
    ids.insert(account.id);
    EXPECT_EQ(account.id.size(), 22u) << "as auth::RandomId";
  }
  EXPECT_EQ(ids.size(), 4u);
}

TEST_P(IdentityCatalogSuite, NobodyBecomesSomebodyWhoIsThere) {
  this->AddIdentityProvider(SampleIdentityProvider("okta"));
  this->AddIdentityProvider(SampleIdentityProvider("gitlab"));
  this->AddAdministrator("Root");
  this->AddService("robot");
  for (const char* taken : {"bob", "bob-2", "Bob-4", "bob-x", "bobby", "bob.2"}) {
    this->AddUser(taken);
  }
  const std::string longest(64, 'a');
  struct Case {
    const char* provider;
    const char* subject;
    std::string wanted;
    std::string name;
  };
  const Case kCases[] = {{"okta", "1", "root", "root-2"},
                         {"okta", "2", "ROOT", "ROOT-3"},
                         {"gitlab", "1", "root-2", "root-2-2"},
                         {"okta", "3", "robot", "robot"},
                         {"okta", "4", "bob", "bob-3"},
                         {"okta", "5", "Bob", "Bob-5"},
                         {"okta", "6", "bo", "bo"},
                         {"okta", "7", longest, longest},
                         {"okta", "8", longest, longest.substr(0, 56) + "-2"},
                         {"okta", "9", longest, longest.substr(0, 56) + "-3"},
                         {"okta", "10", "b_b", "b_b"}};
  for (const Case& c : kCases) {
    EXPECT_EQ(this->NameOf(c.provider, c.subject, c.wanted), c.name) << c.wanted;
  }
  for (const Case& c : kCases) EXPECT_EQ(this->NameOf(c.provider, c.subject, "x"), c.name);
}

TEST_P(IdentityCatalogSuite, WhatNoProviderMaySayIsRefused) {
  this->AddIdentityProvider(SampleIdentityProvider("okta"));
  this->News();
  for (const std::string& subject : {std::string(), std::string(256, 'x')}) {
    this->ExpectFails(this->SignIn("okta", subject, "ann"), ErrorKind::kInvalid,
                      "does not follow OpenID Connect");
  }
  for (const std::string& text : kUnstorable) {
    EXPECT_EQ(CatalogErrorOf(this->SignIn("okta", text, "ann")), ErrorKind::kInvalid);
    EXPECT_EQ(CatalogErrorOf(this->SignIn("okta", "1", text)), ErrorKind::kInvalid);
    EXPECT_EQ(CatalogErrorOf(this->SignIn("okta", "1", "ann", {text})), ErrorKind::kInvalid);
    EXPECT_EQ(CatalogErrorOf(this->SignInWith(text, "okta", "1", "ann")), ErrorKind::kInvalid);
  }
  EXPECT_EQ(this->News(), Texts{});
  EXPECT_TRUE(this->SignIn("okta", std::string(255, 'x'), "ann"));
}

TEST_P(IdentityCatalogSuite, TheProvidersWordSaysInWhichGroupsAndOnlyThat) {
  for (const char* group : {"Dev", "ops", "hand"}) this->AddGroup(group);
  for (const char* name : {"Okta", "gitlab"}) {
    this->AddIdentityProvider(SampleIdentityProvider(name));
  }
  this->SignIn("okta", "1", "ann");
  this->AddMember("dev", "ann");
  this->AddMember("hand", "ann");
  EXPECT_TRUE(
      RunTask(accounts().AddMember(Tester(), "ops", {AccountKind::kUser, "ann", "gitlab"})));
  this->NameOf("okta", "2", "bob", {"dev"});
  this->News();
  struct Case {
    Texts said;
    Texts dev;
    Texts ops;
    bool news;
  };
  const Case kCases[] = {
      {{"dev", "ops", "nobody"},
       {"user ann by ", "user ann by Okta", "user bob by Okta"},
       {"user ann by Okta", "user ann by gitlab"},
       true},
      {{"OPS", "ops", "DEV", "%"},
       {"user ann by ", "user ann by Okta", "user bob by Okta"},
       {"user ann by Okta", "user ann by gitlab"},
       false},
      {{"ops"},
       {"user ann by ", "user bob by Okta"},
       {"user ann by Okta", "user ann by gitlab"},
       true},
      {{"dev"},
       {"user ann by ", "user ann by Okta", "user bob by Okta"},
       {"user ann by gitlab"},
       true},
      {{}, {"user ann by ", "user bob by Okta"}, {"user ann by gitlab"}, true},
      {{"nobody", "'\"\\\n"}, {"user ann by ", "user bob by Okta"}, {"user ann by gitlab"}, false}};
  for (const Case& c : kCases) {
    EXPECT_EQ(this->NameOf("OKTA", "1", "ann", c.said), "ann");
    EXPECT_EQ(this->MembersOf("dev"), c.dev);
    EXPECT_EQ(this->MembersOf("ops"), c.ops);
    EXPECT_EQ(this->MembersOf("hand"), Texts{"user ann by "});
    EXPECT_EQ(this->News(), c.news ? Texts{"access"} : Texts{});
  }
}

TEST_P(IdentityCatalogSuite, ARemovedProviderTakesWhatItSaidAlong) {
  this->AddGroup("dev");
  this->AddUser("root");
  for (const char* name : {"Okta", "gitlab"}) {
    IdentityProviderRecord provider = SampleIdentityProvider(name);
    provider.groups = {{"theirs", "dev"}};
    this->AddIdentityProvider(provider);
  }
  const AccountRecord ann = *this->SignIn("okta", "1", "ann", {"dev"});
  const AccountRecord bob = *this->SignIn("gitlab", "1", "bob", {"dev"});
  this->AddMember("dev", "ann");
  struct Case {
    const char* name;
    const AccountRecord& account;
    const char* method;
  };
  const Case kSessions[] = {{"1", ann, "oidc:Okta"},
                            {"2", ann, "oidc:okta"},
                            {"3", ann, "password"},
                            {"4", bob, "oidc:gitlab"}};
  for (const Case& c : kSessions) {
    SessionRecord session = SampleSession(c.name, c.account.name);
    session.account_id = c.account.id;
    session.method = c.method;
    this->AddSession(session);
  }
  this->News();
  EXPECT_TRUE(RunTask(identities().RemoveIdentityProvider(Tester(), "OKTA")));
  EXPECT_EQ(this->News(), Texts{"access"});
  EXPECT_EQ(this->ProviderNames(), Texts{"gitlab"});
  EXPECT_EQ(this->AllSessions(), (Texts{"3", "4"}));
  EXPECT_EQ(this->MembersOf("dev"), (Texts{"user ann by ", "user bob by gitlab"}));
  EXPECT_EQ(this->Find("ann"), ann) << "the user stays";
  EXPECT_EQ(CatalogErrorOf(this->SignIn("okta", "1", "ann")), ErrorKind::kNotFound);
  EXPECT_EQ(CatalogErrorOf(RunTask(identities().RemoveIdentityProvider(Tester(), "okta"))),
            ErrorKind::kNotFound);
  this->AddIdentityProvider(SampleIdentityProvider("okta"));
  EXPECT_EQ(this->NameOf("okta", "1", "ann"), "ann-2") << "what was said before counts no more";
}

TEST_P(IdentityCatalogSuite, ARemovedUserSignsInAsSomebodyNew) {
  this->AddGroup("dev");
  this->AddIdentityProvider(SampleIdentityProvider("okta"));
  const AccountRecord ann = *this->SignIn("okta", "1", "ann", {"dev"});
  EXPECT_TRUE(this->Remove("ann"));
  EXPECT_EQ(this->MembersOf("dev"), Texts{});
  auto again = this->SignIn("okta", "1", "ann");
  this->ExpectDone(again);
  EXPECT_EQ(again->name, "ann");
  EXPECT_NE(again->id, ann.id);
}

TEST_P(IdentityCatalogSuite, OneSubjectThatSignsInTwiceAtOnceIsOneUser) {
  this->AddGroup("dev");
  this->AddIdentityProvider(SampleIdentityProvider("okta"));
  for (int round = 0; round < 5; ++round) {
    Racers racers;
    std::vector<Result<AccountRecord>> accounts;
    for (int i = 0; i < 8; ++i) {
      IdentityClaim claim{.provider = "okta",
                          .subject = std::to_string(round) + "/" + std::to_string(i % 2),
                          .wanted_name = "ann",
                          .groups = {"dev"}};
      racers.Add(identities().RecordIdentity(Tester(), std::move(claim), kSuiteNow), &accounts);
    }
    racers.Run();
    std::set<std::string> ids;
    for (const auto& each : accounts) {
      this->ExpectDone(each);
      if (each) ids.insert(each->id);
    }
    EXPECT_EQ(ids.size(), 2u);
  }
  EXPECT_EQ(this->MembersOf("dev").size(), 10u);
}

TEST_P(IdentityCatalogSuite, ProvidersAreEnabledAndDisabled) {
  IdentityProviderRecord okta = SampleIdentityProvider("Okta");
  okta.enabled = false;
  this->AddIdentityProvider(okta);
  auto enabled = [this] {
    auto found = RunTask(identities().FindIdentityProvider("okta"));
    this->ExpectDone(found);
    return found && found->enabled;
  };
  EXPECT_FALSE(enabled());
  for (bool wanted : {true, true, false}) {
    this->ExpectDone(RunTask(identities().SetProviderEnabled(Tester(), "OKTA", wanted)));
    EXPECT_EQ(enabled(), wanted);
  }
  for (const std::string& none : {std::string("none"), std::string("\xff"), std::string()}) {
    auto missing = RunTask(identities().SetProviderEnabled(Tester(), none, true));
    ASSERT_FALSE(missing) << none;
    EXPECT_EQ(missing.error().kind, ErrorKind::kNotFound) << none;
  }
}

}  // namespace
}  // namespace koya
