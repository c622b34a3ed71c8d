// What every catalog must do: somebody is left who may do everything. See catalog_suite_base.h.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/access_suite_base.h"

namespace koya {

template <class Backend>
class AdministratorSuite : public AccessSuiteBase<Backend> {
 protected:
  bool Has() {
    auto has = RunTask(this->catalog().HasAdministrator());
    this->ExpectDone(has);
    return has.value_or(false);
  }
};
TYPED_TEST_SUITE_P(AdministratorSuite);

// A token that may do everything, as one of an earlier version.
inline TokenRecord UnlimitedToken() {
  TokenRecord token = SampleToken("root");
  token.scope = Scope::kAdmin;
  return token;
}

// Who is there beside the administrator that somebody wants to remove.
struct Bystander {
  std::string_view what;
  bool counts;  // whether they may do everything
  std::optional<AccountRecord> account = std::nullopt;
  std::optional<TokenRecord> token = std::nullopt;
};

inline std::vector<Bystander> Bystanders() {
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

TYPED_TEST_P(AdministratorSuite, TheLastAdministratorStays) {
  for (const Bystander& other : Bystanders()) {
    SCOPED_TRACE(other.what);
    this->AddAdministrator("root");
    if (other.account) this->Add(*other.account);
    if (other.token) this->AddToken(*other.token);
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
      this->ExpectFails(status, ErrorKind::kConflict, "koya user create NAME --admin");
      EXPECT_EQ(this->Find("root")->disabled_at, std::nullopt);
      EXPECT_EQ(this->TokenNames(), tokens) << "what was refused changed nothing";
      EXPECT_EQ(this->News(), Texts{});
    }
    EXPECT_TRUE(this->Has());
    // For the next round: they go in the order in which somebody is always left.
    TokenRecord last = SampleToken("last");
    last.scope = Scope::kAdmin;
    this->AddToken(last);
    if (!other.counts) EXPECT_TRUE(this->Remove("root"));
    if (other.account) EXPECT_TRUE(this->Remove("other", other.account->kind));
    for (const TokenRecord& token : RunTask(this->catalog().ListTokens()).value()) {
      EXPECT_TRUE(RunTask(this->catalog().RevokeToken(token.name, token.secret)));
    }
    EXPECT_FALSE(this->Has());
  }
}

TYPED_TEST_P(AdministratorSuite, OnlyWhoMayDoEverythingIsMissed) {
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
  EXPECT_TRUE(RunTask(this->catalog().SetDisabled(AccountKind::kUser, "former", std::nullopt)));
  EXPECT_TRUE(this->Has());
  EXPECT_EQ(CatalogErrorOf(this->Disable("former")), ErrorKind::kConflict);
  EXPECT_TRUE(RunTask(this->catalog().SetDisabled(AccountKind::kUser, "former", std::nullopt)));
}

TYPED_TEST_P(AdministratorSuite, OfAdministratorsWhoDisableEachOtherOneStays) {
  for (int round = 0; round < 5; ++round) {
    std::vector<Result<void>> results;
    Racers racers;
    for (int i = 0; i < 8; ++i) this->AddAdministrator("root" + std::to_string(i));
    for (int i = 0; i < 8; ++i) {
      const std::string name = "root" + std::to_string(i);
      if (i % 2 == 0) {
        racers.Add(this->catalog().SetDisabled(AccountKind::kUser, name, kSuiteNow), &results);
      } else {
        racers.Add(this->catalog().RemoveAccount(AccountKind::kUser, name), &results);
      }
    }
    racers.Run();
    EXPECT_EQ(std::ranges::count_if(results, &Status::has_value), 7);
    for (const Status& status : results) {
      if (!status) EXPECT_EQ(status.error().kind, ErrorKind::kConflict) << status.error().detail;
    }
    EXPECT_TRUE(this->Has());
    this->AddToken(UnlimitedToken());  // so that all may go
    for (const auto& account : RunTask(this->catalog().ListAccounts(AccountKind::kUser)).value()) {
      EXPECT_TRUE(this->Remove(account.name));
    }
    EXPECT_TRUE(RunTask(this->catalog().RevokeToken("root", UnlimitedToken().secret)));
  }
}

REGISTER_TYPED_TEST_SUITE_P(AdministratorSuite, TheLastAdministratorStays,
                            OnlyWhoMayDoEverythingIsMissed,
                            OfAdministratorsWhoDisableEachOtherOneStays);

}  // namespace koya
