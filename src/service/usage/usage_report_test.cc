#include "service/usage/usage_report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace koya::service {
namespace {

using Product = UsageClient::Product;
using Lines = std::vector<std::string>;

constexpr UsageDay kReportDay = 20'522;

UsageSum Sum(std::string version, std::string principal, std::string label, std::uint64_t fetches,
             UsageClient client = UsageClient(Product::kOpenTofu, 1, 12)) {
  return {.item = {UsageKind::kModule, "acme/vpc/aws", std::move(version), "acme"},
          .by = {std::move(principal), std::move(label), client},
          .counts = {fetches, fetches / 2},
          .last_day = kReportDay - 1};
}

const UsageClient kReportBot(Product::kRenovate);

std::vector<UsageSum> Several() {
  return {Sum("1.9.0", "service:ci", "", 10),     Sum("1.10.0", "service:ci", "prod", 4),
          Sum("1.10.0", "service:ci", "test", 3), Sum("1.10.0", "person:1", "", 2),
          Sum("1.9.0", "person:2", "", 1),        Sum("1.9.0", "person:2", "laptop", 1),
          Sum("1.9.0", "", "", 5, UsageClient()), Sum("1.9.0", "service:bot", "", 100, kReportBot)};
}

Lines Shown(const UsageReport& report) {
  Lines lines;
  for (const UsageLine& line : report.lines) {
    lines.push_back(fmt::format("{}{}{}/{}: {}+{} by {} and {}, bots {}", line.version, line.client,
                                line.principal, line.label, line.counts.fetches,
                                line.counts.archives, line.consumers, line.people, line.bots));
  }
  return lines;
}

TEST(UsageReportTest, ByVersionTheNewestIsFirst) {
  const UsageReport report = ReportUsage(Several(), UsageBy::kVersion, false);
  EXPECT_EQ(report.counts.fetches, 26U);
  EXPECT_EQ(report.bots, 100U);
  EXPECT_EQ(report.consumers, 4U) << "prod, test, laptop, and ci without a label";
  EXPECT_EQ(report.people, 2U);
  EXPECT_FALSE(report.partial);
  EXPECT_EQ(Shown(report),
            (Lines{"1.10.0/: 9+4 by 2 and 1, bots 0", "1.9.0/: 17+7 by 2 and 1, bots 100"}));
}

TEST(UsageReportTest, ByClientBotsStandWithTheirNames) {
  EXPECT_EQ(Shown(ReportUsage(Several(), UsageBy::kClient, false)),
            (Lines{"Renovate/: 100+50 by 0 and 0, bots 0",
                   "OpenTofu 1.12/: 21+9 by 4 and 2, bots 0", "other/: 5+2 by 0 and 0, bots 0"}));
}

TEST(UsageReportTest, ByConsumerPeopleAreOneLineAndBotsNone) {
  EXPECT_EQ(Shown(ReportUsage(Several(), UsageBy::kConsumer, true)),
            (Lines{"service:ci/: 10+5 by 1 and 0, bots 0", "/: 5+2 by 0 and 0, bots 0",
                   "service:ci/prod: 4+2 by 1 and 0, bots 0", "people/: 3+1 by 0 and 2, bots 0",
                   "service:ci/test: 3+1 by 1 and 0, bots 0", "/laptop: 1+0 by 1 and 1, bots 0"}));
}

TEST(UsageReportTest, NobodyIsNamedToWhoMayNotKnow) {
  const UsageReport report = ReportUsage(Several(), UsageBy::kConsumer, false);
  EXPECT_FALSE(report.named);
  EXPECT_EQ(Shown(report), Lines{});
  EXPECT_EQ(report.consumers, 4U);
}

TEST(UsageReportTest, PeopleAreNamedWhereTheyMayBe) {
  const std::vector<UsageSum> sums = {Sum("1.0.0", "user:ada", "", 2),
                                      Sum("1.0.0", "token:ci", "", 1)};
  const UsageReport report = ReportUsage(sums, UsageBy::kConsumer, true);
  EXPECT_EQ(Shown(report),
            (Lines{"user:ada/: 2+1 by 0 and 1, bots 0", "token:ci/: 1+0 by 0 and 1, bots 0"}));
}

TEST(UsageReportTest, ArchivesMakeNobodyAConsumer) {
  UsageSum archive = Sum("1.0.0", "", "", 0, UsageClient());
  archive.counts.archives = 7;
  const std::vector<UsageSum> sums = {Sum("1.0.0", "service:ci", "", 2), archive,
                                      Sum("1.1.0", "person:1", "x", 0)};
  UsageReport report = ReportUsage(sums, UsageBy::kConsumer, true);
  EXPECT_EQ(report.counts.archives, 8U);
  EXPECT_EQ(report.consumers, 1U);
  EXPECT_EQ(report.people, 0U);
  EXPECT_EQ(Shown(report), Lines{"service:ci/: 2+1 by 1 and 0, bots 0"});
  EXPECT_EQ(Shown(ReportUsage(sums, UsageBy::kClient, true)),
            Lines{"OpenTofu 1.12/: 2+1 by 1 and 0, bots 0"});
  EXPECT_EQ(Shown(ReportUsage(sums, UsageBy::kVersion, true)).size(), 2U);
}

TEST(UsageReportTest, OfNothingThereIsNothing) {
  for (UsageBy by : {UsageBy::kVersion, UsageBy::kConsumer, UsageBy::kClient}) {
    EXPECT_EQ(Shown(ReportUsage({}, by, true)), Lines{});
    EXPECT_EQ(ParseUsageBy(UsageByName(by)), by);
  }
  for (const char* wrong : {"", "x", "Version", "versions"}) {
    EXPECT_EQ(ParseUsageBy(wrong), std::nullopt) << wrong;
  }
}

TEST(UsageReportTest, TheImpactIsOfOneVersion) {
  const UsageImpact impact = ReportImpact(Several(), "1.9.0", true);
  EXPECT_EQ(impact.all_fetches, 26U);
  EXPECT_EQ(impact.report.counts.fetches, 17U);
  EXPECT_EQ(impact.report.bots, 100U);
  EXPECT_EQ(Shown(impact.report),
            (Lines{"service:ci/: 10+5 by 1 and 0, bots 0", "/: 5+2 by 0 and 0, bots 0",
                   "people/: 1+0 by 0 and 1, bots 0", "/laptop: 1+0 by 1 and 1, bots 0"}));
  EXPECT_EQ(ReportImpact(Several(), "1.9", true).report.counts.fetches, 0U);
}

DatedVersion At(const char* version, UsageDay day) {
  return {*Version::Parse(version), day * kSecondsOfDay};
}

TEST(UsageReportTest, ConsumersAreAsFarBehindAsTheirNewestIs) {
  const Releases releases = {{{UsageKind::kModule, "acme/vpc/aws"},
                              {At("1.11.0-rc1", kReportDay), At("1.10.1", kReportDay - 2),
                               At("1.10.0", kReportDay - 10), At("1.9.0", kReportDay - 40)}}};
  std::vector<UsageSum> sums = Several();
  sums.push_back(Sum("1.11.0-rc1", "service:new", "", 1));
  sums.push_back(Sum("no-version", "service:odd", "", 1));
  sums.push_back(Sum("1.9.0", "service:none", "", 0));
  const LagReport report = ReportLag(sums, releases, kReportDay * kSecondsOfDay);
  Lines lines;
  for (const LagLine& line : report.lines) {
    lines.push_back(fmt::format("{}/{}: {} of {}, {} behind, {} days", line.principal, line.label,
                                line.version, line.latest, line.behind, line.days));
  }
  EXPECT_EQ(lines, (Lines{"/laptop: 1.9.0 of 1.10.1, 2 behind, 10 days",
                          "service:ci/: 1.9.0 of 1.10.1, 2 behind, 10 days",
                          "service:ci/prod: 1.10.0 of 1.10.1, 1 behind, 2 days",
                          "service:ci/test: 1.10.0 of 1.10.1, 1 behind, 2 days",
                          "service:new/: 1.11.0-rc1 of 1.10.1, 0 behind, 0 days"}));
  EXPECT_EQ(report.behind.median, 1U);
  EXPECT_EQ(report.behind.p90, 2U);
  EXPECT_EQ(report.days.median, 2U);
  EXPECT_EQ(report.days.p90, 10U);
  EXPECT_TRUE(ReportLag(sums, {}, 0).lines.empty()) << "what was withdrawn has nobody behind";
  EXPECT_EQ(ReportLag({}, releases, 0).behind.p90, 0U);
}

std::vector<Version> Numbers(std::initializer_list<const char*> texts) {
  std::vector<Version> versions;
  for (const char* each : texts) versions.push_back(*Version::Parse(each));
  return versions;
}

Lines ConsumerLines(const std::vector<UsageSum>& sums, const std::vector<Version>& versions) {
  Lines lines;
  for (const Consumer& each : ReportConsumers(sums, versions)) {
    std::string line = fmt::format("{}/{}: {} behind", each.principal, each.label, each.behind);
    for (const Consumer::Fetched& fetched : each.versions) line += ", " + fetched.version;
    lines.push_back(std::move(line));
  }
  return lines;
}

TEST(UsageReportTest, ConsumersHaveVersionsAndAreAsFarBehindAsInTheLagReport) {
  std::vector<UsageSum> sums = Several();
  sums.push_back(Sum("1.10.0", "service:ci", "", 1));
  sums.push_back(Sum("1.11.0-rc1", "service:new", "", 1));
  const std::vector<Version> versions =
      Numbers({"2.0.0", "1.10.1", "1.10.0", "1.9.0", "2.1.0-rc1", "1.11.0-rc1"});
  EXPECT_EQ(ConsumerLines(sums, versions),
            (Lines{"/laptop: 3 behind, 1.9.0", "service:ci/: 2 behind, 1.10.0, 1.9.0",
                   "service:ci/prod: 2 behind, 1.10.0", "service:ci/test: 2 behind, 1.10.0",
                   "service:new/: 1 behind, 1.11.0-rc1"}));
  Releases releases;
  for (const Version& each : versions) {
    releases[{UsageKind::kModule, "acme/vpc/aws"}].push_back({each, kReportDay});
  }
  std::vector<std::uint64_t> behind;
  for (const LagLine& line : ReportLag(sums, releases, kReportDay).lines) {
    behind.push_back(line.behind);
  }
  EXPECT_EQ(behind, (std::vector<std::uint64_t>{3, 2, 2, 2, 1}));
  EXPECT_EQ(ReportConsumers(sums, versions)[1].versions[0].last_day, kReportDay - 1);
}

TEST(UsageReportTest, NobodyIsAConsumerWithoutANameAFetchAndAVersion) {
  const std::vector<Version> versions = Numbers({"3.0.0", "2.0.0", "1.0.0"});
  for (const UsageSum& each :
       {Sum("1.0.0", "person:1", "", 1), Sum("1.0.0", "", "", 1), Sum("1.0.0", "service:a", "", 0),
        Sum("no-version", "service:a", "", 1), Sum("1.0.0", "service:a", "", 1, kReportBot)}) {
    EXPECT_EQ(ConsumerLines({each}, versions), Lines{}) << each.item.version << each.by.principal;
  }
  EXPECT_EQ(ConsumerLines({}, versions), Lines{});
  EXPECT_EQ(ConsumerLines({Sum("1.0.0", "service:a", "", 1)}, {}),
            Lines{"service:a/: 0 behind, 1.0.0"})
      << "all of it was withdrawn";
}

}  // namespace
}  // namespace koya::service
