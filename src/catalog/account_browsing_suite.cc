// What every catalog must do: accounts as pages list them, and sums of what has bytes. See
// catalog_suite_base.h.
#include <map>
#include <string>
#include <utility>

#include "catalog/access_catalog.h"
#include "catalog/blob_ledger.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/sign_in_suite_base.h"
#include "catalog/storage_catalog.h"
#include "domain/account_record.h"
#include "domain/credential_record.h"
#include "domain/identity_record.h"
#include "domain/page.h"
#include "domain/storage_record.h"

namespace koya {
namespace {

class AccountBrowsingSuite : public SignInSuiteBase {
 protected:
  // The names of a page; "…" when there are more behind it.
  Texts Names(AccountFilter filter, PageRequest page = {.offset = 0, .limit = 50}) {
    auto found = RunTask(accounts().BrowseAccounts(std::move(filter), page));
    this->ExpectDone(found);
    Texts names;
    if (!found) return names;
    for (const AccountSummary& each : found->items) names.push_back(each.account.name);
    if (found->more) names.emplace_back("…");
    return names;
  }
  AccountSummary Summary(const std::string& name) {
    auto found = RunTask(accounts().SummariseAccount(AccountKind::kUser, name));
    this->ExpectDone(found);
    return found.value_or(AccountSummary());
  }
};
INSTANTIATE_CATALOG_SUITE(AccountBrowsingSuite);

TEST_P(AccountBrowsingSuite, CutsPagesInOrderOfNames) {
  for (const char* name : {"zoe", "Ann", "b_b", "Bob", "bbb"}) this->AddUser(name);
  this->AddService("robot");
  EXPECT_EQ(this->Names({}), (Texts{"Ann", "b_b", "bbb", "Bob", "zoe"}));
  EXPECT_EQ(this->Names({}, {.offset = 1, .limit = 2}), (Texts{"b_b", "bbb", "…"}));
  EXPECT_EQ(this->Names({}, {.offset = 3, .limit = 2}), (Texts{"Bob", "zoe"}));
  EXPECT_EQ(this->Names({}, {.offset = UINT64_MAX, .limit = 2}), Texts{});
  EXPECT_EQ(this->Names({.kind = AccountKind::kService}), Texts{"robot"});
}

TEST_P(AccountBrowsingSuite, FindsPartsOfNamesAndNoPatterns) {
  for (const char* name : {"Ann", "ann.b", "b_b", "bbb"}) this->AddUser(name);
  EXPECT_EQ(this->Names({.query = "AN"}), (Texts{"Ann", "ann.b"}));
  EXPECT_EQ(this->Names({.query = "ann b"}), Texts{"ann.b"});
  EXPECT_EQ(this->Names({.query = "_"}), Texts{"b_b"});
  for (const char* nothing : {"%", "'; DROP TABLE account; --", "zz"}) {
    EXPECT_EQ(this->Names({.query = nothing}), Texts{}) << nothing;
  }
  for (const std::string& unstorable : kUnstorable) {
    EXPECT_EQ(this->Names({.query = unstorable}), Texts{});
  }
}

TEST_P(AccountBrowsingSuite, TellsHowSomebodyComesInAndWhen) {
  this->AddUser("ann");
  AccountSummary before = this->Summary("ANN");
  EXPECT_EQ(before.account, SampleAccount("ann"));
  EXPECT_FALSE(before.has_password);
  EXPECT_EQ(before.provider, "");
  EXPECT_FALSE(before.last_used_at);
  this->SetPassword("ann", "hash");
  SessionRecord session = SampleSession("one", "ann");
  session.last_used_at = kSuiteNow + 60;
  this->AddSession(session);
  TokenRecord token = SampleToken("hers", SampleAccount("ann").id);
  token.last_used_at = kSuiteNow + 120;
  this->AddToken(token);
  AccountSummary after = this->Summary("ann");
  EXPECT_TRUE(after.has_password);
  EXPECT_EQ(after.last_used_at, kSuiteNow + 120);
  EXPECT_EQ(before.token_count, 0U);
  EXPECT_EQ(after.token_count, 1U);
  this->AddIdentityProvider(SampleIdentityProvider("Okta"));
  auto eve = RunTask(identities().RecordIdentity(
      Tester(), {.provider = "okta", .subject = "1", .wanted_name = "eve", .groups = {}},
      kSuiteNow));
  this->ExpectDone(eve);
  EXPECT_EQ(this->Summary("eve").provider, "Okta");
  EXPECT_FALSE(this->Summary("eve").has_password);
}

TEST_P(AccountBrowsingSuite, TellsTheAddressThatAProviderSaysTheyHave) {
  using Emails = std::map<std::string, std::string>;
  this->AddUser("ann");
  for (const char* name : {"Okta", "gitlab"}) {
    this->AddIdentityProvider(SampleIdentityProvider(name));
  }
  EXPECT_EQ(*RunTask(accounts().ListEmails()), Emails());
  const std::string address = "größe'豆腐@example.com";
  auto eve = this->SignInWith(address, "okta", "1", "eve");
  auto bob = this->SignInWith("", "okta", "2", "bob");
  ASSERT_TRUE(eve && bob);
  EXPECT_EQ(this->Summary("eve").email, address);
  EXPECT_EQ(this->Summary("bob").email, "");
  EXPECT_EQ(this->Summary("ann").email, "");
  EXPECT_EQ(*RunTask(accounts().ListEmails()), (Emails{{eve->id, address}}));
  // The last sign-in counts, with any provider, and so does one without an address.
  EXPECT_TRUE(this->SignInWith("eve@example.org", "OKTA", "1", "x"));
  EXPECT_TRUE(this->SignInWith("bob@example.org", "okta", "2", "x"));
  EXPECT_TRUE(this->SignInWith("another@example.org", "gitlab", "1", "zoe"));
  EXPECT_EQ(this->Summary("eve").email, "eve@example.org");
  EXPECT_EQ(RunTask(accounts().ListEmails())->size(), 3u);
  EXPECT_TRUE(this->SignInWith("", "okta", "1", "x"));
  EXPECT_EQ(this->Summary("eve").email, "");
  EXPECT_EQ(this->Summary("bob").email, "bob@example.org");
  // The address goes with the provider that reported it.
  this->ExpectDone(RunTask(identities().RemoveIdentityProvider(Tester(), "okta")));
  EXPECT_EQ(this->Summary("bob").email, "");
  EXPECT_EQ(RunTask(accounts().ListEmails())->size(), 1u);
}

TEST_P(AccountBrowsingSuite, NamesTheFirstGroupsAndCountsAll) {
  for (const char* name : {"ann", "bob"}) this->AddUser(name);
  for (const char* group : {"f", "E", "d", "c", "b", "a"}) {
    this->AddGroup(group);
    this->AddMember(group, "ann");
  }
  this->AddMember("a", "bob");
  this->AddIdentityProvider(SampleIdentityProvider("okta"));
  this->ExpectDone(RunTask(
      accounts().AddMember(Tester(), "a", MemberRecord{AccountKind::kUser, "bob", "okta"})));
  EXPECT_EQ(this->Summary("ann").groups, (Texts{"a", "b", "c", "d"}));
  EXPECT_EQ(this->Summary("ann").group_count, 6u);
  EXPECT_EQ(this->Summary("bob").groups, Texts{"a"}) << "each once, whoever says so";
  EXPECT_EQ(this->Summary("bob").group_count, 1u);
  auto groups = RunTask(accounts().ListGroupsOf(AccountKind::kUser, "ANN"));
  this->ExpectDone(groups);
  EXPECT_EQ(*groups, (Texts{"a", "b", "c", "d", "E", "f"}));
  EXPECT_EQ(*RunTask(accounts().ListGroupsOf(AccountKind::kService, "ann")), Texts{});
}

TEST_P(AccountBrowsingSuite, UnknownAccountsHaveNoSummary) {
  for (const std::string& name : kUnowned) {
    EXPECT_EQ(CatalogErrorOf(RunTask(accounts().SummariseAccount(AccountKind::kUser, name))),
              ErrorKind::kNotFound)
        << name;
    EXPECT_EQ(*RunTask(accounts().ListGroupsOf(AccountKind::kUser, name)), Texts{});
  }
}

TEST_P(AccountBrowsingSuite, CountsWhoThereIs) {
  auto counts = RunTask(accounts().CountAccess());
  this->ExpectDone(counts);
  EXPECT_EQ(counts->users + counts->services + counts->groups, 0u);
  this->AddAdministrator("root");
  this->AddAdministrator("old");
  this->AddUser("ann");
  this->AddService("ci");
  this->AddGroup("ops");
  ASSERT_TRUE(this->Disable("old"));
  counts = RunTask(accounts().CountAccess());
  EXPECT_EQ(counts->users, 3u);
  EXPECT_EQ(counts->administrators, 1u);
  EXPECT_EQ(counts->disabled, 1u);
  EXPECT_EQ(counts->services, 1u);
  EXPECT_EQ(counts->groups, 1u);
}

TEST_P(AccountBrowsingSuite, SumsWhatHasBytes) {
  auto nothing = RunTask(storage().SumStorage());
  this->ExpectDone(nothing);
  EXPECT_EQ(*nothing, StorageSums());
  const BlobObject object{"ab/1", Digest::Of("one"), 7};
  this->ExpectDone(RunTask(blob_ledger().Arrive(object)));
  auto arriving = RunTask(storage().SumStorage());
  EXPECT_EQ(arriving->objects.arriving, (StoredSum{1, 7}));
  this->ExpectDone(RunTask(blob_ledger().CompleteUpload("ab/1")));
  this->ExpectDone(RunTask(blob_ledger().Arrive({"ab/2", Digest::Of("two"), 5})));
  this->ExpectDone(RunTask(blob_ledger().GiveUpArrivals(std::chrono::seconds(-10))));
  auto settled = RunTask(storage().SumStorage());
  EXPECT_EQ(settled->objects.arriving, StoredSum());
  EXPECT_EQ(settled->objects.stored, (StoredSum{1, 7}));
  EXPECT_EQ(settled->objects.leaving, (StoredSum{1, 5}));
  EXPECT_GT(settled->objects.oldest_leaving_at, 0);
}

}  // namespace
}  // namespace koya
