#include "service/sign_in/first_run.h"

#include "service/sign_in/sign_in_fixture_fake.h"

namespace koya::service {
namespace {

class FirstRunTest : public SignInFixture {
 protected:
  std::string Token() { return RunTask(first_run_.MakeToken()).value().value(); }
  Result<AccountRecord> SetUpAs(const std::string& token, const std::string& user = "root",
                                const std::string& password = kPassword,
                                const std::string& address = "192.0.2.1") {
    const Browser browser{address, "Test/1"};
    return RunTask(first_run_.SetUp(browser, token, user, password, said_));
  }
  ErrorKind Refused(const std::string& token, const std::string& user = "root",
                    const std::string& password = kPassword) {
    Result<AccountRecord> made = SetUpAs(token, user, password);
    EXPECT_FALSE(made) << user;
    return made ? ErrorKind::kInternal : made.error().kind;
  }
  bool IsDone() { return RunTask(first_run_.IsDone()).value(); }

  SetupChoices said_;
  std::atomic<Visibility> new_namespaces_ = Visibility::kInternal;
  FirstRun first_run_{catalog_, catalog_, work_, throttle_, clock_, &new_namespaces_};
};

TEST_F(FirstRunTest, ChoicesCountOnEveryServerWithoutASetting) {
  std::atomic<Visibility> elsewhere = Visibility::kInternal;
  int named = 0;
  FirstRun another{catalog_, catalog_, work_, throttle_, clock_, &elsewhere, [&] { ++named; }};
  FirstRun with_setting{catalog_, catalog_, work_, throttle_, clock_};
  EXPECT_TRUE(first_run_.AsksVisibility());
  EXPECT_FALSE(with_setting.AsksVisibility());
  const std::string token = Token();
  said_ = {Visibility::kPublic, "Kumo"};
  EXPECT_FALSE(SetUpAs("koya_another"));
  ASSERT_TRUE(RunTask(another.LearnChoices()));
  EXPECT_EQ(new_namespaces_, Visibility::kInternal) << "nothing was set up";
  EXPECT_EQ(elsewhere, Visibility::kInternal);
  ASSERT_TRUE(SetUpAs(token));
  EXPECT_EQ(new_namespaces_, Visibility::kPublic);
  ASSERT_TRUE(RunTask(another.LearnChoices()));
  EXPECT_EQ(elsewhere, Visibility::kPublic);
  EXPECT_EQ(another.SiteName(), "Kumo");
  EXPECT_EQ(first_run_.SiteName(), "Kumo");
  ASSERT_TRUE(RunTask(another.LearnChoices()));
  EXPECT_EQ(named, 1);
  EXPECT_TRUE(RunTask(with_setting.LearnChoices()));
}

TEST_F(FirstRunTest, TheNameIsOneLineOfText) {
  const std::string token = Token();
  for (const std::string& name :
       {std::string(201, 'a'), std::string("a\nb"), std::string("\xff")}) {
    said_.site_name = name;
    EXPECT_EQ(Refused(token), ErrorKind::kInvalid) << name;
  }
  said_.site_name = std::string(200, 'a');
  EXPECT_TRUE(SetUpAs(token));
}

TEST_F(FirstRunTest, WhereNothingIsSaidNewNamespacesAreAsBefore) {
  ASSERT_TRUE(SetUpAs(Token()));
  ASSERT_TRUE(RunTask(first_run_.LearnChoices()));
  EXPECT_EQ(new_namespaces_, Visibility::kInternal);
}

TEST_F(FirstRunTest, WhoeverHasTheTokenBecomesTheAdministrator) {
  EXPECT_FALSE(IsDone());
  const std::string token = Token();
  EXPECT_TRUE(token.starts_with("koya_"));
  const Result<AccountRecord> made = SetUpAs(token);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(made->admin);
  EXPECT_EQ(made->name, "root");
  EXPECT_TRUE(IsDone());
  EXPECT_EQ(RunTask(first_run_.MakeToken()).value(), std::nullopt);
  EXPECT_TRUE(RunTask(sign_in_.WithPassword({"192.0.2.1", "Test/1"}, "root", kPassword)));
  EXPECT_EQ(Refused(token, "second"), ErrorKind::kConflict) << "it is good for one";
  EXPECT_FALSE(RunTask(tokens_.Authenticate("Bearer " + token))) << "and is no API token";
}

TEST_F(FirstRunTest, AnotherTokenIsNone) {
  const std::string token = Token();
  for (const std::string& bad : {std::string(), std::string("koya_"), token + "x", token.substr(1),
                                 " " + token, std::string(100'000, 'x'), std::string("\xff")}) {
    EXPECT_EQ(Refused(bad), ErrorKind::kUnauthenticated) << bad.substr(0, 80);
  }
  EXPECT_FALSE(IsDone());
  EXPECT_TRUE(SetUpAs(token));
}

TEST_F(FirstRunTest, ANewTokenTakesThePlaceOfTheOneBefore) {
  const std::string before = Token();
  const std::string now = Token();
  EXPECT_EQ(Refused(before), ErrorKind::kUnauthenticated);
  EXPECT_TRUE(SetUpAs(now));
}

TEST_F(FirstRunTest, ATokenLastsAnHour) {
  std::string token = Token();
  clock_.now += 3600;
  EXPECT_EQ(Refused(token), ErrorKind::kUnauthenticated);
  token = Token();
  clock_.now += 3599;
  EXPECT_TRUE(SetUpAs(token));
}

TEST_F(FirstRunTest, AWrongNameOrPasswordIsToldAndTheTokenStaysGood) {
  AddUser("taken");
  const std::string token = Token();
  struct Row {
    std::string user;
    std::string password;
    ErrorKind kind;
  };
  const std::vector<Row> rows = {
      {"", kPassword, ErrorKind::kInvalid},
      {"no name", kPassword, ErrorKind::kInvalid},
      {"\xff", kPassword, ErrorKind::kInvalid},
      {std::string(65, 'a'), kPassword, ErrorKind::kInvalid},
      {"root", "", ErrorKind::kInvalid},
      {"root", "too short", ErrorKind::kInvalid},
      {"a-long-user-name", "A-long-user-NAME", ErrorKind::kInvalid},
      {"root", std::string(1025, 'x'), ErrorKind::kInvalid},
      {"taken", kPassword, ErrorKind::kConflict},
      {"TAKEN", kPassword, ErrorKind::kConflict},
  };
  for (const Row& row : rows) EXPECT_EQ(Refused(token, row.user, row.password), row.kind);
  EXPECT_EQ(throttle_.size(), 0U) << "none of that was a guess";
  EXPECT_TRUE(SetUpAs(token));
}

TEST_F(FirstRunTest, GuessesAreThrottledByAddress) {
  const std::string token = Token();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(throttle_.Begin({"", "192.0.2.1", ""}));
  EXPECT_EQ(Refused("koya_guess"), ErrorKind::kUnauthenticated) << "which is counted with them";
  EXPECT_EQ(Refused(token), ErrorKind::kThrottled);
  EXPECT_TRUE(SetUpAs(token, "root", kPassword, "192.0.2.2")) << "from elsewhere";
}

TEST_F(FirstRunTest, WhereSomebodyMayDoEverythingThereIsNothingToSetUp) {
  const std::string token = Token();
  AddUser("root", true);
  EXPECT_EQ(Refused(token), ErrorKind::kConflict);
  EXPECT_EQ(Refused("koya_guess"), ErrorKind::kConflict);
  EXPECT_EQ(RunTask(first_run_.MakeToken()).value(), std::nullopt);
}

}  // namespace
}  // namespace koya::service
