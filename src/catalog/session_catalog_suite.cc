// What every catalog must do: sessions of browsers, and codes that clients exchange. See
// catalog_suite_base.h.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "catalog/access_catalog.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/sign_in_suite_base.h"
#include "domain/credential_record.h"
#include "domain/use.h"

namespace koya {
namespace {

class SessionCatalogSuite : public SignInSuiteBase {
 protected:
  Result<SessionRecord> FindSession(const std::string& name) {
    return RunTask(sessions().FindSession(Digest::Of("cookie of " + name)));
  }
  Result<SessionRecord> FindByStart(const std::string& name, std::size_t altered = 16) {
    std::array<std::byte, 16> start{};
    const Digest digest = Digest::Of("cookie of " + name);
    std::ranges::copy_n(std::as_bytes(std::span(digest.bytes())).begin(), start.size(),
                        start.begin());
    if (altered < start.size()) start[altered] ^= std::byte{1};
    return RunTask(sessions().FindSessionByStart(start));
  }
  Status End(const std::string& name, const std::string& account_id = "") {
    return RunTask(sessions().EndSession(Tester(), "id of session " + name, account_id));
  }
};
INSTANTIATE_CATALOG_SUITE(SessionCatalogSuite);

TEST_P(SessionCatalogSuite, ASessionComesBackAsItWas) {
  this->AddUser("Ann");
  this->AddIdentityProvider(SampleIdentityProvider("Okta"));
  this->News();
  SessionRecord plain = SampleSession("1", "Ann");
  SessionRecord full = SampleSession("2", "Ann");
  full.method = "oidc:okta";
  full.address = "";
  full.user_agent = "";
  full.last_used_at = kSuiteNow + 5;
  full.user = "whatever";
  this->AddSession(plain);
  this->AddSession(full);
  full.user = "Ann";
  EXPECT_EQ(this->FindSession("1"), plain);
  EXPECT_EQ(this->FindByStart("1"), plain);
  EXPECT_EQ(this->FindSession("2"), full);
  EXPECT_EQ(this->FindByStart("2"), full);
  EXPECT_EQ(RunTask(sessions().ListSessions("", kSuiteNow)),
            (std::vector<SessionRecord>{plain, full}));
  EXPECT_EQ(this->News(), Texts{}) << "nobody knows of it yet, so nobody has to forget";
}

TEST_P(SessionCatalogSuite, WhatIsNoSessionIsNotFound) {
  this->AddUser("ann");
  this->AddSession(SampleSession("1", "ann"));
  for (const char* name : {"2", "", "1 "}) {
    this->ExpectFails(this->FindSession(name), ErrorKind::kNotFound, "this session is unknown");
    EXPECT_EQ(CatalogErrorOf(this->FindByStart(name)), ErrorKind::kNotFound) << name;
  }
  for (std::size_t altered : {0, 7, 15}) {
    EXPECT_EQ(CatalogErrorOf(this->FindByStart("1", altered)), ErrorKind::kNotFound) << altered;
  }
  EXPECT_EQ(this->FindSession("1"), SampleSession("1", "ann"));
}

TEST_P(SessionCatalogSuite, ASessionIsOfAnAccountAndMaybeAProviderThatAreThere) {
  this->AddUser("ann");
  this->AddIdentityProvider(SampleIdentityProvider("okta"));
  SessionRecord session = SampleSession("1", "nobody");
  for (const std::string& id : Texts{session.account_id, "", "ann", "%", "\xff"}) {
    session.account_id = id;
    this->ExpectFails(RunTask(sessions().AddSession(Tester(), session)), ErrorKind::kNotFound,
                      "the account of the session does not exist");
  }
  session = SampleSession("1", "ann");
  for (const char* method : {"oidc:", "oidc:other", "oidc:okta ", "oidc:%"}) {
    session.method = method;
    this->ExpectFails(RunTask(sessions().AddSession(Tester(), session)), ErrorKind::kNotFound,
                      "there is no sign-in provider named");
  }
  for (const std::string& text : kUnstorable) {
    for (std::string SessionRecord::* field :
         {&SessionRecord::id, &SessionRecord::method, &SessionRecord::address,
          &SessionRecord::user_agent}) {
      SessionRecord strange = SampleSession("1", "ann");
      strange.*field = text;
      this->ExpectFails(RunTask(sessions().AddSession(Tester(), strange)), ErrorKind::kInvalid,
                        "must be UTF-8");
    }
  }
  EXPECT_EQ(this->AllSessions(), Texts{});
  this->AddSession(SampleSession("1", "ann"));
  for (bool id : {true, false}) {
    SessionRecord again = SampleSession("2", "ann");
    if (id) again.id = SampleSession("1", "ann").id;
    if (!id) again.secret = SampleSession("1", "ann").secret;
    EXPECT_EQ(CatalogErrorOf(RunTask(sessions().AddSession(Tester(), again))),
              ErrorKind::kConflict);
  }
  EXPECT_EQ(this->AllSessions(), Texts{"1"});
}

TEST_P(SessionCatalogSuite, SessionsAreListedNewestFirst) {
  for (const char* user : {"ann", "bob"}) this->AddUser(user);
  struct Case {
    const char* name;
    const char* user;
    UnixSeconds created_at;
    UnixSeconds expires_at;
  };
  const Case kCases[] = {{"old", "ann", 1, kSuiteNow + 1},   {"b", "bob", 3, kSuiteNow + 9},
                         {"a", "ann", 3, kSuiteNow + 9},     {"newest", "ann", 9, kSuiteNow + 9},
                         {"ends now", "ann", 10, kSuiteNow}, {"ended", "bob", 11, kSuiteNow - 5},
                         {"later", "bob", 5, kSuiteNow + 99}};
  for (const Case& c : kCases) {
    SessionRecord session = SampleSession(c.name, c.user);
    session.created_at = c.created_at;
    session.expires_at = c.expires_at;
    this->AddSession(session);
  }
  const std::string ann = SampleAccount("ann").id;
  EXPECT_EQ(this->AllSessions(), (Texts{"newest", "later", "a", "b", "old"}));
  EXPECT_EQ(this->SessionsOf(ann), (Texts{"newest", "a", "old"}));
  EXPECT_EQ(this->SessionsOf(ann, kSuiteNow + 1), (Texts{"newest", "a"}));
  EXPECT_EQ(this->SessionsOf(ann, kSuiteNow - 1), (Texts{"ends now", "newest", "a", "old"}));
  for (const std::string& id : Texts{"ann", "%", "\xff"}) {
    EXPECT_EQ(this->SessionsOf(id), Texts{}) << id;
  }
  EXPECT_EQ(this->FindSession("ended")->expires_at, kSuiteNow - 5) << "found all the same";
}

TEST_P(SessionCatalogSuite, ASessionIsEndedByItsAccountOrByWhoMayEndAll) {
  for (const char* user : {"ann", "bob"}) this->AddUser(user);
  for (const char* name : {"1", "2", "3"}) this->AddSession(SampleSession(name, "ann"));
  this->AddSession(SampleSession("of bob", "bob"));
  const std::string ann = SampleAccount("ann").id;
  const std::string bob = SampleAccount("bob").id;
  this->News();
  this->ExpectFails(this->End("1", bob), ErrorKind::kNotFound, "there is no session");
  for (const std::string& text : Texts{"9", "", "%", "\xff"}) {
    EXPECT_EQ(CatalogErrorOf(this->End(text)), ErrorKind::kNotFound) << text;
    EXPECT_EQ(CatalogErrorOf(this->End("1", text + " ")), ErrorKind::kNotFound) << text;
  }
  EXPECT_EQ(this->News(), Texts{});
  EXPECT_TRUE(this->End("1", ann));
  EXPECT_TRUE(this->End("of bob"));
  EXPECT_EQ(this->News(), (Texts{"access", "access"}));
  EXPECT_EQ(CatalogErrorOf(this->End("1", ann)), ErrorKind::kNotFound) << "again";
  EXPECT_EQ(this->AllSessions(), (Texts{"2", "3"}));
  EXPECT_EQ(CatalogErrorOf(this->FindSession("1")), ErrorKind::kNotFound);
}

TEST_P(SessionCatalogSuite, AllOfAUserEnd) {
  for (const char* user : {"ann", "bob"}) this->AddUser(user);
  this->AddService("robot");
  for (const char* name : {"1", "2", "3"}) this->AddSession(SampleSession(name, "ann"));
  this->AddSession(SampleSession("of bob", "bob"));
  this->News();
  Texts names = kUnowned;
  names.insert(names.end(), kUnstorable.begin(), kUnstorable.end());
  names.emplace_back("robot");
  for (const std::string& name : names) {
    this->ExpectFails(RunTask(sessions().EndSessionsOf(Tester(), name)), ErrorKind::kNotFound,
                      "there is no user named");
  }
  EXPECT_EQ(RunTask(sessions().EndSessionsOf(Tester(), "ANN")), 3u);
  EXPECT_EQ(this->News(), Texts{"access"});
  EXPECT_EQ(RunTask(sessions().EndSessionsOf(Tester(), "ann")), 0u);
  EXPECT_EQ(this->News(), Texts{}) << "nothing ended";
  EXPECT_EQ(this->AllSessions(), Texts{"of bob"});
}

TEST_P(SessionCatalogSuite, AUseIsNotedAtMostOnceAMinute) {
  this->AddUser("ann");
  for (const char* name : {"1", "2"}) this->AddSession(SampleSession(name, "ann"));
  this->News();
  struct Case {
    UnixSeconds at;
    UnixSeconds noted;
  };
  const Case kCases[] = {{kSuiteNow, kSuiteNow},
                         {kSuiteNow + 1, kSuiteNow},
                         {kSuiteNow + 59, kSuiteNow},
                         {kSuiteNow + 60, kSuiteNow + 60},
                         {kSuiteNow + 100, kSuiteNow + 60},
                         {kSuiteNow + 121, kSuiteNow + 121}};
  const std::vector<Use> kNoUse;
  EXPECT_TRUE(RunTask(sessions().TouchSessions(kNoUse)));
  for (const Case& c : kCases) {
    std::vector<Use> uses{{Digest::Of("cookie of 1"), c.at}, {Digest::Of("unknown"), c.at}};
    ASSERT_TRUE(RunTask(sessions().TouchSessions(uses)));
    EXPECT_EQ(this->FindSession("1")->last_used_at, c.noted);
  }
  EXPECT_EQ(this->FindSession("2")->last_used_at, std::nullopt);
  EXPECT_EQ(this->News(), Texts{});
}

TEST_P(SessionCatalogSuite, WhatHasExpiredIsRemoved) {
  this->AddUser("ann");
  for (int i = 0; i < 4; ++i) {
    SessionRecord session = SampleSession(std::to_string(i), "ann");
    session.expires_at = kSuiteNow + i;
    this->AddSession(session);
    LoginCodeRecord code = SampleLoginCode(std::to_string(i), "ann");
    code.expires_at = kSuiteNow + i;
    this->ExpectDone(RunTask(login_codes().AddLoginCode(code)));
  }
  this->News();
  EXPECT_EQ(RunTask(sessions().RemoveExpiredSignIns(kSuiteNow - 1)), 0u);
  EXPECT_EQ(RunTask(sessions().RemoveExpiredSignIns(kSuiteNow + 1)), 4u);
  EXPECT_EQ(RunTask(sessions().RemoveExpiredSignIns(kSuiteNow + 1)), 0u);
  for (int i = 0; i < 4; ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(this->FindSession(std::to_string(i)).has_value(), i > 1);
    auto code = RunTask(login_codes().TakeLoginCode(Digest::Of("code " + std::to_string(i))));
    EXPECT_EQ(code.has_value(), i > 1);
  }
  EXPECT_EQ(this->News(), Texts{}) << "they counted for nothing already";
}

TEST_P(SessionCatalogSuite, ASessionThatRacesWithItsAccountsRemovalIsNotLeftOver) {
  for (int round = 0; round < 10; ++round) {
    this->AddUser("ann");
    Racers racers;
    std::vector<Result<void>> added, removed;
    for (int i = 0; i < 6; ++i) {
      racers.Add(sessions().AddSession(Tester(), SampleSession(std::to_string(i), "ann")), &added);
      racers.Add(login_codes().AddLoginCode(SampleLoginCode(std::to_string(i), "ann")), &added);
      if (i == 3)
        racers.Add(accounts().RemoveAccount(Tester(), AccountKind::kUser, "ann"), &removed);
    }
    racers.Run();
    ASSERT_EQ(removed.size(), 1u);
    EXPECT_TRUE(removed[0]) << removed[0].error().message << removed[0].error().detail;
    for (const Status& each : added) {
      if (!each) EXPECT_EQ(each.error().kind, ErrorKind::kNotFound) << each.error().detail;
    }
    EXPECT_EQ(this->AllSessions(), Texts{});
    EXPECT_EQ(RunTask(sessions().RemoveExpiredSignIns(kSuiteNow + 1000)), 0u);
  }
}

class LoginCodeSuite : public SignInSuiteBase {
 protected:
  Result<LoginCodeRecord> Take(const std::string& name) {
    return RunTask(login_codes().TakeLoginCode(Digest::Of("code " + name)));
  }
};
INSTANTIATE_CATALOG_SUITE(LoginCodeSuite);

TEST_P(LoginCodeSuite, ACodeIsTakenOnce) {
  this->AddUser("ann");
  this->News();
  int number = 0;
  for (Scope scope : {Scope::kRead, Scope::kPublish, Scope::kAdmin}) {
    const std::string name = std::to_string(++number);
    LoginCodeRecord code = SampleLoginCode(name, "ann");
    code.scope = scope;
    code.expires_at = -5;
    this->ExpectDone(RunTask(login_codes().AddLoginCode(code)));
    EXPECT_EQ(CatalogErrorOf(RunTask(login_codes().AddLoginCode(code))), ErrorKind::kConflict);
    this->ExpectFails(this->Take("another"), ErrorKind::kNotFound, "sign in again");
    EXPECT_EQ(this->Take(name), code) << "an expired one too";
    EXPECT_EQ(CatalogErrorOf(this->Take(name)), ErrorKind::kNotFound);
  }
  EXPECT_EQ(this->News(), Texts{});
}

TEST_P(LoginCodeSuite, ACodeIsOfAnAccountThatIsThere) {
  this->AddUser("ann");
  LoginCodeRecord code = SampleLoginCode("1", "nobody");
  for (const std::string& id : Texts{code.account_id, "", "ann", "%", "\xff"}) {
    code.account_id = id;
    this->ExpectFails(RunTask(login_codes().AddLoginCode(code)), ErrorKind::kNotFound,
                      "the account of the code does not exist");
  }
  for (const std::string& text : kUnstorable) {
    for (std::string LoginCodeRecord::* field :
         {&LoginCodeRecord::client_id, &LoginCodeRecord::redirect_uri,
          &LoginCodeRecord::challenge}) {
      LoginCodeRecord strange = SampleLoginCode("1", "ann");
      strange.*field = text;
      this->ExpectFails(RunTask(login_codes().AddLoginCode(strange)), ErrorKind::kInvalid,
                        "must be UTF-8");
    }
  }
  EXPECT_EQ(CatalogErrorOf(this->Take("1")), ErrorKind::kNotFound);
}

TEST_P(LoginCodeSuite, OfManyWhoBringOneCodeOneGetsIt) {
  this->AddUser("ann");
  for (int round = 0; round < 10; ++round) {
    this->ExpectDone(RunTask(login_codes().AddLoginCode(SampleLoginCode("1", "ann"))));
    Racers racers;
    std::vector<Result<LoginCodeRecord>> taken;
    for (int i = 0; i < 8; ++i) {
      racers.Add(login_codes().TakeLoginCode(Digest::Of("code 1")), &taken);
    }
    racers.Run();
    EXPECT_EQ(std::ranges::count_if(taken, &Result<LoginCodeRecord>::has_value), 1);
    for (const auto& each : taken) {
      if (!each) EXPECT_EQ(each.error().kind, ErrorKind::kNotFound) << each.error().detail;
    }
  }
}

}  // namespace

}  // namespace koya
