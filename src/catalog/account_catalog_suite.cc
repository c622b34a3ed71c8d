// What every catalog must do: accounts, their tokens and rights. See catalog_suite_base.h.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "catalog/access_catalog.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/sign_in_suite_base.h"
#include "catalog/token_catalog.h"
#include "domain/account_record.h"
#include "domain/credential_record.h"

namespace koya {
namespace {

class AccountCatalogSuite : public SignInSuiteBase {};
INSTANTIATE_CATALOG_SUITE(AccountCatalogSuite);

TEST_P(AccountCatalogSuite, AnAccountComesBackAsItWas) {
  AccountRecord plain = SampleAccount("Größe, 'quotes' 豆腐", AccountKind::kService);
  AccountRecord full = SampleAccount("Ann");
  full.admin = true;
  full.disabled_at = kSuiteNow + 7;
  this->Add(plain);
  this->Add(full);
  EXPECT_EQ(this->Find(plain.name, AccountKind::kService), plain);
  for (const char* name : {"Ann", "ann", "ANN"}) EXPECT_EQ(this->Find(name), full) << name;
  EXPECT_EQ(this->RolesOf(plain), Texts{});
  EXPECT_EQ(this->News(), (Texts{"access", "access"}));
}

TEST_P(AccountCatalogSuite, ANameIsTakenAmongItsKindWhateverTheLetterCase) {
  struct Case {
    const char* name;
    AccountKind kind;
    bool free;
  };
  const Case kCases[] = {
      {"Ann", AccountKind::kUser, true},      {"Ann", AccountKind::kUser, false},
      {"ann", AccountKind::kUser, false},     {"ANN", AccountKind::kUser, false},
      {"ann", AccountKind::kService, true},   {"aNN", AccountKind::kService, false},
      {"ann2", AccountKind::kUser, true},     {"a_n", AccountKind::kUser, true},
      {"a%", AccountKind::kUser, true},       {"A%", AccountKind::kUser, false},
      {"ann ci", AccountKind::kService, true}};
  int number = 0;
  for (const Case& c : kCases) {
    AccountRecord account = SampleAccount(c.name, c.kind);
    account.id = std::to_string(++number);
    Status added = RunTask(accounts().AddAccount(Tester(), account));
    EXPECT_EQ(added.has_value(), c.free) << c.name;
    if (!c.free) this->ExpectFails(added, ErrorKind::kConflict, "choose another name");
  }
  EXPECT_EQ(this->News().size(), 6u) << "what is refused changes nothing";
}

TEST_P(AccountCatalogSuite, UnknownAccountsAreNotFound) {
  this->AddUser("ann");
  this->AddService("robot");
  this->News();
  Texts names = kUnowned;
  names.insert(names.end(), kUnstorable.begin(), kUnstorable.end());
  names.emplace_back("robot");
  for (const std::string& name : names) {
    EXPECT_EQ(CatalogErrorOf(this->Find(name)), ErrorKind::kNotFound) << name;
    this->ExpectFails(this->Disable(name), ErrorKind::kNotFound, "there is no user named");
    EXPECT_EQ(CatalogErrorOf(this->Remove(name)), ErrorKind::kNotFound) << name;
    EXPECT_EQ(CatalogErrorOf(RunTask(accounts().FindRights(name))), ErrorKind::kNotFound);
  }
  this->ExpectFails(this->Remove("ann", AccountKind::kService), ErrorKind::kNotFound,
                    "no service account named");
  EXPECT_EQ(this->News(), Texts{});
}

TEST_P(AccountCatalogSuite, WhatNoDatabaseKeepsIsRefused) {
  for (const std::string& text : kUnstorable) {
    for (std::string AccountRecord::* field :
         {&AccountRecord::id, &AccountRecord::name, &AccountRecord::created_by}) {
      AccountRecord account = SampleAccount("ann");
      account.*field = text;
      this->ExpectFails(RunTask(accounts().AddAccount(Tester(), account)), ErrorKind::kInvalid,
                        "must be UTF-8");
    }
  }
  EXPECT_EQ(this->News(), Texts{});
}

TEST_P(AccountCatalogSuite, AccountsAreListedByKindAndName) {
  for (const char* name : {"zoe", "Ann", "b_b", "Bob", "éva"}) this->AddUser(name);
  for (const char* name : {"robot", "CI"}) this->AddService(name);
  auto names = [this](AccountKind kind) {
    Texts texts;
    for (const auto& account : RunTask(accounts().ListAccounts(kind)).value()) {
      EXPECT_EQ(account, SampleAccount(account.name, kind));
      texts.push_back(account.name);
    }
    return texts;
  };
  EXPECT_EQ(names(AccountKind::kUser), (Texts{"Ann", "b_b", "Bob", "zoe", "éva"}));
  EXPECT_EQ(names(AccountKind::kService), (Texts{"CI", "robot"}));
}

TEST_P(AccountCatalogSuite, ADisabledAccountIsEnabledAgain) {
  this->AddUser("ann");
  this->News();
  ASSERT_TRUE(this->Disable("ANN"));
  EXPECT_EQ(this->Find("ann")->disabled_at, kSuiteNow);
  EXPECT_EQ(RunTask(accounts().FindRights("id of user ann"))->account.disabled_at, kSuiteNow);
  ASSERT_TRUE(RunTask(accounts().SetDisabled(Tester(), AccountKind::kUser, "Ann", std::nullopt)));
  EXPECT_EQ(this->Find("ann"), SampleAccount("ann"));
  EXPECT_EQ(this->News(), (Texts{"access", "access"}));
}

TEST_P(AccountCatalogSuite, AUserHasALanguageUntilItIsTakenBack) {
  this->AddUser("Ann");
  this->AddUser("bob");
  this->AddService("ann");
  this->News();
  auto set = [this](std::string user, std::string language) {
    return RunTask(accounts().SetLanguage(Tester(), std::move(user), std::move(language)));
  };
  EXPECT_EQ(this->Find("ann")->language, "");
  this->ExpectDone(set("ANN", "ja"));
  EXPECT_EQ(this->News(), Texts{"token:Ann"}) << "whose sessions know it";
  this->ExpectDone(set("ann", "ja"));
  EXPECT_EQ(this->News(), Texts{});
  EXPECT_EQ(this->Find("ann")->language, "ja");
  EXPECT_EQ(RunTask(accounts().FindRights("id of user Ann"))->account.language, "ja");
  EXPECT_EQ(RunTask(accounts().BrowseAccounts({}, {.limit = 10}))->items[0].account.language, "ja");
  EXPECT_EQ(this->Find("bob")->language, "");
  EXPECT_EQ(this->Find("ann", AccountKind::kService)->language, "");
  ASSERT_TRUE(this->Disable("ann"));
  EXPECT_EQ(this->Find("ann")->language, "ja");
  this->News();
  this->ExpectDone(set("ann", ""));
  EXPECT_EQ(this->Find("ann")->language, "");
  EXPECT_EQ(this->News(), Texts{"token:Ann"});
  EXPECT_EQ(CatalogErrorOf(set("nobody", "ja")), ErrorKind::kNotFound);
  for (const std::string& text : kUnstorable) {
    EXPECT_EQ(CatalogErrorOf(set("ann", text)), ErrorKind::kInvalid);
    EXPECT_EQ(CatalogErrorOf(set(text, "ja")), ErrorKind::kNotFound);
  }
  EXPECT_EQ(this->News(), Texts{});
}

TEST_P(AccountCatalogSuite, ATokenMayBeAnAccounts) {
  this->AddUser("ann");
  const std::string id = SampleAccount("ann").id;
  this->AddToken(SampleToken("hers", id));
  this->AddToken(SampleToken("own"));
  auto account_of = [this](const std::string& name) {
    for (const TokenRecord& token : RunTask(tokens().ListTokens()).value()) {
      auto found = RunTask(tokens().FindToken(token.secret));
      EXPECT_TRUE(found);
      if (found) EXPECT_EQ(found->account_id, token.account_id);
      if (found) EXPECT_EQ(found->account_name, token.account_name);
      EXPECT_EQ(token.account_name, token.account_id.empty() ? "" : "ann");
      const auto user = std::optional(AccountKind::kUser);
      EXPECT_EQ(token.account_kind, token.account_id.empty() ? std::nullopt : user);
      if (token.name == name) return token.account_id;
    }
    return std::string("none");
  };
  EXPECT_EQ(account_of("hers"), id);
  EXPECT_EQ(account_of("own"), "");

  TokenRecord other = SampleToken("hers", id);
  other.secret = Digest::Of("another secret");
  ASSERT_TRUE(RunTask(tokens().ReplaceToken(Tester(), other, SampleToken("hers").secret)));
  EXPECT_EQ(account_of("hers"), id);
  other.account_id = "";
  ASSERT_TRUE(RunTask(tokens().ReplaceToken(Tester(), other, other.secret)));
  EXPECT_EQ(account_of("hers"), "");
  other.account_id = id;
  ASSERT_TRUE(RunTask(tokens().ReplaceToken(Tester(), other, other.secret)));
  EXPECT_EQ(account_of("hers"), id);
}

TEST_P(AccountCatalogSuite, ATokenOfNoAccountThatIsThereIsRefused) {
  this->AddUser("ann");
  this->AddToken(SampleToken("kept", SampleAccount("ann").id));
  this->News();
  for (const std::string& id : {std::string("id of user"), std::string("ann"), std::string("%"),
                                std::string("\xff"), std::string("\0", 1)}) {
    this->ExpectFails(RunTask(tokens().AddToken(Tester(), SampleToken("new", id))),
                      ErrorKind::kNotFound, "the account of the token does not exist");
    this->ExpectFails(RunTask(tokens().ReplaceToken(Tester(), SampleToken("kept", id),
                                                    SampleToken("kept").secret)),
                      ErrorKind::kNotFound, "the account of the token does not exist");
  }
  EXPECT_EQ(this->TokenNames(), Texts{"kept"});
  EXPECT_EQ(this->News(), Texts{});
}

TEST_P(AccountCatalogSuite, RightsAreTheHighestRolesOfAllThatWasGranted) {
  for (const char* user : {"ann", "bob"}) this->AddUser(user);
  this->AddService("ann");
  for (const char* group : {"ops", "dev", "empty"}) this->AddGroup(group);
  this->AddMember("ops", "Ann");
  this->AddMember("dev", "ann");
  this->AddMember("dev", "bob");
  ASSERT_TRUE(RunTask(accounts().AddMember(Tester(), "dev", {AccountKind::kUser, "ann", "okta"})));
  for (const char* ns : {"acme", "Beta", "my_team", "none"}) this->AddNamespace(ns);
  // A group may be called what an account's id is.
  this->AddGroup(SampleAccount("ann").id);
  this->Grant("none", GranteeKind::kGroup, SampleAccount("ann").id, Role::kOwner);
  this->Grant("none", GranteeKind::kGroup, "empty", Role::kOwner);
  this->Grant("acme", GranteeKind::kUser, "ann", Role::kReader);
  this->Grant("acme", GranteeKind::kGroup, "ops", Role::kOwner);
  this->Grant("acme", GranteeKind::kGroup, "dev", Role::kPublisher);
  this->Grant("beta", GranteeKind::kGroup, "DEV", Role::kReader);
  this->Grant("beta", GranteeKind::kUser, "ANN", Role::kPublisher);
  this->Grant("MY_TEAM", GranteeKind::kService, "ann", Role::kReader);
  EXPECT_EQ(this->RolesOf(SampleAccount("ann")), (Texts{"acme owner", "beta publisher"}));
  EXPECT_EQ(this->RolesOf(SampleAccount("bob")), (Texts{"acme publisher", "beta reader"}));
  EXPECT_EQ(this->RolesOf(SampleAccount("ann", AccountKind::kService)), Texts{"my_team reader"});
}

TEST_P(AccountCatalogSuite, ARemovedAccountTakesEverythingOfItsAlong) {
  for (const char* user : {"ann", "bob"}) this->AddUser(user);
  this->AddService("ann");
  this->AddGroup("dev");
  this->AddNamespace("acme");
  for (const char* user : {"ann", "bob"}) {
    this->AddMember("dev", user);
    this->Grant("acme", GranteeKind::kUser, user, Role::kOwner);
    this->AddToken(SampleToken(std::string(user) + "'s", SampleAccount(user).id));
    this->AddToken(SampleToken(std::string(user) + "'s other", SampleAccount(user).id));
  }
  this->AddToken(SampleToken("ann"));
  this->Grant("acme", GranteeKind::kService, "ann", Role::kReader);
  this->News();

  ASSERT_TRUE(this->Remove("ANN"));
  EXPECT_EQ(this->News(), (Texts{"access", "token:ann's", "token:ann's other"}));
  EXPECT_EQ(CatalogErrorOf(this->Find("ann")), ErrorKind::kNotFound);
  EXPECT_EQ(CatalogErrorOf(RunTask(accounts().FindRights(SampleAccount("ann").id))),
            ErrorKind::kNotFound);
  EXPECT_EQ(this->TokenNames(), (Texts{"ann", "bob's", "bob's other"}));
  EXPECT_EQ(this->MembersOf("dev"), Texts{"user bob by "});
  EXPECT_EQ(this->GrantsOf("acme"), (Texts{"user bob owner", "service ann reader"}));
  EXPECT_EQ(this->RolesOf(SampleAccount("ann", AccountKind::kService)), Texts{"acme reader"});
  EXPECT_EQ(CatalogErrorOf(this->Remove("ann")), ErrorKind::kNotFound);

  AccountRecord again = SampleAccount("ann");
  again.id = "another id";
  this->Add(again);
  EXPECT_EQ(this->RolesOf(again), Texts{}) << "the name alone gives nothing back";
}

TEST_P(AccountCatalogSuite, AListOfTokensSaysWhoseTheyAre) {
  this->AddUser("Ann");
  this->AddService("Ann");
  this->AddService("robot");
  this->AddToken(SampleToken("a", SampleAccount("Ann").id));
  this->AddToken(SampleToken("b", SampleAccount("Ann", AccountKind::kService).id));
  TokenRecord named = SampleToken("c", SampleAccount("robot", AccountKind::kService).id);
  named.account_name = "what is said of it";
  named.account_kind = AccountKind::kUser;
  this->AddToken(named);
  this->AddToken(SampleToken("d"));
  Texts texts;
  for (const TokenRecord& token : RunTask(tokens().ListTokens()).value()) {
    const std::string_view kind = token.account_kind ? AccountKindName(*token.account_kind) : "";
    texts.push_back(token.name + ": " + std::string(kind) + " " + token.account_name);
  }
  EXPECT_EQ(texts, (Texts{"a: user Ann", "b: service Ann", "c: service robot", "d:  "}));
}

TEST_P(AccountCatalogSuite, ARemovedAccountTakesItsWaysInAlong) {
  this->AddIdentityProvider(SampleIdentityProvider("okta"));
  std::vector<AccountRecord> accounts;
  for (const char* user : {"ann", "bob"}) {
    auto account = this->SignIn("okta", user, user);
    this->ExpectDone(account);
    accounts.push_back(account.value());
    this->SetPassword(user, "hash");
    SessionRecord session = SampleSession(user, user);
    session.account_id = account->id;
    this->AddSession(session);
    LoginCodeRecord code = SampleLoginCode(user, user);
    code.account_id = account->id;
    this->ExpectDone(RunTask(login_codes().AddLoginCode(code)));
  }
  // Disabling keeps all that.
  ASSERT_TRUE(this->Disable("ann"));
  EXPECT_EQ(this->AllSessions(), (Texts{"ann", "bob"}));
  EXPECT_EQ(this->PasswordOf("ann"), "hash");
  EXPECT_EQ(this->SignIn("okta", "ann", "x")->id, accounts[0].id);

  ASSERT_TRUE(this->Remove("ann"));
  EXPECT_EQ(this->AllSessions(), Texts{"bob"});
  EXPECT_EQ(CatalogErrorOf(RunTask(login_codes().TakeLoginCode(Digest::Of("code ann")))),
            ErrorKind::kNotFound);
  EXPECT_EQ(CatalogErrorOf(RunTask(passwords().FindPassword("ann"))), ErrorKind::kNotFound);
  this->AddUser("ann");
  EXPECT_EQ(this->PasswordOf("ann"), "none");
  EXPECT_EQ(this->NameOf("okta", "ann", "ann"), "ann-2") << "known by another name now";
  EXPECT_EQ(this->PasswordOf("bob"), "hash");
  EXPECT_TRUE(RunTask(login_codes().TakeLoginCode(Digest::Of("code bob"))));
  EXPECT_EQ(this->SignIn("okta", "bob", "bob"), accounts[1]);
}

TEST_P(AccountCatalogSuite, ATokenThatRacesWithItsAccountsRemovalIsNotLeftOver) {
  for (int round = 0; round < 10; ++round) {
    this->AddUser("ann");
    Racers racers;
    std::vector<Result<void>> added, removed;
    for (int i = 0; i < 6; ++i) {
      TokenRecord token = SampleToken(std::to_string(i), SampleAccount("ann").id);
      racers.Add(tokens().AddToken(Tester(), token), &added);
      if (i == 3)
        racers.Add(accounts().RemoveAccount(Tester(), AccountKind::kUser, "ann"), &removed);
    }
    racers.Run();
    ASSERT_EQ(removed.size(), 1u);
    EXPECT_TRUE(removed[0]) << removed[0].error().message << removed[0].error().detail;
    for (const Status& each : added) {
      if (!each) EXPECT_EQ(each.error().kind, ErrorKind::kNotFound) << each.error().detail;
    }
    EXPECT_EQ(this->TokenNames(), Texts{});
  }
}

TEST_P(AccountCatalogSuite, TokensOfAnAccountThatEndAreListedByTheirEnd) {
  this->AddUser("ann");
  this->AddUser("ben");
  const std::string ann = SampleAccount("ann").id;
  auto add = [this](const std::string& name, const std::string& account,
                    std::optional<UnixSeconds> end) {
    TokenRecord token = SampleToken(name, account);
    token.expires_at = end;
    this->AddToken(token);
  };
  add("last", ann, kSuiteNow + 20);
  add("too late", ann, kSuiteNow + 21);
  add("b first", ann, kSuiteNow - 10);
  add("a first", ann, kSuiteNow - 10);
  add("too early", ann, kSuiteNow - 11);
  add("never", ann, std::nullopt);
  add("ben's", SampleAccount("ben").id, kSuiteNow);
  add("nobody's", "", kSuiteNow);
  auto ending = [this](const std::string& account) {
    Texts names;
    auto tokens = RunTask(this->tokens().ListEndingTokens(account, kSuiteNow - 10, kSuiteNow + 20));
    this->ExpectDone(tokens);
    for (const TokenRecord& token : tokens.value_or(std::vector<TokenRecord>())) {
      names.push_back(token.name);
    }
    return names;
  };
  EXPECT_EQ(ending(ann), (Texts{"a first", "b first", "last"}));
  EXPECT_EQ(ending(SampleAccount("ben").id), Texts{"ben's"});
  for (const std::string& other : {std::string(), std::string("ann"), std::string("\xff")}) {
    EXPECT_EQ(ending(other), Texts{}) << other;
  }
}

TEST_P(AccountCatalogSuite, TokensAreBrowsedByAFilter) {
  this->AddService("ci");
  auto add = [this](const std::string& name, std::optional<UnixSeconds> end,
                    std::optional<UnixSeconds> used) {
    TokenRecord token = SampleToken(name, SampleAccount("ci", AccountKind::kService).id);
    token.created_at = kSuiteNow - 100;
    token.expires_at = end;
    token.last_used_at = used;
    this->AddToken(token);
  };
  add("a never", std::nullopt, kSuiteNow);
  add("b unused", kSuiteNow + 50, std::nullopt);
  add("c used long ago", kSuiteNow + 51, kSuiteNow - 100);
  add("d ended", kSuiteNow, kSuiteNow - 99);
  auto found = [this](TokenFilter filter, UnixSeconds from, UnixSeconds until,
                      PageRequest page = {.offset = 0, .limit = 50}) {
    Texts names;
    auto tokens = RunTask(this->tokens().BrowseTokens(filter, from, until, page));
    this->ExpectDone(tokens);
    if (!tokens) return names;
    for (const TokenRecord& token : tokens->items) names.push_back(token.name);
    if (tokens->more) names.emplace_back("…");
    return names;
  };
  using enum TokenFilter;
  EXPECT_EQ(found(kAll, 0, 0), (Texts{"a never", "b unused", "c used long ago", "d ended"}));
  EXPECT_EQ(found(kAll, 0, 0, {.offset = 1, .limit = 2}),
            (Texts{"b unused", "c used long ago", "…"}));
  EXPECT_EQ(found(kAll, 0, 0, {.offset = UINT64_MAX, .limit = 2}), Texts{});
  EXPECT_EQ(found(kNeverExpires, 0, 0), Texts{"a never"});
  EXPECT_EQ(found(kUnused, 0, kSuiteNow - 100), (Texts{"b unused", "c used long ago"}));
  EXPECT_EQ(found(kUnused, 0, kSuiteNow - 101), Texts{});
  EXPECT_EQ(found(kEndsSoon, kSuiteNow + 1, kSuiteNow + 50), Texts{"b unused"});
  auto first = RunTask(tokens().BrowseTokens(kNeverExpires, 0, 0, {}));
  ASSERT_TRUE(first && !first->items.empty());
  EXPECT_EQ(first->items[0].account_created_by,
            SampleAccount("ci", AccountKind::kService).created_by);
}

}  // namespace
}  // namespace koya
