#include <gtest/gtest.h>

#include <string>

#include "wire/usage.h"

namespace koya::wire {
namespace {

UsageReport FullReport() {
  return {.address = "acme/vpc/aws",
          .since = "2026-10-25",
          .by = "consumer",
          .counted = true,
          .named = true,
          .partial = true,
          .total = 3,
          .archives = 2,
          .bots = 1,
          .consumers = 1,
          .people = 4,
          .rows = {{.name = "prod",
                    .principal = "service:ci",
                    .label = "prod",
                    .count = 3,
                    .archives = 2,
                    .bots = 1,
                    .consumers = 1,
                    .people = 4,
                    .last_day = "2026-11-21"}},
          .days = {{"2026-11-20", 1}, {"2026-11-21", 2}}};
}

TEST(UsageWireTest, AReportReadsBack) {
  EXPECT_EQ(Decode<UsageReport>(Encode(FullReport())), FullReport());
  UsageReport empty{.address = "acme/demo"};
  EXPECT_EQ(Encode(empty),
            R"({"address":"acme/demo","since":"","counted_since":null,"by":"","counted":false,)"
            R"("named":false,)"
            R"("partial":false,"total":0,"archives":0,"bots":0,"consumers":0,"people":0,)"
            R"("rows":[],"days":[]})");
  UsageReport row{.address = "acme/demo", .rows = {{.name = "1.0.0", .count = 1}}};
  EXPECT_TRUE(Encode(row).contains(R"("rows":[{"name":"1.0.0","count":1,"archives":0,)"))
      << "who is nobody is left out";
}

TEST(UsageWireTest, TheUsersOfAPackageReadBack) {
  const UsedBy used{.address = "acme/vpc/aws",
                    .since = "2026-10-25",
                    .counted_since = "2026-11-01",
                    .counted = true,
                    .named = true,
                    .total = 3,
                    .behind = 1,
                    .versions = FullReport().rows,
                    .consumers = {{.name = "prod",
                                   .principal = "service:ci",
                                   .label = "prod",
                                   .versions = {{"1.1.0", "2026-11-21"}, {"1.0.0", "2026-11-02"}},
                                   .behind = 2}},
                    .dependents = {{"acme/net/aws", "2.0.0", "modules/a", "~> 1.0"}},
                    .days = {{"2026-11-21", 3}},
                    .meta = {.limit = 100, .current_offset = 0, .total = 1}};
  EXPECT_EQ(Decode<UsedBy>(Encode(used)), used);
  EXPECT_TRUE(Encode(UsedBy{.address = "a"}).contains(R"("counted_since":null)"));
  for (const char* body : {"", "{}", R"({"consumers":[]})", R"({"address":"a","consumers":{}})",
                           R"({"address":"a","consumers":[{"name":"x"}]})",
                           R"({"address":"a","consumers":[],"meta":[]})"}) {
    EXPECT_FALSE(Decode<UsedBy>(body)) << body;
  }
}

TEST(UsageWireTest, WhatIsNoReportIsRefused) {
  for (const char* body :
       {"", "[]", "{}", R"({"address":"a","rows":[]})", R"({"address":"a","days":[]})",
        R"({"rows":[],"days":[]})", R"({"address":"a","rows":{},"days":[]})",
        R"({"address":"a","rows":[{}],"days":[]})",
        R"({"address":"a","rows":[{"name":"x","count":-1}],"days":[]})",
        R"({"address":"a","rows":[{"name":"x","count":"1"}],"days":[]})",
        R"({"address":"a","rows":[],"days":[{"count":1}]})"}) {
    EXPECT_FALSE(Decode<UsageReport>(body)) << body;
  }
}

TEST(UsageWireTest, ASummaryOfDownloadsIsAsOtherRegistriesWriteIt) {
  const DownloadSummary summary{
      .data = {.id = "acme/vpc/aws",
               .attributes = {.month = 58, .total = 226, .week = 10, .year = 127}}};
  const std::string text = R"({"data":{"type":"module-downloads-summary","id":"acme/vpc/aws",)"
                           R"("attributes":{"month":58,"total":226,"week":10,"year":127}}})";
  EXPECT_EQ(Encode(summary), text);
  EXPECT_EQ(Decode<DownloadSummary>(text), summary);
  for (const char* body :
       {"", "[]", "{}", R"({"data":null})", R"({"data":[]})", R"({"data":{"type":"a","id":"b"}})",
        R"({"data":{"type":"a","id":"b","attributes":{"month":-1}}})"}) {
    EXPECT_FALSE(Decode<DownloadSummary>(body)) << body;
  }
}

TEST(UsageWireTest, OthersReadBack) {
  UsageImpact impact{.address = "acme/vpc/aws",
                     .version = "1.0.0",
                     .since = "2026-08-25",
                     .counted = true,
                     .named = true,
                     .total = 2,
                     .all = 9,
                     .bots = 1,
                     .consumers = 1,
                     .rows = FullReport().rows,
                     .callers = {{"acme/net/aws", "2.0.0", "modules/a", "~> 1.0", ""},
                                 {"acme/net/aws", "2.0.0", "", "", "1.1.0"}},
                     .callers_more = true,
                     .unknown = 3,
                     .unknown_more = true};
  EXPECT_EQ(Decode<UsageImpact>(Encode(impact)), impact);
  const Impact of_any{.callers = {{"acme/net/aws", "2.0.0", "modules/a", "~> 1.0"}},
                      .callers_more = true,
                      .unknown = 2};
  EXPECT_EQ(Decode<Impact>(Encode(of_any)), of_any);
  for (const char* body : {"{}", R"({"callers":[]})", R"({"callers":[],"unknown":-1})",
                           R"({"callers":[{"address":"a"}],"unknown":0})"}) {
    EXPECT_FALSE(Decode<Impact>(body)) << body;
  }
  UsageLag lag{.ns = "acme",
               .days = 30,
               .counted = true,
               .behind_median = 1,
               .behind_p90 = 2,
               .days_median = 3,
               .days_p90 = 4,
               .rows = {{"service:ci", "", "module", "acme/vpc/aws", "1.0.0", "2.0.0", 5, 6}}};
  EXPECT_EQ(Decode<UsageLag>(Encode(lag)), lag);
  UnusedPage unused{.days = 180,
                    .counted = true,
                    .rows = {{"acme/vpc/aws", "1.0.0", "2026-01-01T00:00:00Z", 3, ""}},
                    .next = "1000"};
  EXPECT_EQ(Decode<UnusedPage>(Encode(unused)), unused);
  EXPECT_TRUE(Encode(unused).contains(R"("last_day":null)"));
  EXPECT_EQ(*Decode<ForgetRequest>(Encode(ForgetRequest{"user:ada"})), (ForgetRequest{"user:ada"}));
  ForgottenUsage forgotten{"user:ada", 7};
  EXPECT_EQ(Decode<ForgottenUsage>(Encode(forgotten)), forgotten);
  for (const char* body : {"", "{}", R"({"principal":""})", R"({"principal":1})"}) {
    EXPECT_FALSE(Decode<ForgetRequest>(body)) << body;
  }
}

TEST(UsageWireTest, CsvHasALineForEachRow) {
  EXPECT_EQ(UsageReportCsv(FullReport()),
            "name,principal,label,count,archives,bots,consumers,people,last_day\r\n"
            "prod,service:ci,prod,3,2,1,1,4,2026-11-21\r\n");
  UsageReport quoted{.rows = {{.name = "a,b\"c\r\n"}}};
  EXPECT_TRUE(UsageReportCsv(quoted).contains("\"a,b\"\"c\r\n\",")) << UsageReportCsv(quoted);
  EXPECT_EQ(UsageImpactCsv({}), "name,principal,label,count,archives,people,last_day\r\n");
  EXPECT_EQ(UsageLagCsv({}), "principal,label,kind,address,version,latest,behind,days\r\n");
  EXPECT_EQ(UnusedPageCsv({}), "address,latest,published_at,versions,last_day\r\n");
}

}  // namespace
}  // namespace koya::wire
