// What every catalog must do: keep an administrator. See catalog_suite_base.h.
#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/access_catalog.h"
#include "catalog/access_suite_base.h"
#include "catalog/token_catalog.h"

namespace koya {
namespace {

class AdministratorSuite : public AccessSuiteBase {
 protected:
  bool Has() {
    auto has = RunTask(accounts().HasAdministrator());
    this->ExpectDone(has);
    return has.value_or(false);
  }
  // Takes everything of the round before away. The last who may do everything cannot go, so there
  // is a keeper instead, until RemoveKeeper().
  void StartRound() {
    this->AddAdministrator("keeper");
    for (const TokenRecord& token : RunTask(tokens().ListTokens()).value()) {
      EXPECT_TRUE(RunTask(tokens().RevokeToken(Tester(), token.name, token.secret)));
    }
    for (AccountKind kind : {AccountKind::kService, AccountKind::kUser}) {
      for (const auto& account : RunTask(accounts().ListAccounts(kind)).value()) {
        if (account.name != "keeper") EXPECT_TRUE(this->Remove(account.name, kind));
      }
    }
  }
  void RemoveKeeper() { EXPECT_TRUE(this->Remove("keeper")); }
};
INSTANTIATE_CATALOG_SUITE(AdministratorSuite);

// The advice in the error when the last administrator would be removed.
constexpr std::string_view kMakeOneFirst = "koya user create NAME --admin";

// Who exists beside the administrator that is to be removed.
struct Bystander {
  std::string_view what;
  bool counts;  // whether they may do everything
  std::optional<AccountRecord> account = std::nullopt;
  std::optional<TokenRecord> token = std::nullopt;
};

std::vector<Bystander> Bystanders() {
  std::vector<Bystander> all{{"nobody", false}};
  auto account = [&all](std::string_view what, bool counts, AccountKind kind, bool admin,
                        std::optional<UnixSeconds> disabled_at) {
    AccountRecord record = SampleAccount("other", kind);
    record.admin = admin;
    record.disabled_at = disabled_at;
    all.push_back({.what = what, .counts = counts, .account = record});
  };
  account("a user", false, AccountKind::kUser, false, std::nullopt);
  account("a service account", false, AccountKind::kService, false, std::nullopt);
  account("a disabled administrator", false, AccountKind::kUser, true, kSuiteNow);
  account("one that is disabled from the future on", false, AccountKind::kUser, true,
          SystemClock().Now() + 1000);
  account("an administrator", true, AccountKind::kUser, true, std::nullopt);
  account("a program that is one", true, AccountKind::kService, true, std::nullopt);
  auto token = [&all](std::string_view what, bool counts, auto change) {
    TokenRecord record = UnlimitedToken();
    change(record);
    all.push_back({.what = what, .counts = counts, .token = record});
  };
  token("a publisher's token", false, [](auto& record) { record.scope = Scope::kPublish; });
  token("a reader's token", false, [](auto& record) { record.scope = Scope::kRead; });
  token("a token with patterns", false, [](auto& record) { record.namespaces = {"acme"}; });
  token("an expired token", false,
        [](auto& record) { record.expires_at = SystemClock().Now() - 1; });
  token("the administrator's own", false,
        [](auto& record) { record.account_id = SampleAccount("root").id; });
  token("an unlimited token", true, [](auto&) {});
  token("a token that has not expired", true,
        [](auto& record) { record.expires_at = SystemClock().Now() + 1000; });
  return all;
}

TEST_P(AdministratorSuite, TheLastAdministratorStays) {
  for (const Bystander& other : Bystanders()) {
    SCOPED_TRACE(other.what);
    this->StartRound();
    this->AddAdministrator("root");
    if (other.account) this->Add(*other.account);
    if (other.token) this->AddToken(*other.token);
    this->RemoveKeeper();
    const Texts tokens = this->TokenNames();
    this->News();
    using Step = std::function<Status()>;
    const Step kSteps[] = {[this] { return this->Disable("ROOT"); },
                           [this] { return this->Remove("Root"); }};
    for (const Step& step : kSteps) {
      EXPECT_TRUE(this->Has());
      Status status = step();
      EXPECT_EQ(status.has_value(), other.counts);
      if (other.counts) continue;
      this->ExpectFails(status, ErrorKind::kConflict, kMakeOneFirst);
      EXPECT_EQ(this->Find("root")->disabled_at, std::nullopt);
      EXPECT_EQ(this->TokenNames(), tokens) << "what was refused changed nothing";
      EXPECT_EQ(this->News(), Texts{});
    }
    EXPECT_TRUE(this->Has());
  }
}

// The right of the token that is replaced or revoked.
TEST_P(AdministratorSuite, TheLastTokenThatMayDoEverythingStays) {
  for (const Bystander& other : Bystanders()) {
    SCOPED_TRACE(other.what);
    this->StartRound();
    this->AddUser("root");  // of the bystander's token
    if (other.account) this->Add(*other.account);
    if (other.token) {
      TokenRecord token = *other.token;
      token.name = "other";
      token.secret = Digest::Of("secret of other");
      this->AddToken(token);
    }
    const TokenRecord root = UnlimitedToken();
    this->AddToken(root);
    this->RemoveKeeper();
    TokenRecord reader = root;
    reader.secret = Digest::Of("another secret");
    reader.scope = Scope::kRead;
    TokenRecord patterned = reader;
    patterned.scope = Scope::kAdmin;
    patterned.namespaces = {"acme"};
    TokenRecord accounts = patterned;
    accounts.namespaces = {};
    accounts.account_id = SampleAccount("root").id;
    TokenRecord expired = patterned;
    expired.namespaces = {};
    expired.expires_at = SystemClock().Now() - 1;
    this->News();
    for (const TokenRecord& lesser : {reader, patterned, accounts, expired}) {
      Status replaced = RunTask(tokens().ReplaceToken(Tester(), lesser, root.secret));
      EXPECT_EQ(replaced.has_value(), other.counts);
      if (replaced) EXPECT_TRUE(RunTask(tokens().ReplaceToken(Tester(), root, lesser.secret)));
      if (!replaced) this->ExpectFails(replaced, ErrorKind::kConflict, kMakeOneFirst);
    }
    Status revoked = RunTask(tokens().RevokeToken(Tester(), root.name, root.secret));
    EXPECT_EQ(revoked.has_value(), other.counts);
    if (!revoked) {
      this->ExpectFails(revoked, ErrorKind::kConflict, kMakeOneFirst);
      this->ExpectFails(revoked, ErrorKind::kConflict, "the token \"root\" is the last");
      EXPECT_EQ(this->News(), Texts{}) << "what was refused changed nothing";
      auto kept = RunTask(tokens().FindToken(root.secret));
      EXPECT_TRUE(kept);
      if (kept) EXPECT_EQ(kept->scope, Scope::kAdmin);
      TokenRecord rotated = root;
      rotated.secret = Digest::Of("another secret");
      rotated.expires_at = SystemClock().Now() + 1000;
      EXPECT_TRUE(RunTask(tokens().ReplaceToken(Tester(), rotated, root.secret)))
          << "it is as good";
    }
    EXPECT_TRUE(this->Has());
  }
}

TEST_P(AdministratorSuite, WhereNobodyMayDoEverythingTokensGoFreely) {
  TokenRecord expired = UnlimitedToken();
  expired.expires_at = SystemClock().Now() - 1;
  this->AddToken(expired);
  this->AddToken(SampleToken("publisher"));
  ASSERT_FALSE(this->Has());
  TokenRecord reader = expired;
  reader.scope = Scope::kRead;
  EXPECT_TRUE(RunTask(tokens().ReplaceToken(Tester(), reader, expired.secret)));
  EXPECT_TRUE(RunTask(tokens().ReplaceToken(Tester(), expired, reader.secret)));
  for (const TokenRecord& token : RunTask(tokens().ListTokens()).value()) {
    EXPECT_TRUE(RunTask(tokens().RevokeToken(Tester(), token.name, token.secret)));
  }
  EXPECT_EQ(this->TokenNames(), Texts{});
}

TEST_P(AdministratorSuite, OfTokensThatAreRevokedAtOnceOneStays) {
  for (int round = 0; round < 5; ++round) {
    this->StartRound();
    this->AddAdministrator("ann");
    std::vector<Result<void>> results;
    Racers racers;
    std::vector<TokenRecord> tokens(6, UnlimitedToken());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      tokens[i].name = std::to_string(i);
      tokens[i].secret = Digest::Of("secret of " + std::to_string(i));
      this->AddToken(tokens[i]);
    }
    this->RemoveKeeper();
    for (const TokenRecord& token : tokens) {
      TokenRecord reader = token;
      reader.scope = Scope::kRead;
      if (token.name > "2") {
        racers.Add(this->tokens().RevokeToken(Tester(), token.name, token.secret), &results);
      } else {
        racers.Add(this->tokens().ReplaceToken(Tester(), reader, token.secret), &results);
      }
    }
    racers.Add(accounts().SetDisabled(Tester(), AccountKind::kUser, "ann", kSuiteNow), &results);
    racers.Run();
    EXPECT_EQ(std::ranges::count_if(results, &Status::has_value), 6);
    for (const Status& status : results) {
      if (!status) EXPECT_EQ(status.error().kind, ErrorKind::kConflict) << status.error().detail;
    }
    EXPECT_TRUE(this->Has());
  }
}

TEST_P(AdministratorSuite, OnlyWhoMayDoEverythingIsMissed) {
  EXPECT_FALSE(this->Has()) << "an empty catalog";
  for (const char* user : {"ann", "bob"}) this->AddUser(user);
  AccountRecord former = SampleAccount("former");
  former.admin = true;
  former.disabled_at = kSuiteNow;
  this->Add(former);
  EXPECT_FALSE(this->Has());
  EXPECT_TRUE(this->Disable("ann")) << "nobody is lost by it";
  EXPECT_TRUE(this->Remove("bob"));
  EXPECT_TRUE(this->Disable("former")) << "again";
  EXPECT_TRUE(
      RunTask(accounts().SetDisabled(Tester(), AccountKind::kUser, "former", std::nullopt)));
  EXPECT_TRUE(this->Has());
  EXPECT_EQ(CatalogErrorOf(this->Disable("former")), ErrorKind::kConflict);
  EXPECT_TRUE(
      RunTask(accounts().SetDisabled(Tester(), AccountKind::kUser, "former", std::nullopt)));
}

TEST_P(AdministratorSuite, OfAdministratorsWhoDisableEachOtherOneStays) {
  for (int round = 0; round < 5; ++round) {
    std::vector<Result<void>> results;
    Racers racers;
    this->StartRound();
    for (int i = 0; i < 8; ++i) this->AddAdministrator("root" + std::to_string(i));
    this->RemoveKeeper();
    for (int i = 0; i < 8; ++i) {
      const std::string name = "root" + std::to_string(i);
      if (i % 2 == 0) {
        racers.Add(accounts().SetDisabled(Tester(), AccountKind::kUser, name, kSuiteNow), &results);
      } else {
        racers.Add(accounts().RemoveAccount(Tester(), AccountKind::kUser, name), &results);
      }
    }
    racers.Run();
    EXPECT_EQ(std::ranges::count_if(results, &Status::has_value), 7);
    for (const Status& status : results) {
      if (!status) EXPECT_EQ(status.error().kind, ErrorKind::kConflict) << status.error().detail;
    }
    EXPECT_TRUE(this->Has());
  }
}

}  // namespace
}  // namespace koya
