#include "service/sign_in/sign_in.h"

#include <set>
#include <utility>

#include "auth/password.h"
#include "catalog/access_catalog.h"
#include "catalog/sign_in_catalog.h"
#include "service/sign_in/sign_in_fixture_fake.h"

namespace koya::service {
namespace {

using auth::Principal;

class SignInTest : public SignInFixture {
 protected:
  Result<StartedSession> SignInAs(const std::string& user, const std::string& password,
                                  Browser browser = {"192.0.2.1", "Test/1"}) {
    return RunTask(sign_in_.WithPassword(std::move(browser), user, password));
  }
  ErrorKind Refused(const std::string& user, const std::string& password) {
    Result<StartedSession> started = SignInAs(user, password);
    EXPECT_FALSE(started) << user;
    return started ? ErrorKind::kInternal : started.error().kind;
  }
  Status Change(const Principal& by, const std::string& old_password,
                const std::string& new_password, Browser browser = {"192.0.2.1", "Test/1"}) {
    return RunTask(sign_in_.ChangePassword(by, std::move(browser), old_password, new_password));
  }
  std::string HashOf(const std::string& user) {
    return RunTask(catalog_.passwords().FindPassword(user))->hash.value_or("");
  }
};

constexpr const char* kOther = "another password";
// That at a lower cost, as by an earlier version.
constexpr const char* kCheaperHash =
    "$argon2id$v=19$m=19456,t=2,p=1$S295YVRlc3RTYWx0MDAwMQ"
    "$ve+poRME6EYEzmK0h54mS7FgALHUTRPkqsx7FEYA27c";

TEST_F(SignInTest, WithTheRightPassword) {
  AddPerson("Ada@example.com");
  for (const char* name : {"Ada@example.com", "ada@EXAMPLE.com"}) {
    const Result<StartedSession> started = SignInAs(name, kPassword);
    ASSERT_TRUE(started) << started.error().message;
    EXPECT_EQ(Find(started->cookie)->user, "Ada@example.com");
    EXPECT_EQ(started->record.method, "password");
    EXPECT_FALSE(started->device.empty());
  }
}

TEST_F(SignInTest, WhoThereIsShowsInNoWord) {
  AddPerson("ada");
  AddPerson("disabled");
  Disable("disabled");
  AddUser("elsewhere");
  AddPerson("former");
  ASSERT_TRUE(RunTask(sign_in_.SetPassword(Principal::Operator(), "former", std::nullopt)));
  struct Row {
    std::string user;
    std::string password;
  };
  const std::vector<Row> rows = {
      {"ada", kOther},
      {"ada", ""},
      {"ada", std::string(kPassword) + " "},
      {"nobody", kPassword},
      {"disabled", kPassword},
      {"disabled", kOther},
      {"elsewhere", ""},
      {"elsewhere", kPassword},
      {"former", kPassword},
      {"", kPassword},
      {"no name", kPassword},
      {"\xff", kPassword},
      {std::string("ada\0", 4), kPassword},
      {std::string(100'000, 'a'), kPassword},
  };
  std::set<std::string> told;
  for (const Row& row : rows) {
    const Result<StartedSession> refused = SignInAs(row.user, row.password);
    ASSERT_FALSE(refused) << row.user;
    EXPECT_EQ(refused.error().kind, ErrorKind::kUnauthenticated) << row.user.substr(0, 80);
    told.insert(refused.error().message + "|" + refused.error().detail);
  }
  EXPECT_EQ(told.size(), 1U) << *told.begin();
}

TEST_F(SignInTest, WhoThereIsShowsInNoWait) {
  AddPerson("ada");
  for (const char* user : {"ada", "nobody", "no name"}) {
    int tries = 0;
    while (Refused(user, kOther) == ErrorKind::kUnauthenticated) ++tries;
    EXPECT_EQ(tries, 6) << user;
    clock_.now += 3600;
  }
}

TEST_F(SignInTest, WhateverTheBrowserHadBeforeItGetsAnotherCookie) {
  const AccountRecord ada = AddPerson("ada");
  const StartedSession planted = Start(ada);
  const StartedSession first = SignInAs("ada", kPassword).value();
  const StartedSession second = SignInAs("ada", kPassword).value();
  EXPECT_EQ((std::set{planted.cookie, first.cookie, second.cookie}.size()), 3U);
}

TEST_F(SignInTest, GuessesDoNotLockTheOwnerOut) {
  AddPerson("ada");
  const std::string device = SignInAs("ada", kPassword)->device;
  for (int i = 0; i < 6; ++i) {
    const Browser stranger{"198.51.100." + std::to_string(i), "Test/1"};
    EXPECT_EQ(SignInAs("ada", kOther, stranger).error().kind, ErrorKind::kUnauthenticated);
  }
  const Result<StartedSession> held_up = SignInAs("ada", kPassword, {"203.0.113.1", "Test/1"});
  ASSERT_FALSE(held_up) << "the right password, from a browser that nobody knows";
  EXPECT_EQ(held_up.error().kind, ErrorKind::kThrottled);
  EXPECT_EQ(held_up.error().retry_after, 1U);
  const Result<StartedSession> owner = SignInAs("ADA", kPassword, {"192.0.2.1", "Test/1", device});
  EXPECT_TRUE(owner) << owner.error().message;
}

TEST_F(SignInTest, AMarkedBrowserHasItsOwnLimitAndMarksAreNotForged) {
  AddPerson("ada");
  AddPerson("bob");
  const std::string device = SignInAs("ada", kPassword)->device;
  const std::string of_bob = SignInAs("bob", kPassword)->device;
  auto tries = [&](const std::string& mark) {
    int count = 0;
    while (SignInAs("ada", kOther, {"192.0.2.1", "Test/1", mark}).error().kind ==
           ErrorKind::kUnauthenticated) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(tries(device), 6);
  EXPECT_EQ(tries(""), 6) << "strangers";
  EXPECT_EQ(tries(of_bob), 0) << "is a stranger to this account";
  EXPECT_EQ(tries("forged"), 0);
  clock_.now += 366 * 86'400;
  EXPECT_EQ(tries(""), 6);
  EXPECT_EQ(tries(device), 0) << "a mark ends after a year";
}

TEST_F(SignInTest, WhatCouldNotBeJudgedIsNotCounted) {
  AddPerson("ada");
  ASSERT_TRUE(RunTask(catalog_.passwords().SetPassword(Actor::Server(), "ada", "damaged", "")));
  for (int i = 0; i < 30; ++i) EXPECT_EQ(Refused("ada", kPassword), ErrorKind::kCorrupt);
  EXPECT_EQ(throttle_.size(), 0U);
}

TEST_F(SignInTest, APasswordOfAnotherCostIsHashedAnewWhenItIsRight) {
  AddPerson("ada");
  ASSERT_TRUE(RunTask(catalog_.passwords().SetPassword(Actor::Server(), "ada", kCheaperHash, "")));
  EXPECT_EQ(Refused("ada", kPassword), ErrorKind::kUnauthenticated);
  EXPECT_EQ(HashOf("ada"), kCheaperHash);
  const Result<StartedSession> started = SignInAs("ada", kOther);
  ASSERT_TRUE(started) << started.error().message;
  EXPECT_FALSE(work_.NeedsRehash(HashOf("ada")));
  EXPECT_TRUE(Find(started->cookie)) << "no session ends by that";
  EXPECT_TRUE(SignInAs("ada", kOther));
}

TEST_F(SignInTest, AdministratorsSetPasswords) {
  AddPerson("ada");
  const Principal as_ada =
      PrincipalOf(RunTask(catalog_.accounts().FindAccount(AccountKind::kUser, "ada")).value());
  const StartedSession before = SignInAs("ada", kPassword).value();
  struct Row {
    Principal by;
    std::string user;
    std::optional<std::string> password;
    ErrorKind kind;
  };
  const std::vector<Row> rows = {
      {as_ada, "ada", kOther, ErrorKind::kForbidden},
      {as_ada, "ada", std::nullopt, ErrorKind::kForbidden},
      {{"ci", Scope::kPublish, {}}, "ada", kOther, ErrorKind::kForbidden},
      {{"team", Scope::kAdmin, {"team-*"}}, "ada", kOther, ErrorKind::kForbidden},
      {Principal(), "ada", kOther, ErrorKind::kForbidden},
      {Principal::Operator(), "nobody", kOther, ErrorKind::kNotFound},
      {Principal::Operator(), "nobody", std::nullopt, ErrorKind::kNotFound},
      {Principal::Operator(), "no name", kOther, ErrorKind::kInvalid},
      {Principal::Operator(), "ada", "too short", ErrorKind::kInvalid},
      {Principal::Operator(), "ada", "", ErrorKind::kInvalid},
      {Principal::Operator(), "ada", std::string(1025, 'x'), ErrorKind::kInvalid},
  };
  for (const Row& row : rows) {
    const Status refused = RunTask(sign_in_.SetPassword(row.by, row.user, row.password));
    ASSERT_FALSE(refused) << row.user;
    EXPECT_EQ(refused.error().kind, row.kind) << refused.error().message;
  }
  EXPECT_TRUE(Find(before.cookie));
  ASSERT_TRUE(RunTask(sign_in_.SetPassword(Principal::Operator(), "ADA", kOther)));
  EXPECT_FALSE(Find(before.cookie)) << "sessions end with the old password";
  EXPECT_EQ(Refused("ada", kPassword), ErrorKind::kUnauthenticated);
  EXPECT_TRUE(SignInAs("ada", kOther));
}

TEST_F(SignInTest, WhoeverKnowsTheirPasswordChangesIt) {
  const AccountRecord ada = AddPerson("ada");
  const StartedSession here = SignInAs("ada", kPassword).value();
  const StartedSession there = SignInAs("ada", kPassword).value();
  const Principal by = *Find(here.cookie)->principal;
  const Status changed = Change(by, kPassword, kOther);
  ASSERT_TRUE(changed) << changed.error().message;
  EXPECT_TRUE(Find(here.cookie)) << "goes on";
  EXPECT_FALSE(Find(there.cookie));
  EXPECT_TRUE(SignInAs("ada", kOther));
  Principal token{.name = "t",
                  .scope = Scope::kRead,
                  .namespaces = {},
                  .account = std::make_shared<const AccountRights>(AccountRights{ada, {}})};
  EXPECT_TRUE(Change(token, kOther, kPassword)) << "with a token of theirs";
  EXPECT_FALSE(Find(here.cookie)) << "which is no session that could go on";
}

TEST_F(SignInTest, NobodyElseChangesIt) {
  const AccountRecord ada = AddPerson("ada");
  const StartedSession here = SignInAs("ada", kPassword).value();
  const Principal by = *Find(here.cookie)->principal;
  AccountRecord service = ada;
  service.kind = AccountKind::kService;
  const Principal program{
      .name = "ci",
      .scope = Scope::kAdmin,
      .namespaces = {},
      .account = std::make_shared<const AccountRights>(AccountRights{service, {}})};
  AccountRecord namesake = ada;
  namesake.id = "the one who had the name before";
  const Principal former{
      .name = "t",
      .scope = Scope::kAdmin,
      .namespaces = {},
      .account = std::make_shared<const AccountRights>(AccountRights{namesake, {}})};
  struct Row {
    Principal who;
    std::string old_password;
    std::string new_password;
    ErrorKind kind;
  };
  const std::vector<Row> rows = {
      {by, kOther, kOther, ErrorKind::kUnauthenticated},
      {by, "", kOther, ErrorKind::kUnauthenticated},
      {former, kPassword, kOther, ErrorKind::kUnauthenticated},
      {by, kPassword, "too short", ErrorKind::kInvalid},
      {by, kPassword, "tabs\tin the password", ErrorKind::kInvalid},
      {Principal::Operator(), kPassword, kOther, ErrorKind::kForbidden},
      {Principal(), kPassword, kOther, ErrorKind::kForbidden},
      {program, kPassword, kOther, ErrorKind::kForbidden},
  };
  for (const Row& row : rows) {
    const Status refused = Change(row.who, row.old_password, row.new_password);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, row.kind) << refused.error().message;
  }
  EXPECT_TRUE(Find(here.cookie));
  EXPECT_TRUE(SignInAs("ada", kPassword));
}

TEST_F(SignInTest, GuessesAtTheOldPasswordAreThrottledToo) {
  AddPerson("ada");
  const StartedSession here = SignInAs("ada", kPassword).value();
  const Principal by = *Find(here.cookie)->principal;
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(Change(by, kOther, kOther).error().kind, ErrorKind::kUnauthenticated);
  }
  EXPECT_EQ(Change(by, kPassword, kOther).error().kind, ErrorKind::kThrottled);
  const Browser known{"192.0.2.1", "Test/1", here.device};
  EXPECT_TRUE(Change(by, kPassword, kOther, known));
}

// The catalog, with something that happens when it is asked for a password.
class EventfulPasswords final : public PasswordCatalog {
 public:
  explicit EventfulPasswords(PasswordCatalog& passwords) : passwords_(passwords) {}

  Task<PasswordRecord> FindPassword(std::string user) override {
    if (failure) co_return Failure(*failure);
    Result<PasswordRecord> found = co_await passwords_.FindPassword(user);
    if (changed_to) {
      CO_RETURN_IF_ERROR(co_await passwords_.SetPassword(
          Actor::Server(), user, *std::exchange(changed_to, std::nullopt), ""));
    }
    co_return found;
  }
  Task<void> SetPassword(Actor by, std::string user, std::optional<std::string> hash,
                         std::string kept) override {
    return passwords_.SetPassword(std::move(by), std::move(user), std::move(hash), std::move(kept));
  }
  Task<void> RenewHash(std::string user, std::string old, std::string hash) override {
    renewed = true;
    return passwords_.RenewHash(std::move(user), std::move(old), std::move(hash));
  }

  std::optional<Error> failure;
  std::optional<std::string> changed_to;  // by another caller, right after the next request
  bool renewed = false;

 private:
  PasswordCatalog& passwords_;
};

class EventfulSignInTest : public SignInTest {
 protected:
  Result<StartedSession> SignInAsAda() {
    return RunTask(eventful_.WithPassword({"192.0.2.1", "Test/1"}, "ada", kPassword));
  }

  const AccountRecord ada_ = AddPerson("ada");
  EventfulPasswords passwords_{catalog_};
  SignIn eventful_{passwords_, sessions_, work_, throttle_, clock_, "a secret of the server"};
};

TEST_F(EventfulSignInTest, NoSessionBeginsWithAPasswordThatWasChangedMeanwhile) {
  passwords_.changed_to = kCheaperHash;
  const Result<StartedSession> started = SignInAsAda();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().kind, ErrorKind::kConflict) << started.error().message;
  EXPECT_TRUE(RunTask(sessions_.List(Principal::Operator(), "ada"))->empty());
  EXPECT_FALSE(passwords_.renewed);
  EXPECT_TRUE(SignInAs("ada", kOther));
}

TEST_F(EventfulSignInTest, WhileTheCatalogDoesNotAnswerNobodyIsCalledWrong) {
  passwords_.failure = Error{.kind = ErrorKind::kUnavailable, .message = "away", .retry_after = 2};
  for (int i = 0; i < 30; ++i) {
    const Result<StartedSession> started = SignInAsAda();
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error(), *passwords_.failure);
  }
  passwords_.failure = std::nullopt;
  EXPECT_TRUE(SignInAsAda()) << "none of it was counted";
}

}  // namespace
}  // namespace koya::service
