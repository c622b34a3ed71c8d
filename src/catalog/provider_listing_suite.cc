// What every catalog must do: lists of providers and releases. See catalog_suite_base.h.
#include <string>
#include <utility>
#include <vector>

#include "catalog/provider_catalog.h"
#include "catalog/provider_suite_base.h"
#include "domain/provider_record.h"
#include "domain/use.h"

namespace koya {
namespace {

class ProviderListingSuite : public ProviderSuiteBase {};
INSTANTIATE_CATALOG_SUITE(ProviderListingSuite);

TEST_P(ProviderListingSuite, ListsReleasesNewestFirstWithWhatListsShow) {
  this->AddKeyTo("acme");
  for (const char* version : {"1.0.0", "1.10.0", "1.9.0", "2.0.0-rc.1", "2.0.0-rc.10", "0.1.0"}) {
    ASSERT_EQ(this->AddWhat("acme/demo", version), ReleaseOutcome::What::kAdded) << version;
  }
  ProviderRelease other = SampleRelease("acme/demo", "3.0.0");
  other.packages = {SamplePackage("freebsd_arm", "content")};
  other.protocols = {"5.1", "6.0"};
  other.published_at = kSuiteNow + 7;
  other.published_by = "someone";
  other.deprecation = "use 3.0.1";
  this->Add(other);
  EXPECT_EQ(this->Versions("acme/demo"),
            (Texts{"3.0.0", "2.0.0-rc.10", "2.0.0-rc.1", "1.10.0", "1.9.0", "1.0.0", "0.1.0"}));
  auto listed = RunTask(providers().ListReleases(Provider("acme/demo")));
  ASSERT_TRUE(listed);
  const ReleaseSummary& first = (*listed)[0];
  EXPECT_EQ(first.protocols, (Texts{"5.1", "6.0"}));
  EXPECT_EQ(first.platforms, std::vector{On("freebsd_arm")});
  EXPECT_EQ(first.published_at, kSuiteNow + 7);
  EXPECT_EQ(first.published_by, "someone");
  EXPECT_EQ(first.deprecation, "use 3.0.1");
  EXPECT_EQ(first.key_fingerprint, other.key_fingerprint);
  EXPECT_EQ((*listed)[1].platforms, (std::vector{On("darwin_arm64"), On("linux_amd64")}));
  EXPECT_EQ((*listed)[6].protocols, Texts{"5.0"});
}

TEST_P(ProviderListingSuite, AProviderWithoutReleasesIsNotListed) {
  this->AddKeyTo("acme");
  this->AddWhat("acme/demo", "1.0.0");
  ASSERT_TRUE(this->Withdraw("acme/demo", "1.0.0"));
  EXPECT_EQ(this->List(), Texts{});
  this->ExpectFails(RunTask(providers().ListReleases(Provider("acme/demo"))), ErrorKind::kNotFound,
                    "no provider acme/demo");
  EXPECT_EQ(this->AddWhat("acme/demo", "1.0.1"), ReleaseOutcome::What::kAdded);
  EXPECT_EQ(this->List(), Texts{"acme/demo 1.0.1"});
}

TEST_P(ProviderListingSuite, ADeprecationIsShownUntilItIsTakenBack) {
  this->AddKeyTo("acme");
  this->AddWhat("acme/demo", "1.0.0");
  this->AddWhat("acme/demo", "1.1.0");
  auto shown = [this] {
    Texts messages;
    for (const auto& summary : *RunTask(providers().ListReleases(Provider("acme/demo")))) {
      messages.push_back(summary.deprecation);
    }
    messages.push_back(this->Find("acme/demo", "1.0.0")->deprecation);
    return messages;
  };
  const auto is_listed_so = [this] {
    return RunTask(providers().ListProviders({}, {})).value().items.at(0).deprecated;
  };
  ASSERT_TRUE(this->Deprecate("acme/demo", "1.1.0", "old"));
  EXPECT_TRUE(is_listed_so());
  ASSERT_TRUE(this->Deprecate("acme/demo", "1.1.0", ""));
  ASSERT_TRUE(this->Deprecate("acme/demo", "1.0.0", "Use 1.1; it's \"safer\" – 豆腐"));
  EXPECT_EQ(shown(),
            (Texts{"", "Use 1.1; it's \"safer\" – 豆腐", "Use 1.1; it's \"safer\" – 豆腐"}));
  ASSERT_TRUE(this->Deprecate("acme/demo", "1.0.0", ""));
  EXPECT_EQ(shown(), (Texts{"", "", ""}));
  EXPECT_FALSE(is_listed_so());
}

TEST_P(ProviderListingSuite, TheLatestIsTheNewestReleaseElseTheNewestPrerelease) {
  this->AddKeyTo("acme");
  const std::pair<const char*, const char*> kSteps[] = {
      {"1.0.0-rc.2", "1.0.0-rc.2"}, {"1.0.0-rc.10", "1.0.0-rc.10"},
      {"0.9.0", "0.9.0"},           {"1.0.0-rc.11", "0.9.0"},
      {"0.10.0", "0.10.0"},         {"0.2.0", "0.10.0"},
      {"2.0.0-alpha", "0.10.0"},    {"1.0.0", "1.0.0"}};
  for (auto [version, latest] : kSteps) {
    ASSERT_EQ(this->AddWhat("acme/demo", version), ReleaseOutcome::What::kAdded);
    EXPECT_EQ(this->List(), Texts{std::string("acme/demo ") + latest}) << "after " << version;
  }
  const std::pair<const char*, const char*> kWithdrawals[] = {
      {"0.2.0", "1.0.0"}, {"1.0.0", "0.10.0"}, {"0.10.0", "0.9.0"}, {"0.9.0", "2.0.0-alpha"}};
  for (auto [version, latest] : kWithdrawals) {
    ASSERT_TRUE(this->Withdraw("acme/demo", version));
    EXPECT_EQ(this->List(), Texts{std::string("acme/demo ") + latest}) << "without " << version;
  }
}

TEST_P(ProviderListingSuite, ASummaryShowsTheLatestRelease) {
  this->AddKeyTo("acme");
  this->AddWhat("acme/demo", "1.0.0");
  ProviderRelease later = SampleRelease("acme/demo", "2.0.0");
  later.published_at = kSuiteNow + 777;
  this->Add(later);
  auto page = RunTask(providers().ListProviders({}, {}));
  ASSERT_EQ(page->items.size(), 1u);
  EXPECT_EQ(page->items[0].published_at, kSuiteNow + 777);
  EXPECT_EQ(page->items[0].versions, 2u);
  ASSERT_TRUE(this->Withdraw("acme/demo", "2.0.0"));
  page = RunTask(providers().ListProviders({}, {}));
  EXPECT_EQ(page->items[0].published_at, kSuiteNow);
  EXPECT_EQ(page->items[0].versions, 1u);
}

TEST_P(ProviderListingSuite, PagesOfProvidersAreOrderedAndComplete) {
  for (const char* address :
       {"zeta/a", "acme/vpc", "acme/dns", "acme-two/dns", "acme0/dns", "größe/dns"}) {
    this->AddKeyTo(Provider(address).ns());
    ASSERT_EQ(this->AddWhat(address, "1.0.0"), ReleaseOutcome::What::kAdded);
  }
  const Texts all = this->List();
  EXPECT_EQ(all, (Texts{"acme-two/dns 1.0.0", "acme/dns 1.0.0", "acme/vpc 1.0.0", "acme0/dns 1.0.0",
                        "größe/dns 1.0.0", "zeta/a 1.0.0"}));
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
  EXPECT_EQ(this->List({.after = "acme/dns"}, {0, 2}),
            (Texts{"acme/vpc 1.0.0", "acme0/dns 1.0.0", "…"}));
  EXPECT_EQ(this->List({.ns = "acme", .after = "acme/e"}), Texts{"acme/vpc 1.0.0"});
}

TEST_P(ProviderListingSuite, FiltersAndWordsRestrictListings) {
  for (const char* address : {"acme/aws-dns", "acme/vpc", "acme2/vpc", "größe/dns"}) {
    this->AddKeyTo(Provider(address).ns());
    this->AddWhat(address, "1.0.0");
  }
  const Texts none, vpc{"acme/vpc 1.0.0"}, both_vpc{"acme/vpc 1.0.0", "acme2/vpc 1.0.0"};
  const Texts aws{"acme/aws-dns 1.0.0"}, groesse{"größe/dns 1.0.0"};
  const std::pair<ProviderFilter, Texts> kCases[] = {
      {{.ns = "ACME"}, {"acme/aws-dns 1.0.0", "acme/vpc 1.0.0"}},
      {{.ns = "acm"}, none},
      {{.ns = "acme/"}, none},
      {{.ns = "acme/v"}, none},
      {{.ns = "nobody"}, none},
      {{.ns = "GRÖßE"}, groesse},
      {{.ns = "\xff"}, none},
      {{.ns = "acme", .query = "vpc"}, vpc},
      {{.query = "vpc"}, both_vpc},
      {{.query = "VPC acme"}, both_vpc},
      {{.query = "  vpc\tacme2\n"}, {"acme2/vpc 1.0.0"}},
      {{.query = "-dns"}, aws},
      {{.query = "-DNS AWS-"}, aws},
      {{.query = "Ö"}, groesse},
      {{.query = "vpc dns"}, none},
      {{.query = "mevp"}, none},
      {{.query = "acme/vpc"}, none},
      {{.query = "%"}, none},
      {{.query = "_"}, none},
      {{.query = "\\"}, none},
      {{.query = "'; DROP TABLE provider; --"}, none},
      {{.query = std::string("dns\0", 4)}, none},
      {{.query = "\xff"}, none},
      {{.query = "a c m e v p c a c m acm cme acme vp pc ac me vpc ce"}, none},
      {{.query = "a c m e v p ac cm me acm cme acme vp pc vpc cmE/ x"}, none}};
  for (const auto& [filter, wanted] : kCases) {
    EXPECT_EQ(this->List(filter), wanted) << filter.ns << "|" << filter.query;
  }
  EXPECT_EQ(this->List({.query = "   "}).size(), 4u);
  // Fifteen that match, one that matches, and a seventeenth that would not.
  EXPECT_EQ(this->List({.query = "a c m e v p ac cm me acm cme acme vp pc vpc / zzz"}), none);
  EXPECT_EQ(this->List({.query = "a c m e v p ac cm me acm cme acme vp pc vpc me2 zzz"}),
            Texts{"acme2/vpc 1.0.0"});
}

TEST_P(ProviderListingSuite, ListsWhatWasWithdrawnWithItsReason) {
  this->AddKeyTo("acme");
  for (const char* version : {"1.0.0", "1.10.0", "1.9.0"}) this->AddWhat("acme/demo", version);
  EXPECT_TRUE(RunTask(providers().ListWithdrawnReleases(Provider("acme/demo"))).value().empty());
  ASSERT_TRUE(this->Withdraw("acme/demo", "1.9.0"));
  ASSERT_TRUE(this->Withdraw("acme/demo", "1.10.0"));
  auto found = RunTask(providers().ListWithdrawnReleases(Provider("acme/demo")));
  ASSERT_TRUE(found) << found.error().message << found.error().detail;
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ((*found)[0].version.ToString(), "1.10.0");
  EXPECT_EQ((*found)[1].version.ToString(), "1.9.0");
  EXPECT_EQ((*found)[0].withdrawal.at, kSuiteNow + 100);
  EXPECT_EQ((*found)[0].withdrawal.by, "admin");
  EXPECT_EQ((*found)[0].withdrawal.reason, "leaked a secret");
  EXPECT_GT((*found)[0].published_at, 0);
  EXPECT_EQ(this->Versions("acme/demo"), Texts{"1.0.0"});
  EXPECT_TRUE(RunTask(providers().ListWithdrawnReleases(Provider("acme/none"))).value().empty());
}

}  // namespace
}  // namespace koya
