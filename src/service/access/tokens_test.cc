#include "service/access/tokens.h"

#include <gtest/gtest.h>

#include "auth/token.h"
#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/token_catalog.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"
#include "service/common/change_feed.h"
#include "service/common/last_used_tracker.h"
#include "service/common/refused_updates_fake.h"

namespace koya::service {
namespace {

using auth::Principal;
using std::chrono::seconds;

constexpr seconds kDay{86'400};

class TokensTest : public ::testing::Test {
 protected:
  CreatedToken Make(std::string name, std::optional<seconds> expires = {},
                    std::vector<std::string> namespaces = {}) {
    NewToken token{std::move(name), Scope::kPublish, std::move(namespaces), expires};
    token.never_ends = !expires;
    return RunTask(tokens_.Create(Principal::Operator(), std::move(token))).value();
  }
  std::optional<Status> Recognise(const std::string& text) {
    auto known = tokens_.Recognise("Bearer " + text);
    if (!known) return std::nullopt;
    return *known ? Status() : Status(std::unexpected(known->error()));
  }
  Result<Principal> Authenticate(const std::string& text) {
    return RunTask(tokens_.Authenticate("Bearer " + text));
  }
  std::optional<UnixSeconds> LastUse(const std::string& name) {
    RunTask(uses_.Write());
    for (const TokenRecord& record : RunTask(tokens_.List(Principal::Operator())).value()) {
      if (record.name == name) return record.last_used_at;
    }
    return std::nullopt;
  }

  ManualClock clock_;
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  TestCatalog catalog_;
  ChangeFeed changes_{catalog_};
  LastUsedTracker uses_{catalog_, log_};
  TokenCache cache_{TimeSinceBoot};
  Tokens tokens_{catalog_, catalog_, cache_, clock_, uses_};

  void SetUp() override {
    changes_.AddListener([this](std::string_view topic) { cache_.Invalidate(topic); });
  }
};

// A token that is forgotten must not be good without an end.
TEST_F(TokensTest, WhatSaysNoEndEndsAfterNinetyDays) {
  auto made = [&](const Principal& by, std::string name, bool never_ends) {
    NewToken token{.name = std::move(name), .scope = Scope::kRead, .never_ends = never_ends};
    return RunTask(tokens_.Create(by, std::move(token))).value().record.expires_at;
  };
  EXPECT_EQ(made(Principal::Operator(), "ci", false), clock_.Now() + (90 * kDay).count());
  EXPECT_EQ(made(Principal::Operator(), "eternal", true), std::nullopt);
  Principal brief = Principal::Operator();
  brief.expires_at = clock_.Now() + 100;
  EXPECT_EQ(made(brief, "brief", false), brief.expires_at) << "no longer than its maker's";
  EXPECT_EQ(made(brief, "brief-too", true), brief.expires_at);
}

TEST_F(TokensTest, ATokenIsAskedForOnceAndThenKnown) {
  std::string text = Make("ci", {}, {"acme"}).text;
  EXPECT_FALSE(Recognise(text)) << "the catalog was not asked yet";
  ASSERT_TRUE(Authenticate(text));
  auto known = Recognise(text);
  ASSERT_TRUE(known && *known);
  auto again = Authenticate(text);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->name, "ci");
  EXPECT_EQ(again->namespaces, std::vector<std::string>{"acme"});
}

TEST_F(TokensTest, WhatCannotBeATokenIsRefusedWithoutTheCatalog) {
  for (const std::string& text : {std::string("koya_short"), std::string()}) {
    auto told = Recognise(text);
    ASSERT_TRUE(told) << text;
    EXPECT_EQ(told->error().kind, ErrorKind::kUnauthenticated);
  }
}

TEST_F(TokensTest, ARevokedTokenIsUnknownAtOnce) {
  std::string text = Make("ci").text;
  ASSERT_TRUE(Authenticate(text));
  ASSERT_TRUE(RunTask(tokens_.Revoke(Principal::Operator(), "ci")));
  EXPECT_FALSE(Recognise(text));
  EXPECT_EQ(Authenticate(text).error().kind, ErrorKind::kUnauthenticated);
}

TEST_F(TokensTest, AKnownTokenExpiresToo) {
  std::string text = Make("ci", kDay).text;
  ASSERT_TRUE(Authenticate(text));
  clock_.now += kDay.count();
  auto told = Recognise(text);
  ASSERT_TRUE(told && !*told);
  EXPECT_TRUE(told->error().message.contains("expired at")) << told->error().message;
}

TEST_F(TokensTest, TheUseOfAKnownTokenIsNotedOnceAMinute) {
  std::string text = Make("ci").text;
  UnixSeconds first = clock_.Now();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Authenticate(text));
  EXPECT_EQ(LastUse("ci"), first);
  clock_.now += 59;
  ASSERT_TRUE(Authenticate(text));
  EXPECT_EQ(LastUse("ci"), first);
  clock_.now += 1;
  ASSERT_TRUE(Recognise(text));
  EXPECT_EQ(LastUse("ci"), first + 60);
}

TEST_F(TokensTest, ARotatedTokenHasAnotherTextAndTheSameRights) {
  CreatedToken old = Make("ci", kDay, {"acme"});
  ASSERT_TRUE(Authenticate(old.text));
  clock_.now += 1000;
  Principal owner{"owner", Scope::kAdmin, {"acme"}};
  auto rotated = RunTask(tokens_.Rotate(owner, "ci", {}));
  ASSERT_TRUE(rotated) << rotated.error().message;
  EXPECT_FALSE(Authenticate(old.text));
  auto principal = Authenticate(rotated->text);
  ASSERT_TRUE(principal);
  EXPECT_EQ(principal->namespaces, std::vector<std::string>{"acme"});
  EXPECT_EQ(principal->expires_at, clock_.Now() + kDay.count()) << "as long as it was made for";
  EXPECT_EQ(rotated->record.created_by, "owner");
  EXPECT_EQ(old.record.created_by, "koya");
}

TEST_F(TokensTest, ARotatedTokenLastsAsLongAsIsSaidAndNoLongerThanItsMaker) {
  Make("ci", kDay);
  Make("eternal");
  Principal brief = Principal::Operator();
  brief.expires_at = clock_.Now() + 100;
  auto expiry = [&](const Principal& by, const char* name, std::optional<seconds> said) {
    auto rotated = RunTask(tokens_.Rotate(by, name, said));
    return rotated ? rotated->record.expires_at : std::optional<UnixSeconds>(-1);
  };
  UnixSeconds now = clock_.Now();
  EXPECT_EQ(expiry(Principal::Operator(), "ci", seconds(50)), now + 50);
  EXPECT_EQ(expiry(Principal::Operator(), "eternal", {}), std::nullopt);
  EXPECT_EQ(expiry(brief, "ci", {}), now + 50);
  EXPECT_EQ(expiry(brief, "eternal", {}), now + 100);
  EXPECT_EQ(expiry(brief, "eternal", seconds(101)), -1);
  EXPECT_EQ(expiry(Principal::Operator(), "eternal", seconds(0)), -1);
}

// Versions published with it have the job as their provenance.
TEST_F(TokensTest, TheProvenanceOfAJobStaysWithItsToken) {
  const auth::MintedToken minted = auth::MintToken();
  const TokenRecord job{.name = "ci-job",
                        .secret = minted.secret,
                        .scope = Scope::kPublish,
                        .namespaces = {"acme"},
                        .created_at = clock_.Now(),
                        .created_by = "oidc:ci.example.com acme/infra",
                        .expires_at = clock_.Now() + seconds(kJobTokenLife).count(),
                        .provenance = R"({"project_path":"acme/infra"})"};
  ASSERT_TRUE(RunTask(catalog_.tokens().AddToken(Actor::Server(), job)));
  const Result<Principal> who = Authenticate(minted.text);
  ASSERT_TRUE(who);
  EXPECT_EQ(who->provenance, job.provenance);

  // Not by rotating it, while it lasts or afterwards, by those who may rotate others.
  const Principal owner{"owner", Scope::kAdmin, {"acme"}};
  for (const UnixSeconds later : {0, 20 * 60}) {
    clock_.now += later;
    for (const Principal& by : {Principal::Operator(), owner}) {
      for (std::optional<seconds> expires : {std::optional<seconds>(), std::optional(kDay)}) {
        auto rotated = RunTask(tokens_.Rotate(by, "ci-job", expires));
        ASSERT_FALSE(rotated);
        EXPECT_EQ(rotated.error().kind, ErrorKind::kConflict) << rotated.error().message;
      }
    }
  }
  // Nor by making another with it, or another of its name.
  const NewToken copy{"copy", Scope::kPublish, {"acme"}, kDay};
  EXPECT_EQ(RunTask(tokens_.Create(*who, copy)).error().kind, ErrorKind::kForbidden);
  EXPECT_FALSE(RunTask(tokens_.Create(owner, {"ci-job", Scope::kPublish, {"acme"}, kDay})));
}

TEST_F(TokensTest, NobodyRotatesOrEndsWhatTheyDoNotHold) {
  CreatedToken token = Make("ci", {}, {"acme"});
  Principal other{"other", Scope::kAdmin, {"beta"}};
  EXPECT_EQ(RunTask(tokens_.Rotate(other, "ci", {})).error().kind, ErrorKind::kForbidden);
  EXPECT_EQ(RunTask(tokens_.Revoke(other, "ci")).error().kind, ErrorKind::kForbidden);
  EXPECT_EQ(RunTask(tokens_.Rotate(other, "none", {})).error().kind, ErrorKind::kNotFound);
  EXPECT_TRUE(Authenticate(token.text));
}

TEST_F(TokensTest, AreFoundByTheirTextAndNeverKept) {
  CreatedToken created =
      RunTask(tokens_.Create(Principal::Operator(), {.name = "ci", .scope = Scope::kPublish}))
          .value();
  auto principal = RunTask(tokens_.Authenticate("Bearer " + created.text));
  ASSERT_TRUE(principal) << principal.error().message;
  EXPECT_EQ(principal->name, "ci");
  EXPECT_EQ(principal->scope, Scope::kPublish);
  EXPECT_FALSE(RunTask(tokens_.Create(Principal::Operator(), {.name = "ci"})));
  ASSERT_TRUE(RunTask(tokens_.Revoke(Principal::Operator(), "ci")));
  auto revoked = RunTask(tokens_.Authenticate("Bearer " + created.text));
  ASSERT_FALSE(revoked);
  EXPECT_EQ(revoked.error().kind, ErrorKind::kUnauthenticated);
  EXPECT_EQ(RunTask(tokens_.Revoke(Principal::Operator(), "ci")).error().kind,
            ErrorKind::kNotFound);
}

TEST_F(TokensTest, WithBadNamesPatternsAndTimesAreRefused) {
  const std::vector<NewToken> kBad = {
      {.name = ""},
      {.name = "a b"},
      {.name = "x", .namespaces = {"a/b"}},
      {.name = "x", .namespaces = std::vector<std::string>(101, "a")},
      {.name = "x", .expires = std::chrono::seconds(0)},
      {.name = "x", .expires = std::chrono::seconds(-5)},
      {.name = "x", .expires = std::chrono::seconds(INT64_MAX)},
      {.name = "x", .expires = std::chrono::days(36'501)},
  };
  for (const NewToken& token : kBad) {
    auto created = RunTask(tokens_.Create(Principal::Operator(), token));
    ASSERT_FALSE(created) << token.name;
    EXPECT_EQ(created.error().kind, ErrorKind::kInvalid);
  }
}

TEST_F(TokensTest, OfANamespaceReachNoFurther) {
  const auth::Principal team{"team-a", Scope::kAdmin, {"team-a", "a-*"}};
  const std::vector<NewToken> kWithin = {
      {.name = "within-1", .scope = Scope::kAdmin, .namespaces = {"team-a"}},
      {.name = "within-2", .scope = Scope::kRead, .namespaces = {"a-*", "a-b*"}},
  };
  const std::vector<NewToken> kBeyond = {
      {.name = "beyond-1", .scope = Scope::kAdmin},
      {.name = "beyond-2", .scope = Scope::kRead, .namespaces = {"*"}},
      {.name = "beyond-3", .scope = Scope::kRead, .namespaces = {"team-a", "team-b"}},
  };
  for (const NewToken& token : kWithin) EXPECT_TRUE(RunTask(tokens_.Create(team, token)));
  for (const NewToken& token : kBeyond) {
    auto refused = RunTask(tokens_.Create(team, token));
    ASSERT_FALSE(refused) << token.name;
    EXPECT_EQ(refused.error().kind, ErrorKind::kForbidden);
    ASSERT_TRUE(RunTask(tokens_.Create(Principal::Operator(), token)));
    Status revoked = RunTask(tokens_.Revoke(team, token.name));
    ASSERT_FALSE(revoked) << token.name;
    EXPECT_EQ(revoked.error().kind, ErrorKind::kForbidden);
  }
  std::vector<std::string> seen;
  for (const TokenRecord& token : RunTask(tokens_.List(team)).value()) seen.push_back(token.name);
  EXPECT_EQ(seen, (std::vector<std::string>{"within-1", "within-2"}));
  EXPECT_EQ(RunTask(tokens_.List(Principal::Operator())).value().size(), 5U);
  EXPECT_TRUE(RunTask(tokens_.Revoke(team, "within-1")));
  EXPECT_EQ(RunTask(tokens_.Revoke(team, "within-1")).error().kind, ErrorKind::kNotFound);
}

class AccountTokensTest : public TokensTest {
 protected:
  void AddAccount(AccountKind kind, const std::string& name, bool admin = false) {
    ASSERT_TRUE(RunTask(catalog_.accounts().AddAccount(
        Actor::Server(), {.id = "id of " + name, .kind = kind, .name = name, .admin = admin})));
  }
  // Who sends a token of this account.
  Principal Of(const std::string& name) {
    auth::MintedToken minted = auth::MintToken();
    EXPECT_TRUE(
        RunTask(catalog_.tokens().AddToken(Actor::Server(), {.name = name + "-first",
                                                             .secret = minted.secret,
                                                             .scope = Scope::kAdmin,
                                                             .namespaces = {},
                                                             .account_id = "id of " + name})));
    return Authenticate(minted.text).value();
  }
  std::vector<std::string> Listed(const Principal& by) {
    std::vector<std::string> names;
    for (const TokenRecord& each : RunTask(tokens_.List(by)).value()) names.push_back(each.name);
    return names;
  }
  void SetUp() override {
    TokensTest::SetUp();
    AddAccount(AccountKind::kUser, "ada");
    AddAccount(AccountKind::kUser, "root", true);
    AddAccount(AccountKind::kService, "ci");
  }
};

TEST_F(AccountTokensTest, ATokenMadeByAnAccountsTokenActsForThatAccount) {
  Principal ada = Of("ada");
  CreatedToken made = RunTask(tokens_.Create(ada, {.name = "laptop"})).value();
  EXPECT_EQ(made.record.account_id, "id of ada");
  EXPECT_EQ(Authenticate(made.text).value().account_id(), "id of ada");
  EXPECT_EQ(RunTask(tokens_.Rotate(ada, "laptop", {})).value().record.account_id, "id of ada");
}

TEST_F(AccountTokensTest, EachSeesAndEndsTheirOwnAndAnAdministratorAll) {
  Principal ada = Of("ada");
  Principal root = Of("root");
  Make("nobodys");
  EXPECT_EQ(Listed(ada), (std::vector<std::string>{"ada-first"}));
  EXPECT_EQ(Listed(root), (std::vector<std::string>{"ada-first", "nobodys", "root-first"}));
  for (const char* other : {"nobodys", "root-first"}) {
    EXPECT_EQ(RunTask(tokens_.Revoke(ada, other)).error().kind, ErrorKind::kForbidden) << other;
    EXPECT_EQ(RunTask(tokens_.Rotate(ada, other, {})).error().kind, ErrorKind::kForbidden) << other;
  }
  EXPECT_TRUE(RunTask(tokens_.Revoke(root, "ada-first")));
}

TEST_F(AccountTokensTest, OnlyAdministratorsMakeThemForServiceAccounts) {
  NewToken wanted{.name = "ci-1", .scope = Scope::kPublish, .service = "CI"};
  EXPECT_EQ(RunTask(tokens_.Create(Of("ada"), wanted)).error().kind, ErrorKind::kForbidden);
  Principal root = Of("root");
  EXPECT_EQ(RunTask(tokens_.Create(root, wanted)).value().record.account_id, "id of ci");
  for (const char* unknown : {"nobody", "ada", "root"}) {
    NewToken none{.name = "none", .service = unknown};
    EXPECT_EQ(RunTask(tokens_.Create(root, none)).error().kind, ErrorKind::kNotFound) << unknown;
  }
}

TEST_F(AccountTokensTest, WhatADisabledOrRemovedAccountHasIsRefusedAtOnce) {
  CreatedToken token =
      RunTask(tokens_.Create(Of("root"), {.name = "ci-1", .service = "ci"})).value();
  ASSERT_TRUE(Authenticate(token.text));
  ASSERT_TRUE(
      RunTask(catalog_.accounts().SetDisabled(Actor::Server(), AccountKind::kService, "ci", 1)));
  auto refused = Authenticate(token.text);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnauthenticated);
  EXPECT_TRUE(refused.error().message.contains("\"ci\" is disabled")) << refused.error().message;
  ASSERT_TRUE(RunTask(
      catalog_.accounts().SetDisabled(Actor::Server(), AccountKind::kService, "ci", std::nullopt)));
  EXPECT_TRUE(Authenticate(token.text));
  ASSERT_TRUE(
      RunTask(catalog_.accounts().RemoveAccount(Actor::Server(), AccountKind::kService, "ci")));
  EXPECT_EQ(Authenticate(token.text).error().kind, ErrorKind::kUnauthenticated);
}

TEST_F(TokensTest, ATokenWhoseUseCannotBeNotedIsGoodAllTheSame) {
  std::string text = RunTask(tokens_.Create(Principal::Operator(), {.name = "ci"})).value().text;
  RefuseUpdates(catalog_.file(), "token", "last_used_at");
  for (int i = 0; i < 3; ++i) {
    auto principal = RunTask(tokens_.Authenticate("Bearer " + text));
    EXPECT_TRUE(principal) << principal.error().message;
    RunTask(uses_.Write());
  }
  EXPECT_EQ(captured_.Lines().size(), 1U) << "said once: " << captured_.Text();
  clock_.now += 61;
  EXPECT_TRUE(RunTask(tokens_.Authenticate("Bearer " + text)));
  RunTask(uses_.Write());
  EXPECT_EQ(captured_.Lines().size(), 2U) << captured_.Text();
}

}  // namespace
}  // namespace koya::service
