// What every catalog must do: modules, tokens and changes. See catalog_suite_base.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/change_log.h"
#include "catalog/module_catalog.h"
#include "catalog/token_catalog.h"
#include "domain/access.h"
#include "domain/archive_kind.h"
#include "domain/credential_record.h"
#include "domain/digest.h"
#include "domain/module_record.h"
#include "domain/page.h"
#include "domain/use.h"
#include "domain/withdrawal.h"

namespace koya {
namespace {

class CatalogSuite : public CatalogSuiteBase {
 protected:
  using What = AddOutcome::What;

  AddOutcome Add(const ModuleVersionRecord& record) {
    Result<AddOutcome> outcome = RunTask(modules().AddVersion(Tester(), record));
    EXPECT_TRUE(outcome) << outcome.error().message << outcome.error().detail;
    return outcome ? *outcome : AddOutcome{.what = What::kWithdrawn};
  }
  What AddWhat(std::string_view address, std::string_view version,
               std::string_view content = "content") {
    return Add(Record(address, version, content)).what;
  }
  Status Withdraw(std::string_view address, std::string_view version) {
    Withdrawal withdrawal{.at = 1'700'000'100, .by = "admin", .reason = "leaked a secret"};
    return RunTask(modules().Withdraw(Tester(), Address(address), V(version), withdrawal));
  }
  std::vector<std::string> Versions(std::string_view address) {
    std::vector<std::string> texts;
    auto records = RunTask(modules().ListVersions(Address(address)));
    if (!records) return texts;
    for (const auto& record : *records) texts.push_back(record.version.ToString());
    return texts;
  }
  // "acme/vpc/aws 1.0.0" for each module of a page; "…" when there are more.
  std::vector<std::string> List(ModuleFilter filter = {}, PageRequest page = {0, 100}) {
    std::vector<std::string> texts;
    auto found = RunTask(modules().ListModules(std::move(filter), page));
    EXPECT_TRUE(found) << found.error().message << found.error().detail;
    if (!found) return texts;
    for (const auto& item : found->items) {
      texts.push_back(item.address.ToString() + " " + item.latest.ToString());
    }
    if (found->more) texts.push_back("…");
    return texts;
  }
};
INSTANTIATE_CATALOG_SUITE(CatalogSuite);

TEST_P(CatalogSuite, KeepsEveryFieldOfAVersion) {
  ModuleVersionRecord record = Record("acme/vpc/aws", "1.2.3-rc.1+build.7");
  record.kind = ArchiveKind::kZip;
  record.size = 5'000'000'000;
  record.description = "Größe, 'quotes', \"more\", 100% {{key}} :name 豆腐";
  ASSERT_EQ(this->Add(record).what, AddOutcome::What::kAdded);
  auto found = RunTask(modules().FindVersion(record.address, record.version));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->address, record.address);
  EXPECT_EQ(found->version.ToString(), "1.2.3-rc.1+build.7");
  EXPECT_EQ(found->kind, ArchiveKind::kZip);
  EXPECT_EQ(found->digest, record.digest);
  EXPECT_EQ(found->upload_digest, record.upload_digest);
  EXPECT_EQ(found->size, 5'000'000'000u);
  EXPECT_EQ(found->description, record.description);
  EXPECT_EQ(found->published_at, 1'700'000'000);
  EXPECT_EQ(found->published_by, "ci");
}

TEST_P(CatalogSuite, ListsVersionsNewestFirst) {
  for (const char* version : {"1.0.0", "1.10.0", "1.9.0", "2.0.0-rc.1", "2.0.0-rc.10", "0.1.0"}) {
    ASSERT_EQ(this->AddWhat("acme/vpc/aws", version), AddOutcome::What::kAdded) << version;
  }
  EXPECT_EQ(this->Versions("acme/vpc/aws"),
            (Texts{"2.0.0-rc.10", "2.0.0-rc.1", "1.10.0", "1.9.0", "1.0.0", "0.1.0"}));
}

TEST_P(CatalogSuite, UnknownThingsAreNotFound) {
  this->AddWhat("acme/vpc/aws", "1.0.0");
  EXPECT_EQ(CatalogErrorOf(RunTask(modules().ListVersions(Address("acme/vpc/google")))),
            ErrorKind::kNotFound);
  EXPECT_EQ(CatalogErrorOf(RunTask(modules().FindVersion(Address("acme/vpc/aws"), V("1.0.1")))),
            ErrorKind::kNotFound);
  EXPECT_EQ(CatalogErrorOf(RunTask(modules().FindVersion(Address("acme/vpc/aws"), V("1.0.0+b")))),
            ErrorKind::kNotFound);
  EXPECT_EQ(CatalogErrorOf(this->Withdraw("acme/none/aws", "1.0.0")), ErrorKind::kNotFound);
  EXPECT_EQ(CatalogErrorOf(this->Withdraw("acme/vpc/aws", "9.9.9")), ErrorKind::kNotFound);
  EXPECT_EQ(CatalogErrorOf(RunTask(tokens().FindToken(Digest::Of("nobody")))),
            ErrorKind::kNotFound);
  EXPECT_EQ(CatalogErrorOf(RunTask(tokens().RevokeToken(Tester(), "nobody", Digest::Of("nobody")))),
            ErrorKind::kNotFound);
}

TEST_P(CatalogSuite, AVersionNeverChanges) {
  using What = AddOutcome::What;
  struct Case {
    const char* version;
    const char* content;
    What wanted;
  };
  const Case kCases[] = {
      {"1.0.0+a", "one", What::kAdded},      {"1.0.0+a", "one", What::kSameUpload},
      {"1.0.0+a", "two", What::kOtherBytes}, {"1.0.0", "one", What::kOtherBuild},
      {"1.0.0+b", "one", What::kOtherBuild}, {"1.0.0-rc.1", "one", What::kAdded},
      {"1.0.0-RC.1", "one", What::kAdded},   {"1.0.1", "one", What::kAdded}};
  for (const Case& c : kCases) {
    Result<AddOutcome> check = RunTask(
        modules().CheckVersion(Address("acme/vpc/aws"), V(c.version), Digest::Of(c.content)));
    ASSERT_TRUE(check);
    EXPECT_EQ(check->what, c.wanted) << c.version;
    AddOutcome outcome = this->Add(Record("acme/vpc/aws", c.version, c.content));
    EXPECT_EQ(outcome.what, c.wanted) << c.version;
    EXPECT_EQ(outcome.existing.has_value(), c.wanted != What::kAdded) << c.version;
    if (outcome.existing && c.wanted != What::kAdded) {
      EXPECT_EQ(outcome.existing->version.ToString(), "1.0.0+a");
      EXPECT_EQ(outcome.existing->upload_digest, Digest::Of("one"));
    }
  }
}

TEST_P(CatalogSuite, CheckingWithoutADigestSaysWhatIsCertain) {
  using What = AddOutcome::What;
  this->AddWhat("acme/vpc/aws", "1.0.0+a");
  this->AddWhat("acme/vpc/aws", "2.0.0");
  ASSERT_TRUE(this->Withdraw("acme/vpc/aws", "2.0.0"));
  auto check = [this](std::string_view version) {
    return RunTask(modules().CheckVersion(Address("acme/vpc/aws"), V(version), std::nullopt))->what;
  };
  EXPECT_EQ(check("3.0.0"), What::kAdded);
  EXPECT_EQ(check("1.0.0+a"), What::kSameUpload);
  EXPECT_EQ(check("1.0.0"), What::kOtherBuild);
  EXPECT_EQ(check("2.0.0"), What::kWithdrawn);
}

TEST_P(CatalogSuite, LetterCaseIsKeptButDoesNotDistinguish) {
  ASSERT_EQ(this->AddWhat("Acme/VPC/aws", "1.0.0"), AddOutcome::What::kAdded);
  EXPECT_EQ(this->AddWhat("acme/vpc/aws", "1.0.0"), AddOutcome::What::kSameUpload);
  EXPECT_EQ(this->AddWhat("ACME/vpc/aws", "1.1.0"), AddOutcome::What::kAdded);
  auto found = RunTask(modules().FindVersion(Address("acme/Vpc/aws"), V("1.1.0")));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->address.ToString(), "Acme/VPC/aws");
  EXPECT_EQ(this->List(), Texts{"Acme/VPC/aws 1.1.0"});
  EXPECT_EQ(this->List({.ns = "aCME"}), Texts{"Acme/VPC/aws 1.1.0"});
  EXPECT_EQ(this->List({.name = "vPc"}), Texts{"Acme/VPC/aws 1.1.0"});
}

TEST_P(CatalogSuite, AWithdrawnVersionIsGoneButRemembered) {
  this->AddWhat("acme/vpc/aws", "1.0.0");
  this->AddWhat("acme/vpc/aws", "1.1.0");
  ASSERT_TRUE(this->Withdraw("ACME/vpc/aws", "1.1.0"));
  EXPECT_EQ(this->Versions("acme/vpc/aws"), Texts{"1.0.0"});
  EXPECT_EQ(this->List(), Texts{"acme/vpc/aws 1.0.0"});
  const auto gone = RunTask(modules().FindVersion(Address("acme/vpc/aws"), V("1.1.0")));
  EXPECT_EQ(CatalogErrorOf(gone), ErrorKind::kGone);
  EXPECT_EQ(gone.error().message,
            "acme/vpc/aws 1.1.0 was withdrawn on 2023-11-14: leaked a secret. List its versions to "
            "find another one.");
  EXPECT_EQ(
      CatalogErrorOf(RunTask(modules().FindVersion(Address("acme/vpc/aws"), V("1.1.0+again")))),
      ErrorKind::kNotFound);
  EXPECT_EQ(CatalogErrorOf(this->Withdraw("acme/vpc/aws", "1.1.0")), ErrorKind::kGone);
  for (const char* version : {"1.1.0", "1.1.0+again"}) {
    AddOutcome outcome = this->Add(Record("acme/vpc/aws", version));
    EXPECT_EQ(outcome.what, AddOutcome::What::kWithdrawn);
    ASSERT_TRUE(outcome.withdrawal);
    EXPECT_EQ(outcome.withdrawal->reason, "leaked a secret");
    EXPECT_EQ(outcome.withdrawal->by, "admin");
    EXPECT_EQ(outcome.withdrawal->at, 1'700'000'100);
  }
}

TEST_P(CatalogSuite, AWithdrawalCanBeUndoneWhileItsBytesAreKept) {
  const ModuleAddress address = Address("acme/vpc/aws");
  auto restore = [&](const char* version) {
    return RunTask(modules().Restore(Tester(), address, V(version), "by mistake"));
  };
  auto withdraw = [&](const char* version, std::chrono::seconds keep_for) {
    const Withdrawal withdrawal{
        .at = 1'700'000'100, .by = "admin", .reason = "leaks", .successor = "1.0.0"};
    return RunTask(modules().Withdraw(Tester(), address, V(version), withdrawal, keep_for));
  };
  EXPECT_EQ(CatalogErrorOf(restore("1.1.0")), ErrorKind::kNotFound);
  this->AddWhat("acme/vpc/aws", "1.0.0");
  const ModuleVersionRecord record = Record("acme/vpc/aws", "1.1.0");
  this->Add(record);
  EXPECT_EQ(CatalogErrorOf(restore("1.1.0")), ErrorKind::kConflict);
  EXPECT_EQ(CatalogErrorOf(restore("1.2.0")), ErrorKind::kNotFound);
  ASSERT_TRUE(withdraw("1.1.0", std::chrono::hours(1)));
  EXPECT_TRUE(this->IsReferenced(record.digest)) << "no collection takes what can come back";
  auto gone = RunTask(modules().FindVersion(address, V("1.1.0")));
  EXPECT_EQ(CatalogErrorOf(gone), ErrorKind::kGone);
  EXPECT_TRUE(gone.error().message.ends_with("leaks. Use 1.0.0.")) << gone.error().message;
  EXPECT_EQ(CatalogErrorOf(restore("1.1.0+b")), ErrorKind::kNotFound);
  ASSERT_TRUE(restore("1.1.0"));
  EXPECT_EQ(this->Versions("acme/vpc/aws"), (Texts{"1.1.0", "1.0.0"}));
  EXPECT_EQ(this->List(), Texts{"acme/vpc/aws 1.1.0"});
  EXPECT_TRUE(RunTask(modules().ListWithdrawn(address))->empty());
  EXPECT_EQ(CatalogErrorOf(restore("1.1.0")), ErrorKind::kConflict);
  // Once its bytes may have gone it stays withdrawn.
  ASSERT_TRUE(withdraw("1.1.0", std::chrono::seconds(-1)));
  EXPECT_EQ(CatalogErrorOf(restore("1.1.0")), ErrorKind::kGone);
  EXPECT_EQ(this->Versions("acme/vpc/aws"), Texts{"1.0.0"});
}

TEST_P(CatalogSuite, AModuleWithoutVersionsIsNotListed) {
  this->AddWhat("acme/vpc/aws", "1.0.0");
  ASSERT_TRUE(this->Withdraw("acme/vpc/aws", "1.0.0"));
  EXPECT_EQ(this->List(), Texts{});
  EXPECT_EQ(CatalogErrorOf(RunTask(modules().ListVersions(Address("acme/vpc/aws")))),
            ErrorKind::kNotFound);
  EXPECT_EQ(this->AddWhat("acme/vpc/aws", "1.0.1"), AddOutcome::What::kAdded);
  EXPECT_EQ(this->List(), Texts{"acme/vpc/aws 1.0.1"});
}

TEST_P(CatalogSuite, TheLatestIsTheNewestReleaseElseTheNewestPrerelease) {
  const std::pair<const char*, const char*> kSteps[] = {
      {"1.0.0-rc.2", "1.0.0-rc.2"}, {"1.0.0-rc.10", "1.0.0-rc.10"},
      {"0.9.0", "0.9.0"},           {"1.0.0-rc.11", "0.9.0"},
      {"0.10.0", "0.10.0"},         {"0.2.0", "0.10.0"},
      {"2.0.0-alpha", "0.10.0"},    {"1.0.0", "1.0.0"}};
  for (auto [version, latest] : kSteps) {
    ASSERT_EQ(this->AddWhat("acme/vpc/aws", version), AddOutcome::What::kAdded);
    EXPECT_EQ(this->List(), Texts{std::string("acme/vpc/aws ") + latest}) << "after " << version;
  }
  const std::pair<const char*, const char*> kWithdrawals[] = {
      {"0.2.0", "1.0.0"}, {"1.0.0", "0.10.0"}, {"0.10.0", "0.9.0"}, {"0.9.0", "2.0.0-alpha"}};
  for (auto [version, latest] : kWithdrawals) {
    ASSERT_TRUE(this->Withdraw("acme/vpc/aws", version));
    EXPECT_EQ(this->List(), Texts{std::string("acme/vpc/aws ") + latest}) << "without " << version;
  }
}

TEST_P(CatalogSuite, ASummaryShowsTheLatestVersion) {
  ModuleVersionRecord record = Record("acme/vpc/aws", "1.0.0");
  record.description = "first";
  this->Add(record);
  record = Record("acme/vpc/aws", "2.0.0", "two");
  record.description = "second";
  record.published_at = 1'700'000'777;
  this->Add(record);
  auto page = RunTask(modules().ListModules({}, {}));
  ASSERT_TRUE(page);
  ASSERT_EQ(page->items.size(), 1u);
  EXPECT_EQ(page->items[0].description, "second");
  EXPECT_EQ(page->items[0].published_at, 1'700'000'777);
  EXPECT_EQ(page->items[0].versions, 2u);
  ASSERT_TRUE(this->Withdraw("acme/vpc/aws", "2.0.0"));
  page = RunTask(modules().ListModules({}, {}));
  EXPECT_EQ(page->items[0].description, "first");
  EXPECT_EQ(page->items[0].published_at, 1'700'000'000);
  EXPECT_EQ(page->items[0].versions, 1u);
}

TEST_P(CatalogSuite, PagesOfModulesAreOrderedAndComplete) {
  for (const char* address : {"zeta/a/aws", "Acme/vpc/aws", "acme/dns/aws", "acme/dns/google",
                              "acme-two/dns/aws", "acme0/dns/aws"}) {
    ASSERT_EQ(this->AddWhat(address, "1.0.0"), AddOutcome::What::kAdded);
  }
  const Texts all = this->List();
  EXPECT_EQ(all, (Texts{"acme-two/dns/aws 1.0.0", "acme/dns/aws 1.0.0", "acme/dns/google 1.0.0",
                        "Acme/vpc/aws 1.0.0", "acme0/dns/aws 1.0.0", "zeta/a/aws 1.0.0"}));
  Texts paged;
  for (std::uint64_t offset = 0;; offset += 4) {
    Texts page = this->List({}, {offset, 4});
    bool more = !page.empty() && page.back() == "…";
    if (more) page.pop_back();
    paged.insert(paged.end(), page.begin(), page.end());
    if (!more) break;
  }
  EXPECT_EQ(paged, all);
  EXPECT_EQ(this->List({}, {6, 4}), Texts{});
  EXPECT_EQ(this->List({}, {0, 6}), all);
  EXPECT_EQ(this->List({}, {0, 0}), Texts{"…"});
  EXPECT_EQ(this->List({}, {~std::uint64_t{0}, ~std::uint64_t{0}}), Texts{});
  EXPECT_EQ(this->List({.after = "acme/dns/google"}, {0, 2}),
            (Texts{"Acme/vpc/aws 1.0.0", "acme0/dns/aws 1.0.0", "…"}));
  EXPECT_EQ(this->List({.after = "Acme/VPC/aws"}).size(), 2U);
  EXPECT_EQ(this->List({.ns = "acme", .after = "acme/e"}), Texts{"Acme/vpc/aws 1.0.0"});
}

TEST_P(CatalogSuite, FiltersRestrictListings) {
  for (const char* address :
       {"acme/vpc/aws", "acme/dns/google", "acme2/vpc/aws", "acme-2/vpc/google"}) {
    this->AddWhat(address, "1.0.0");
  }
  const std::pair<ModuleFilter, Texts> kCases[] = {
      {{.ns = "acme"}, {"acme/dns/google 1.0.0", "acme/vpc/aws 1.0.0"}},
      {{.ns = "acm"}, {}},
      {{.ns = "acme/"}, {}},
      {{.name = "vpc", .system = "aws"}, {"acme/vpc/aws 1.0.0", "acme2/vpc/aws 1.0.0"}},
      {{.ns = "acme", .name = "vpc"}, {"acme/vpc/aws 1.0.0"}},
      {{.system = "google"}, {"acme-2/vpc/google 1.0.0", "acme/dns/google 1.0.0"}},
      {{.ns = "nobody"}, {}},
      {{.system = "azurerm"}, {}},
      {{.ns = "acme", .query = "dns"}, {"acme/dns/google 1.0.0"}}};
  for (const auto& [filter, wanted] : kCases) {
    EXPECT_EQ(this->List(filter), wanted)
        << filter.ns << "|" << filter.name << "|" << filter.system;
  }
}

TEST_P(CatalogSuite, SearchWantsEveryWordAnywhere) {
  auto add = [this](std::string_view address, std::string_view description) {
    ModuleVersionRecord record = Record(address, "1.0.0");
    record.description = description;
    this->Add(record);
  };
  add("acme/vpc/aws", "Makes a Network, 100% private");
  add("acme/under_score/aws", "back\\slash and it's \"quoted\"");
  add("beta/dns/google", "Zones and records; Größe");
  const Texts vpc{"acme/vpc/aws 1.0.0"}, score{"acme/under_score/aws 1.0.0"};
  const Texts dns{"beta/dns/google 1.0.0"}, none;
  const std::pair<std::string, Texts> kCases[] = {
      {"network", vpc},
      {"NETWORK acme", vpc},
      {"  vpc\taws\n", vpc},
      {"100%", vpc},
      {"0%%", none},
      {"network zones", none},
      {"_", score},
      {"r_s", score},
      {"\\", score},
      {"it's \"quoted\"", score},
      {"'; DROP TABLE module; --", none},
      {"größe", dns},
      {"Größe", dns},
      {"google ZONES", dns},
      {"gooogle", none},
      {"vpcaws", none},
      {std::string("dns\0", 4), none},
      {"\xff", none},
      {"a b c d e f g h i j k l m n o p q r s t u v w x y z", none}};
  for (const auto& [query, wanted] : kCases)
    EXPECT_EQ(this->List({.query = query}), wanted) << query;
  EXPECT_EQ(this->List({.query = "   "}).size(), 3u);
}

TEST_P(CatalogSuite, ABlobIsReferencedWhileAVersionIsServedFromIt) {
  Digest digest = Record("acme/vpc/aws", "1.0.0").digest;
  EXPECT_FALSE(this->IsReferenced(digest));
  this->AddWhat("acme/vpc/aws", "1.0.0");
  this->AddWhat("acme/copy/aws", "1.0.0");
  EXPECT_TRUE(this->IsReferenced(digest));
  ASSERT_TRUE(this->Withdraw("acme/vpc/aws", "1.0.0"));
  EXPECT_TRUE(this->IsReferenced(digest));
  EXPECT_TRUE(this->IsPublished(digest));
  ASSERT_TRUE(this->Withdraw("acme/copy/aws", "1.0.0"));
  EXPECT_FALSE(this->IsReferenced(digest));
  EXPECT_FALSE(this->IsPublished(digest));
  EXPECT_FALSE(this->IsReferenced(Digest::Of("content"))) << "an upload";
}

TEST_P(CatalogSuite, ADescriptionThatIsNotTextIsRefused) {
  for (std::string_view bad : {std::string_view("\xff"), std::string_view("a\0b", 3)}) {
    ModuleVersionRecord record = Record("acme/vpc/aws", "1.0.0");
    record.description = bad;
    EXPECT_EQ(CatalogErrorOf(RunTask(this->modules().AddVersion(Tester(), record))),
              ErrorKind::kInvalid);
  }
  EXPECT_EQ(this->List(), Texts{});
}

Awaitable<void> AddAndCount(ModuleCatalog& modules, ModuleVersionRecord record,
                            std::vector<AddOutcome::What>* outcomes) {
  Result<AddOutcome> outcome = co_await modules.AddVersion(Tester(), std::move(record));
  EXPECT_TRUE(outcome) << outcome.error().message << outcome.error().detail;
  if (outcome) outcomes->push_back(outcome->what);
}

TEST_P(CatalogSuite, OfRacingPublishesOneWins) {
  boost::asio::io_context loop(1);
  std::vector<AddOutcome::What> outcomes;
  std::exception_ptr failure;
  for (int i = 0; i < 60; ++i) {
    // One version, six contents, letter cases and builds; none of the module's rows exist yet.
    const char* address = i % 2 == 0 ? "acme/vpc/aws" : "ACME/vpc/aws";
    const char* version = i % 3 == 0 ? "1.0.0" : "1.0.0+b";
    auto record = Record(address, version, "content " + std::to_string(i % 6));
    boost::asio::co_spawn(loop, AddAndCount(modules(), std::move(record), &outcomes),
                          [&failure](std::exception_ptr error) { failure = error; });
  }
  loop.run();
  EXPECT_FALSE(failure);
  EXPECT_EQ(outcomes.size(), 60u);
  EXPECT_EQ(std::ranges::count(outcomes, AddOutcome::What::kAdded), 1);
  EXPECT_EQ(std::ranges::count(outcomes, AddOutcome::What::kSameUpload), 9);
  EXPECT_EQ(this->Versions("acme/vpc/aws").size(), 1u);
  EXPECT_EQ(this->TopicsSince({}), Texts{"module:acme/vpc/aws"});
}

TokenRecord Token(std::string name, std::string_view text) {
  return {.name = std::move(name),
          .secret = Digest::Of(text),
          .scope = Scope::kPublish,
          .namespaces = {"acme", "beta-*"},
          .created_at = 1'700'000'000,
          .expires_at = 1'800'000'000,
          .last_used_at = std::nullopt};
}

TEST_P(CatalogSuite, KeepsTokensByNameAndSecret) {
  TokenRecord plain = Token("laptop", "koya_b");
  plain.scope = Scope::kAdmin;
  plain.namespaces = {};
  plain.expires_at = std::nullopt;
  ASSERT_TRUE(RunTask(tokens().AddToken(Tester(), plain)));
  ASSERT_TRUE(RunTask(tokens().AddToken(Tester(), Token("ci \"1\" é", "koya_a"))));
  auto found = RunTask(tokens().FindToken(Digest::Of("koya_a")));
  ASSERT_TRUE(found);
  std::array<std::byte, 16> start;
  std::ranges::copy(std::span(Digest::Of("koya_a").bytes()).first<16>(), start.begin());
  EXPECT_EQ(RunTask(tokens().FindTokenByStart(start)).value().name, found->name);
  start[15] ^= std::byte{1};
  EXPECT_EQ(CatalogErrorOf(RunTask(tokens().FindTokenByStart(start))), ErrorKind::kNotFound);
  EXPECT_EQ(found->name, "ci \"1\" é");
  EXPECT_EQ(found->scope, Scope::kPublish);
  EXPECT_EQ(found->namespaces, (Texts{"acme", "beta-*"}));
  EXPECT_EQ(found->created_by, "");
  EXPECT_EQ(found->expires_at, 1'800'000'000);
  EXPECT_FALSE(found->last_used_at);
  auto all = RunTask(tokens().ListTokens());
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[1].name, "laptop");
  EXPECT_EQ((*all)[1].scope, Scope::kAdmin);
  EXPECT_TRUE((*all)[1].namespaces.empty());
  EXPECT_FALSE((*all)[1].expires_at);
}

TEST_P(CatalogSuite, ATakenOrMalformedTokenNameIsRefused) {
  ASSERT_TRUE(RunTask(tokens().AddToken(Tester(), Token("ci", "one"))));
  EXPECT_EQ(CatalogErrorOf(RunTask(tokens().AddToken(Tester(), Token("ci", "two")))),
            ErrorKind::kConflict);
  for (const char* name : {"", "two\nlines", "\xff"}) {
    EXPECT_EQ(CatalogErrorOf(RunTask(tokens().AddToken(Tester(), Token(name, name)))),
              ErrorKind::kInvalid);
  }
  EXPECT_EQ(RunTask(tokens().ListTokens())->size(), 1u);
}

TEST_P(CatalogSuite, ARevokedTokenIsGone) {
  ASSERT_TRUE(RunTask(tokens().AddToken(Tester(), Token("ci", "one"))));
  ASSERT_TRUE(RunTask(tokens().RevokeToken(Tester(), "ci", Digest::Of("one"))));
  EXPECT_EQ(CatalogErrorOf(RunTask(tokens().FindToken(Digest::Of("one")))), ErrorKind::kNotFound);
  EXPECT_TRUE(RunTask(tokens().AddToken(Tester(), Token("ci", "two")))) << "the name is free again";
  EXPECT_EQ(CatalogErrorOf(RunTask(tokens().RevokeToken(Tester(), "ci", Digest::Of("one")))),
            ErrorKind::kNotFound)
      << "that is not the one that was meant";
  EXPECT_TRUE(RunTask(tokens().FindToken(Digest::Of("two"))));
}

TEST_P(CatalogSuite, AReplacedTokenKeepsNothingButItsName) {
  ASSERT_TRUE(RunTask(tokens().AddToken(Tester(), Token("ci", "one"))));
  ASSERT_TRUE(RunTask(tokens().AddToken(Tester(), Token("other", "other"))));
  ASSERT_TRUE(RunTask(tokens().TouchTokens({{Digest::Of("one"), 1'700'000'000, "192.0.2.1"}})));
  TokenRecord record = Token("ci", "two");
  record.scope = Scope::kRead;
  record.namespaces = {"beta"};
  record.created_at = 1'700'000'500;
  record.created_by = "owner";
  record.expires_at = std::nullopt;
  ASSERT_TRUE(RunTask(tokens().ReplaceToken(Tester(), record, Digest::Of("one"))));
  EXPECT_EQ(CatalogErrorOf(RunTask(tokens().FindToken(Digest::Of("one")))), ErrorKind::kNotFound);
  auto found = RunTask(tokens().FindToken(Digest::Of("two")));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "ci");
  EXPECT_EQ(found->scope, Scope::kRead);
  EXPECT_EQ(found->namespaces, Texts{"beta"});
  EXPECT_EQ(found->created_at, 1'700'000'500);
  EXPECT_EQ(found->created_by, "owner");
  EXPECT_FALSE(found->expires_at);
  EXPECT_FALSE(found->last_used_at);
  EXPECT_EQ(found->last_used_from, "");
  EXPECT_EQ(CatalogErrorOf(RunTask(tokens().ReplaceToken(Tester(), record, Digest::Of("one")))),
            ErrorKind::kNotFound)
      << "it was replaced meanwhile";
  EXPECT_TRUE(RunTask(tokens().FindToken(Digest::Of("other"))));
}

TEST_P(CatalogSuite, ATokensUseIsNotedOnceAMinute) {
  ASSERT_TRUE(RunTask(tokens().AddToken(Tester(), Token("ci", "one"))));
  const std::pair<UnixSeconds, UnixSeconds> kSteps[] = {{1'700'000'000, 1'700'000'000},
                                                        {1'700'000'059, 1'700'000'000},
                                                        {1'700'000'060, 1'700'000'060},
                                                        {1'700'000'000, 1'700'000'060},
                                                        {1'700'001'000, 1'700'001'000}};
  for (auto [at, noted] : kSteps) {
    ASSERT_TRUE(RunTask(tokens().TouchTokens({{Digest::Of("one"), at}})));
    EXPECT_EQ(RunTask(tokens().FindToken(Digest::Of("one")))->last_used_at, noted) << "at " << at;
  }
  EXPECT_TRUE(RunTask(tokens().TouchTokens({{Digest::Of("unknown"), 1}})));
  ASSERT_TRUE(RunTask(tokens().AddToken(Tester(), Token("other", "two"))));
  ASSERT_TRUE(RunTask(tokens().TouchTokens({{Digest::Of("two"), 1'700'000'000},
                                            {Digest::Of("unknown"), 1'700'001'060},
                                            {Digest::Of("one"), 1'700'001'060}})));
  EXPECT_EQ(RunTask(tokens().FindToken(Digest::Of("one")))->last_used_at, 1'700'001'060);
  EXPECT_EQ(RunTask(tokens().FindToken(Digest::Of("two")))->last_used_at, 1'700'000'000);
  EXPECT_TRUE(RunTask(tokens().TouchTokens({})));
}

TEST_P(CatalogSuite, ATokensUseIsNotedWithWhereItCameFrom) {
  TokenRecord used = Token("ci", "one");
  used.last_used_at = 1'690'000'000;
  used.last_used_from = "2001:db8::7";
  ASSERT_TRUE(RunTask(tokens().AddToken(Tester(), used)));
  ASSERT_TRUE(RunTask(tokens().AddToken(Tester(), Token("other", "two"))));
  auto from = [&] { return RunTask(tokens().FindToken(Digest::Of("one")))->last_used_from; };
  EXPECT_EQ(from(), "2001:db8::7");
  struct Step {
    UnixSeconds at;
    std::string sent;
    std::string kept;
  };
  for (const Step& step :
       {Step{1'700'000'000, "192.0.2.1", "192.0.2.1"},
        Step{1'700'000'059, "192.0.2.2", "192.0.2.1"},
        Step{1'700'000'060, "192.0.2.2", "192.0.2.2"}, Step{1'700'000'120, "", ""},
        Step{1'700'000'180, "\xff", ""}, Step{1'700'000'240, "::1", "::1"}}) {
    ASSERT_TRUE(RunTask(tokens().TouchTokens({{Digest::Of("one"), step.at, step.sent}})));
    EXPECT_EQ(from(), step.kept) << "at " << step.at;
  }
  EXPECT_EQ(RunTask(tokens().FindToken(Digest::Of("two")))->last_used_from, "");
  EXPECT_EQ(RunTask(tokens().ListTokens())->front().last_used_from, "::1");
}

TEST_P(CatalogSuite, ATokensUseNotedWhileTheClockWasAheadGivesWayToTheNext) {
  const UnixSeconds now = SystemClock().Now();
  ASSERT_TRUE(RunTask(tokens().AddToken(Tester(), Token("ci", "one"))));
  for (UnixSeconds at : {now + 4 * 365 * 86'400, now}) {
    ASSERT_TRUE(RunTask(tokens().TouchTokens({{Digest::Of("one"), at}})));
    EXPECT_EQ(RunTask(tokens().FindToken(Digest::Of("one")))->last_used_at, at);
  }
}

TEST_P(CatalogSuite, ChangesAreLoggedInOrder) {
  EXPECT_EQ(RunTask(changes().LatestChange())->sequence, 0);
  this->AddWhat("Acme/vpc/aws", "1.0.0");
  this->AddWhat("acme/vpc/aws", "1.0.0");  // changes nothing
  ChangePosition first = *RunTask(changes().LatestChange());
  EXPECT_GT(first.sequence, 0);
  ASSERT_TRUE(RunTask(tokens().AddToken(Tester(), Token("ci", "one"))));
  ASSERT_TRUE(RunTask(tokens().TouchTokens({{Digest::Of("one"), 5}})));  // shown nowhere
  ASSERT_TRUE(this->Withdraw("acme/vpc/aws", "1.0.0"));
  ASSERT_TRUE(RunTask(tokens().ReplaceToken(Tester(), Token("ci", "two"), Digest::Of("one"))));
  ASSERT_TRUE(RunTask(tokens().RevokeToken(Tester(), "ci", Digest::Of("two"))));
  EXPECT_EQ(this->TopicsSince({}), (Texts{"module:acme/vpc/aws", "token:ci", "module:acme/vpc/aws",
                                          "token:ci", "token:ci"}));
  EXPECT_EQ(this->TopicsSince(first).size(), 4u);
  EXPECT_EQ(this->TopicsSince(*RunTask(changes().LatestChange())), Texts{});
}

// Documents list the systems of a module's name, and were as before for a minute.
TEST_P(CatalogSuite, WhatAppearsOrIsGoneIsAChangeOfTheOtherSystemsOfItsName) {
  for (const char* other : {"acme/vpc/google", "ACME/VPC/azure", "acme/vpc2/aws", "acme/vpc-x/aws",
                            "acme/dns/aws", "beta/vpc/aws"}) {
    this->AddWhat(other, "1.0.0");
  }
  this->AddWhat("acme/vpc/gone", "1.0.0");
  ASSERT_TRUE(this->Withdraw("acme/vpc/gone", "1.0.0"));
  const Texts all = {"module:acme/vpc/aws", "module:acme/vpc/azure", "module:acme/vpc/google"};
  const Texts own = {"module:acme/vpc/aws"};
  const auto topics_of = [this](const auto& change) {
    const ChangePosition before = *RunTask(changes().LatestChange());
    change();
    return this->TopicsSince(before);
  };
  const auto withdraw = [this](const char* version) {
    EXPECT_TRUE(RunTask(modules().Withdraw(Tester(), Address("acme/vpc/aws"), V(version),
                                           {.at = 1, .by = "admin", .reason = "leaks"},
                                           std::chrono::hours(1))));
  };
  const auto restore = [this](const char* version) {
    EXPECT_TRUE(RunTask(modules().Restore(Tester(), Address("acme/vpc/aws"), V(version), "why")));
  };
  EXPECT_EQ(topics_of([this] { this->AddWhat("acme/vpc/aws", "1.0.0"); }), all);
  EXPECT_EQ(topics_of([this] { this->AddWhat("acme/vpc/aws", "1.1.0"); }), own);
  EXPECT_EQ(topics_of([&] { withdraw("1.0.0"); }), own);
  EXPECT_EQ(topics_of([&] { withdraw("1.1.0"); }), all);
  EXPECT_EQ(topics_of([&] { restore("1.1.0"); }), all);
  EXPECT_EQ(topics_of([&] { restore("1.0.0"); }), own);
  EXPECT_EQ(topics_of([this] { this->AddWhat("acme/vpc/aws", "1.2.0"); }), own);
}

TEST_P(CatalogSuite, WaitingEndsWithAChangeOrAfterASecond) {
  boost::asio::io_context loop(1);
  std::vector<AddOutcome::What> outcomes;
  int ended = 0;
  auto wait = [](ChangeLog& of, int* count) -> Awaitable<void> {
    if (co_await of.WaitForChange()) ++*count;
  };
  auto done = [](std::exception_ptr error) { EXPECT_FALSE(error); };
  for (int i = 0; i < 3; ++i) boost::asio::co_spawn(loop, wait(changes(), &ended), done);
  boost::asio::co_spawn(loop, AddAndCount(modules(), Record("acme/vpc/aws", "1.0.0"), &outcomes),
                        done);
  loop.run();
  EXPECT_EQ(ended, 3);
  EXPECT_TRUE(RunTask(changes().WaitForChange()));  // nothing changes: 0.4 s
}

}  // namespace
}  // namespace koya
