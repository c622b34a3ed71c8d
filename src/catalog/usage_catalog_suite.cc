// What every catalog must do: sum up fetches. See catalog_suite_base.h.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "catalog/catalog_suite_base.h"
#include "catalog/change_log.h"
#include "catalog/usage_catalog.h"
#include "domain/host_name.h"
#include "domain/provider_address.h"
#include "domain/upstream_record.h"
#include "domain/usage_agent.h"
#include "domain/usage_record.h"

namespace koya {
namespace {

class UsageSuite : public CatalogSuiteBase {
 protected:
  // 2026-03-10.
  static constexpr UsageDay kDay = 20'522;

  static UsageItem Vpc(std::string_view version) {
    return UsageItem::Of(Address("acme/vpc/aws"), V(version));
  }
  static UsageItem Demo(std::string_view version) {
    return UsageItem::Of(*ProviderAddress::Parse("acme/demo"), V(version));
  }
  static UsageConsumer Ci(std::string label = "") {
    return {"token:ci", std::move(label), UsageClient(UsageClient::Product::kOpenTofu, 1, 12)};
  }
  static UsageRow Row(UsageDay day, UsageItem item, UsageConsumer by, std::uint64_t fetches,
                      std::uint64_t archives = 0) {
    return {day, std::move(item), std::move(by), {fetches, archives}};
  }

  bool Add(std::string id, std::vector<UsageRow> rows) {
    Result<bool> added = RunTask(usage().AddUsage({std::move(id), std::move(rows)}));
    EXPECT_TRUE(added) << added.error().message << added.error().detail;
    return added && *added;
  }
  bool Add(std::vector<UsageRow> rows) {
    return Add("batch-" + std::to_string(++batches_), std::move(rows));
  }

  // "VERSION by PRINCIPAL/LABEL with CLIENT: FETCHES+ARCHIVES, last on DAY", most fetches first.
  Texts List(const UsageFilter& filter) {
    auto sums = RunTask(usage().ListUsage(filter));
    EXPECT_TRUE(sums) << sums.error().message << sums.error().detail;
    Texts texts;
    for (const UsageSum& sum : *sums) {
      texts.push_back(sum.item.version + " by " + sum.by.principal + "/" + sum.by.label + " with " +
                      sum.by.client.ToString() + ": " + std::to_string(sum.counts.fetches) + "+" +
                      std::to_string(sum.counts.archives) + ", last on " +
                      std::to_string(sum.last_day - kDay));
    }
    return texts;
  }
  Texts OfVpc(UsageDay since = 0) {
    return List({.kind = UsageKind::kModule, .address = "acme/vpc/aws", .ns = "", .since = since});
  }

  std::vector<UsageDaySum> DaysOfVpc(UsageDay since = 0) {
    auto days = RunTask(usage().ListUsageDays(
        {.kind = UsageKind::kModule, .address = "acme/vpc/aws", .ns = "", .since = since}));
    EXPECT_TRUE(days) << days.error().message << days.error().detail;
    return days ? *days : std::vector<UsageDaySum>();
  }

  std::vector<UsageTotal> TotalsOfVpc() {
    auto totals =
        RunTask(usage().ListUsageTotals(UsageKind::kModule, {"acme/vpc/aws", "acme/nothing/aws"}));
    EXPECT_TRUE(totals) << totals.error().message << totals.error().detail;
    return totals ? *totals : std::vector<UsageTotal>();
  }

  bool Fold(UsageDay before) {
    Result<bool> folded = RunTask(usage().FoldUsageDay(before));
    EXPECT_TRUE(folded) << folded.error().message << folded.error().detail;
    return folded && *folded;
  }

 private:
  int batches_ = 0;
};
INSTANTIATE_CATALOG_SUITE(UsageSuite);

TEST_P(UsageSuite, WhatServersAddIsSummedUp) {
  const UsageDay day = kDay;
  EXPECT_EQ(this->OfVpc(), Texts{});
  EXPECT_TRUE(this->Add({this->Row(day, this->Vpc("1.0.0"), this->Ci("prod"), 2, 1),
                         this->Row(day, this->Vpc("1.1.0"), this->Ci(), 1),
                         this->Row(day, this->Vpc("1.1.0"), {}, 0, 1)}));
  EXPECT_TRUE(this->Add({this->Row(day + 1, this->Vpc("1.0.0"), this->Ci("prod"), 5'000'000'000),
                         this->Row(day, this->Vpc("1.0.0"), this->Ci("prod"), 3),
                         this->Row(day, this->Demo("1.0.0"), this->Ci(), 9)}));
  EXPECT_EQ(this->OfVpc(),
            (Texts{"1.0.0 by token:ci/prod with OpenTofu 1.12: 5000000005+1, last on 1",
                   "1.1.0 by token:ci/ with OpenTofu 1.12: 1+0, last on 0",
                   "1.1.0 by / with other: 0+1, last on 0"}));
  EXPECT_EQ(this->OfVpc(day + 1),
            Texts{"1.0.0 by token:ci/prod with OpenTofu 1.12: 5000000000+0, last on 1"});
  EXPECT_EQ(this->OfVpc(day + 2), Texts{});
  EXPECT_EQ(this->DaysOfVpc(),
            (std::vector<UsageDaySum>{{day, {6, 2}}, {day + 1, {5'000'000'000, 0}}}));
  EXPECT_EQ(this->DaysOfVpc(day + 1), (std::vector<UsageDaySum>{{day + 1, {5'000'000'000, 0}}}));
  EXPECT_EQ(RunTask(changes().LatestChange())->sequence, 0) << "nothing that is served changed";
}

TEST_P(UsageSuite, DaysAreWithoutBots) {
  const UsageDay day = kDay;
  using Product = UsageClient::Product;
  std::vector<UsageRow> rows;
  for (Product each : {Product::kOther, Product::kTerraform, Product::kTerragrunt,
                       Product::kRenovate, Product::kDependabot, Product::kScanner}) {
    UsageConsumer by{"", "", UsageClient(each)};
    rows.push_back(this->Row(day, this->Vpc("1.0.0"), by, by.client.is_bot() ? 100 : 1));
  }
  this->Add(rows);
  EXPECT_EQ(this->DaysOfVpc(), (std::vector<UsageDaySum>{{day, {3, 0}}}));
  EXPECT_TRUE(this->Fold(day + 1));
  EXPECT_EQ(this->DaysOfVpc(), (std::vector<UsageDaySum>{{MonthOf(day), {3, 0}}}));
}

TEST_P(UsageSuite, RowsOfOneBatchMayBeTheSame) {
  const UsageDay day = kDay;
  EXPECT_TRUE(this->Add({this->Row(day, this->Vpc("1.0.0"), this->Ci("a"), 1),
                         this->Row(day, this->Vpc("1.0.0"), this->Ci("a"), 2),
                         this->Row(day, this->Vpc("1.0.0"), this->Ci("A"), 4)}));
  EXPECT_EQ(this->OfVpc(), (Texts{"1.0.0 by token:ci/A with OpenTofu 1.12: 4+0, last on 0",
                                  "1.0.0 by token:ci/a with OpenTofu 1.12: 3+0, last on 0"}));
}

TEST_P(UsageSuite, ABatchIsTakenOnce) {
  const UsageDay day = kDay;
  const std::vector<UsageRow> rows = {this->Row(day, this->Vpc("1.0.0"), this->Ci(), 1)};
  EXPECT_TRUE(this->Add("a", rows));
  EXPECT_FALSE(this->Add("a", rows)) << "its answer was lost, and it came again";
  EXPECT_TRUE(this->Add("b", rows));
  EXPECT_FALSE(this->Add("a", rows));
  EXPECT_EQ(this->OfVpc(), Texts{"1.0.0 by token:ci/ with OpenTofu 1.12: 2+0, last on 0"});
  EXPECT_EQ(this->TotalsOfVpc(), (std::vector<UsageTotal>{{"acme/vpc/aws", {2, 0}, day}}));
}

TEST_P(UsageSuite, TotalsAreOfAVersionOrOfAll) {
  const UsageDay day = kDay;
  EXPECT_EQ(this->TotalsOfVpc(), std::vector<UsageTotal>());
  this->Add({this->Row(day, this->Vpc("1.0.0"), this->Ci(), 2, 1),
             this->Row(day + 2, this->Vpc("1.0.0"), {}, 1),
             this->Row(day + 1, this->Vpc("1.1.0"), {}, 4, 5),
             this->Row(day + 9, this->Demo("1.0.0"), {}, 100)});
  EXPECT_EQ(this->TotalsOfVpc(), (std::vector<UsageTotal>{{"acme/vpc/aws", {7, 6}, day + 2}}));
  struct Case {
    UsageItem item;
    UsageTotal total;
  };
  UsageItem provider = this->Vpc("1.0.0");
  provider.kind = UsageKind::kProvider;
  UsageItem broken = this->Vpc("1.0.0");
  broken.version = "\xff";
  const Case kCases[] = {{this->Vpc("1.0.0"), {"acme/vpc/aws", {3, 1}, day + 2}},
                         {this->Vpc("1.1.0"), {"acme/vpc/aws", {4, 5}, day + 1}},
                         {this->Vpc("1.2.0"), {"acme/vpc/aws", {0, 0}, 0}},
                         {provider, {"acme/vpc/aws", {0, 0}, 0}},
                         {broken, {"acme/vpc/aws", {0, 0}, 0}}};
  for (const Case& each : kCases) {
    auto total = RunTask(usage().FindUsageTotal(each.item));
    ASSERT_TRUE(total) << total.error().message << total.error().detail;
    EXPECT_EQ(*total, each.total) << each.item.version;
  }
  auto none = RunTask(usage().ListUsageTotals(UsageKind::kModule, {}));
  ASSERT_TRUE(none);
  EXPECT_EQ(*none, std::vector<UsageTotal>());
}

TEST_P(UsageSuite, LeadersAreWhatPeopleFetchedMostOfWhatIsHere) {
  const UsageDay day = kDay;
  const UsageConsumer bot{"", "", UsageClient(UsageClient::kFirstBot)};
  const UpstreamModule elsewhere{*HostName::ParseWire("registry.example.org"),
                                 Address("acme/vpc/aws")};
  auto leaders = [this](UsageDay since, std::uint64_t limit) {
    auto listed = RunTask(usage().ListLeaders(since, limit));
    EXPECT_TRUE(listed) << listed.error().message << listed.error().detail;
    Texts texts;
    for (const UsageLeader& each : *listed) {
      texts.push_back(each.address + " of " + each.ns + ": " + std::to_string(each.fetches));
    }
    return texts;
  };
  EXPECT_EQ(leaders(0, 10), Texts());
  this->Add({this->Row(day, this->Vpc("1.0.0"), this->Ci(), 2),
             this->Row(day + 1, this->Vpc("1.1.0"), {}, 3, 7),
             this->Row(day + 1, this->Demo("1.0.0"), {}, 4),
             this->Row(day + 1, this->Demo("1.0.0"), bot, 100),
             this->Row(day + 1, UsageItem::Of(elsewhere, V("1.0.0")), {}, 50),
             this->Row(day, UsageItem::Of(Address("acme/none/aws"), V("1.0.0")), {}, 0, 9)});
  EXPECT_EQ(leaders(day, 10), (Texts{"acme/vpc/aws of acme: 5", "acme/demo of acme: 4"}));
  EXPECT_EQ(leaders(day + 1, 10), (Texts{"acme/demo of acme: 4", "acme/vpc/aws of acme: 3"}));
  EXPECT_EQ(leaders(day, 1), Texts{"acme/vpc/aws of acme: 5"});
  EXPECT_EQ(leaders(day + 2, 10), Texts());
}

TEST_P(UsageSuite, OfANamespaceEverythingIsListedAndNothingElse) {
  const UsageDay day = kDay;
  UsageItem elsewhere = UsageItem::Of(Address("other/vpc/aws"), V("3.0.0"));
  UsageItem mirrored = this->Demo("4.0.0");
  mirrored.kind = UsageKind::kMirroredProvider;
  mirrored.address = "registry.example.com/acme/demo";
  mirrored.ns = "";
  this->Add({this->Row(day, this->Vpc("1.0.0"), this->Ci(), 4),
             this->Row(day, this->Demo("2.0.0"), this->Ci(), 3), this->Row(day, elsewhere, {}, 2),
             this->Row(day, mirrored, this->Ci(), 1)});
  EXPECT_EQ(this->List({.kind = UsageKind::kOther, .address = "", .ns = "acme", .since = day}),
            (Texts{"1.0.0 by token:ci/ with OpenTofu 1.12: 4+0, last on 0",
                   "2.0.0 by token:ci/ with OpenTofu 1.12: 3+0, last on 0"}));
  EXPECT_EQ(this->List({.kind = UsageKind::kMirroredProvider,
                        .address = "registry.example.com/acme/demo",
                        .ns = "",
                        .since = 0}),
            Texts{"4.0.0 by token:ci/ with OpenTofu 1.12: 1+0, last on 0"});
  for (const char* visitor : {"acm", "acme%", "ACME", "", "a'b", "\xff"}) {
    EXPECT_EQ(
        this->List({.kind = UsageKind::kModule, .address = "", .ns = visitor, .since = 0}),
        (*visitor == 0 ? Texts{"4.0.0 by token:ci/ with OpenTofu 1.12: 1+0, last on 0"} : Texts{}))
        << visitor;
  }
}

TEST_P(UsageSuite, OldDaysBecomeMonthsWithoutNames) {
  const UsageDay day = kDay;  // the tenth
  this->Add({this->Row(day, this->Vpc("1.0.0"), this->Ci("prod"), 2, 1),
             this->Row(day, this->Vpc("1.0.0"), {}, 1),
             this->Row(day + 1, this->Vpc("1.0.0"), this->Ci(), 4),
             this->Row(day + 25, this->Vpc("1.0.0"), this->Ci(), 8),
             this->Row(day + 30, this->Vpc("1.0.0"), this->Ci(), 16)});
  EXPECT_FALSE(this->Fold(day));
  EXPECT_TRUE(this->Fold(day + 30));
  EXPECT_TRUE(this->Fold(day + 30));
  EXPECT_TRUE(this->Fold(day + 30));
  EXPECT_FALSE(this->Fold(day + 30)) << "the day itself stays";
  EXPECT_EQ(this->OfVpc(), (Texts{"1.0.0 by token:ci/ with OpenTofu 1.12: 16+0, last on 30",
                                  "1.0.0 by / with OpenTofu 1.12: 14+1, last on 22",
                                  "1.0.0 by / with other: 1+0, last on -9"}));
  EXPECT_EQ(this->DaysOfVpc(day + 25),
            (std::vector<UsageDaySum>{{day + 22, {8, 0}}, {day + 30, {16, 0}}}));
  // Some come late, and are added.
  this->Add({this->Row(day, this->Vpc("1.0.0"), {}, 100)});
  EXPECT_TRUE(this->Fold(day + 30));
  EXPECT_EQ(this->OfVpc(day)[0], "1.0.0 by / with other: 101+0, last on -9");
  EXPECT_EQ(this->OfVpc(day + 25), (Texts{"1.0.0 by token:ci/ with OpenTofu 1.12: 16+0, last on 30",
                                          "1.0.0 by / with OpenTofu 1.12: 8+0, last on 22"}));
}

TEST_P(UsageSuite, OldMonthsGoAndTotalsStay) {
  const UsageDay day = kDay;
  auto first = [this] { return RunTask(usage().FindFirstUsageDay()).value_or(-1); };
  EXPECT_EQ(first(), 0);
  this->Add({this->Row(day, this->Vpc("1.0.0"), this->Ci(), 2)});
  this->Add({this->Row(day + 30, this->Vpc("1.0.0"), this->Ci(), 1)});
  EXPECT_EQ(first(), day);
  while (this->Fold(day + 31)) {
  }
  EXPECT_EQ(first(), MonthOf(day));
  EXPECT_TRUE(RunTask(usage().RemoveUsageBefore(MonthOf(day))));
  EXPECT_EQ(this->OfVpc(), Texts{"1.0.0 by / with OpenTofu 1.12: 3+0, last on 22"});
  EXPECT_TRUE(RunTask(usage().RemoveUsageBefore(MonthOf(day + 30))));
  EXPECT_EQ(first(), MonthOf(day + 30));
  EXPECT_EQ(this->OfVpc(), Texts{"1.0.0 by / with OpenTofu 1.12: 1+0, last on 22"});
  EXPECT_EQ(this->TotalsOfVpc(), (std::vector<UsageTotal>{{"acme/vpc/aws", {3, 0}, day + 30}}));
}

TEST_P(UsageSuite, SomebodyIsForgottenAndTheirFetchesStayCounted) {
  const UsageDay day = kDay;
  const UsageConsumer ada{"person:1234", "laptop", {}};
  this->Add({this->Row(day, this->Vpc("1.0.0"), ada, 2, 1),
             this->Row(day, this->Vpc("1.0.0"), {"user:ada", "", {}}, 1),
             this->Row(day, this->Vpc("1.0.0"), {}, 4),
             this->Row(day, this->Vpc("1.0.0"), this->Ci("laptop"), 8)});
  auto forgotten =
      RunTask(usage().ForgetUsageOf(Tester(), {"person:1234", "user:ada", "user:nobody"}));
  ASSERT_TRUE(forgotten) << forgotten.error().message << forgotten.error().detail;
  EXPECT_EQ(*forgotten, 2U);
  const Texts left = {"1.0.0 by token:ci/laptop with OpenTofu 1.12: 8+0, last on 0",
                      "1.0.0 by / with other: 7+1, last on 0"};
  EXPECT_EQ(this->OfVpc(), left);
  forgotten = RunTask(usage().ForgetUsageOf(Tester(), {"person:1234"}));
  ASSERT_TRUE(forgotten);
  EXPECT_EQ(*forgotten, 0U);
  EXPECT_EQ(this->OfVpc(), left);
  this->Add({this->Row(day, this->Vpc("1.0.0"), ada, 1)});
  EXPECT_EQ(this->OfVpc().back(), "1.0.0 by person:1234/laptop with other: 1+0, last on 0");
}

TEST_P(UsageSuite, WhatCannotBeKeptIsRefusedWhole) {
  const UsageDay day = kDay;
  const UsageRow good = this->Row(day, this->Vpc("1.0.0"), this->Ci(), 1);
  for (const std::string& text :
       {std::string("a\0b", 3), std::string("\xff"), std::string(601, 'a')}) {
    UsageRow label = good;
    label.by.label = text;
    UsageRow principal = good;
    principal.by.principal = text;
    UsageRow version = good;
    version.item.version = text;
    for (const UsageRow& bad : {label, principal, version}) {
      EXPECT_EQ(CatalogErrorOf(RunTask(usage().AddUsage({"bad", {good, bad}}))),
                ErrorKind::kInvalid);
    }
    EXPECT_EQ(CatalogErrorOf(RunTask(usage().AddUsage({text, {good}}))), ErrorKind::kInvalid);
    EXPECT_EQ(CatalogErrorOf(RunTask(usage().ForgetUsageOf(Tester(), {text}))),
              ErrorKind::kInvalid);
    EXPECT_EQ(CatalogErrorOf(RunTask(usage().ListUsageTotals(UsageKind::kModule, {text}))),
              ErrorKind::kInvalid);
  }
  UsageBatch many{"many", std::vector<UsageRow>(1'001, good)};
  EXPECT_EQ(CatalogErrorOf(RunTask(usage().AddUsage(many))), ErrorKind::kInvalid);
  EXPECT_EQ(this->OfVpc(), Texts{});
  EXPECT_TRUE(this->Add("bad", {good})) << "a batch that was refused was not taken";
}

TEST_P(UsageSuite, NothingIsLostWhenServersAddAtOnce) {
  Racers racers;
  std::vector<Result<bool>> added;
  const UsageDay day = kDay;
  for (int i = 0; i < 20; ++i) {
    std::vector<UsageRow> rows;
    for (const char* label : {"a", "b", "c", "d"}) {
      rows.push_back(this->Row(day, this->Vpc("1.0.0"), this->Ci(label), 1));
      rows.push_back(this->Row(day, this->Demo("1.0.0"), this->Ci(label), 2));
    }
    if (i % 2 == 0) std::ranges::reverse(rows);
    // Each comes twice, as if its answer had been lost.
    const std::string id = std::to_string(i % 10);
    racers.Add(usage().AddUsage({id, std::move(rows)}), &added);
  }
  racers.Run();
  std::size_t taken = 0;
  for (const Result<bool>& each : added) {
    ASSERT_TRUE(each) << each.error().message << each.error().detail;
    if (*each) ++taken;
  }
  EXPECT_EQ(taken, 10U);
  EXPECT_EQ(this->OfVpc(), (Texts{"1.0.0 by token:ci/a with OpenTofu 1.12: 10+0, last on 0",
                                  "1.0.0 by token:ci/b with OpenTofu 1.12: 10+0, last on 0",
                                  "1.0.0 by token:ci/c with OpenTofu 1.12: 10+0, last on 0",
                                  "1.0.0 by token:ci/d with OpenTofu 1.12: 10+0, last on 0"}));
}

}  // namespace
}  // namespace koya
