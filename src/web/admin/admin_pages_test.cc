#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "web/access/admin_grants.h"
#include "web/admin/admin_pages.h"
#include "web/common/html_page_fake.h"
#include "web/sample_pages_fake.h"

namespace koya::web {
namespace {

PageFrame AdministratorsFrame() {
  PageFrame frame = SampleFrame(Language::kEnglish);
  frame.account = "ada";
  frame.administers = true;
  return frame;
}

GrantRecord GroupGrant(std::string group) {
  return {.ns = "n", .kind = GranteeKind::kGroup, .grantee = std::move(group), .granted_by = {}};
}

TEST(AdminAuditPageTest, AnEntryHasItsTimeForReadersAndToTheSecond) {
  AuditRecord record;
  record.entry.at = 1'794'960'042;
  const std::string text = ReadHtml(RenderAdminAuditEntry(AdministratorsFrame(), record)).text;
  EXPECT_TRUE(text.contains("18 Nov 2026, 00:00 UTC")) << text;
  EXPECT_TRUE(text.contains("2026-11-18T00:00:42Z")) << text;
  PageFrame japanese = AdministratorsFrame();
  japanese.language = Language::kJapanese;
  EXPECT_TRUE(ReadHtml(RenderAdminAuditEntry(japanese, record)).text.contains("2026年11月18日"));
}

TEST(AdminStoragePageTest, SaysHowMuchMoreOrLessThereIs) {
  constexpr std::int64_t kToday = 20'522;  // 2026-03-10
  struct Case {
    std::vector<StorageDay> days;
    std::string_view told;
    std::string_view since;
  };
  const StorageDay now{.day = kToday, .modules = 5'000'000};
  for (const Case& each :
       {Case{{{.day = kToday - 30, .modules = 2'000'000}, now}, "+3.0 MB", "8 Feb 2026"},
        Case{{{.day = kToday - 59}, {.day = kToday - 31, .modules = 9'000'000}, now},
             "−4.0 MB",
             "7 Feb 2026"},
        Case{{{.day = kToday - 1, .modules = 5'000'000}, now}, "±0", "9 Mar 2026"}}) {
    AdminStoragePage page{.days = each.days, .now = kToday * 86'400};
    page.sums.modules = {3, 5'000'000};
    const HtmlPage read = ReadHtml(RenderAdminStorage(AdministratorsFrame(), page));
    EXPECT_TRUE(read.text.contains(each.told)) << each.told << read.text;
    EXPECT_TRUE(read.text.contains(each.since)) << each.since << read.text;
    EXPECT_EQ(read.All("svg").size(),
              ReadHtml(RenderAdminStorage(AdministratorsFrame(), {})).All("svg").size() + 1);
  }
  const AdminStoragePage first{.days = {now}};
  EXPECT_TRUE(ReadHtml(RenderAdminStorage(AdministratorsFrame(), first)).text.contains("tomorrow"));
}

TEST(AdminGrantsPageTest, HasColumnsForTheGroupsThatHaveMost) {
  AdminGrantsPage page;
  page.part = {.offset = 0, .shown = 2, .size = 20, .total = 2};
  page.rows = {{.ns = "one", .grants = {}}, {.ns = "two", .grants = {}}};
  for (const char* group : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    page.rows[0].grants.push_back(GroupGrant(group));
  }
  for (const char* group : {"g", "h"}) page.rows[1].grants.push_back(GroupGrant(group));
  const HtmlPage read = ReadHtml(RenderAdminGrants(AdministratorsFrame(), page));
  std::vector<std::string> columns;
  for (const HtmlElement& link : read.All("a")) {
    const std::string href = link.Value("href");
    const std::string_view kGroups = "/-/admin/groups/";
    if (href.starts_with(kGroups)) columns.push_back(href.substr(kGroups.size()));
  }
  EXPECT_EQ(columns, (std::vector<std::string>{"a", "b", "c", "d", "g", "h"}));
  EXPECT_NE(read.text.find("Group e"), read.text.npos) << "the others are told of, too";
}

TEST(AdminAuditPageTest, KeepsTheQuestionInItsLinks) {
  EXPECT_EQ(AuditListPath("/-/admin/audit", {}), "/-/admin/audit");
  AuditQuestion question{.actor = "user:a&b", .since = "24h", .kind = AuditKind::kDenied};
  EXPECT_EQ(AuditListPath("/-/admin/audit", question),
            "/-/admin/audit?actor=user%3Aa%26b&since=24h&kind=denied");
}

TEST(AdminOverviewPageTest, SaysThatAllIsWellOnlyWhenThatIsKnown) {
  AdminOverviewPage page{.troubles = {}};
  std::string html = RenderAdminOverview(AdministratorsFrame(), page);
  EXPECT_EQ(html.find("Nothing needs attention"), html.npos);
  page.knows_state = true;
  html = RenderAdminOverview(AdministratorsFrame(), page);
  EXPECT_NE(html.find("Nothing needs attention"), html.npos);
  page.troubles = {{.kind = AdminOverviewPage::Trouble::Kind::kState, .text = "starting"}};
  html = RenderAdminOverview(AdministratorsFrame(), page);
  EXPECT_EQ(html.find("Nothing needs attention"), html.npos);
  EXPECT_NE(html.find("starting"), html.npos);
}

TEST(AdminStoragePageTest, TellsNothingThatIsNotKnown) {
  AdminStoragePage page;
  std::string html = RenderAdminStorage(AdministratorsFrame(), page);
  EXPECT_EQ(html.find("Objects in the object store"), html.npos);
  EXPECT_EQ(html.find("waited since"), html.npos);
  EXPECT_NE(html.find("has not completed one since it started"), html.npos);
  page.sums.objects.leaving = {1, 7};
  page.sums.objects.oldest_leaving_at = 1'795'000'000;
  page.now = 1'795'000'600;
  html = RenderAdminStorage(AdministratorsFrame(), page);
  EXPECT_NE(html.find("Objects in the object store"), html.npos);
  EXPECT_NE(html.find("10 minutes ago"), html.npos);
}

TEST(AdminStoragePageTest, TellsWhatTheObjectStoreHasOfIt) {
  AdminStoragePage page{.now = 1'795'000'600};
  std::string html = RenderAdminStorage(AdministratorsFrame(), page);
  EXPECT_EQ(html.find("clean-up of the object store"), html.npos) << "this is a folder";
  page.sweep = ShownJob{.job = "store-sweep",
                        .ended_at = 1'795'000'000,
                        .took = std::chrono::milliseconds(61'000),
                        .waiting = 3,
                        .told = "12 objects were removed"};
  page.scrub = ShownJob{.job = "cache-scrub", .ended_at = 1'795'000'000};
  html = RenderAdminStorage(AdministratorsFrame(), page);
  for (const char* told : {"clean-up of the object store", "12 objects were removed", "1 min 01 s",
                           "Remaining</dt><dd>3<", "copies on this server"}) {
    EXPECT_NE(html.find(told), html.npos) << told << "\n" << html;
  }
}

VerifyRun OneRun() {
  return {.id = "one",
          .by = "user:ada",
          .began_at = 1'795'000'000,
          .told_at = 1'795'000'300,
          .progress = {.checked = 7, .found = {}, .ended = true, .failure = {}}};
}

TEST(AdminStoragePageTest, SaysWhatBecameOfTheLastRunInOneWord) {
  struct Row {
    VerifyProgress progress;
    UnixSeconds later;  // after it was last heard of
    std::string_view told;
  };
  const std::vector<std::string_view> all{">all OK<",
                                          ">damage found<",
                                          ">failed<",
                                          ">damage found and repaired<",
                                          ">running<",
                                          ">no end was reported<",
                                          "No verification has run"};
  for (const Row& row : {
           Row{{.checked = 7, .ended = true}, 0, ">all OK<"},
           Row{{.checked = 7, .wrong = 2, .repaired = 1, .ended = true}, 0, ">damage found<"},
           Row{{.checked = 7, .wrong = 2, .repaired = 2, .ended = true},
               0,
               ">damage found and repaired<"},
           Row{{.checked = 7, .ended = true, .failure = "away"}, 0, ">failed<"},
           Row{{.checked = 7, .wrong = 1}, 300, ">running<"},
           Row{{.checked = 7, .wrong = 1}, 301, ">no end was reported<"},
       }) {
    AdminStoragePage page{.now = OneRun().told_at + row.later};
    page.verified = OneRun();
    page.verified->progress = row.progress;
    const std::string html = RenderAdminStorage(AdministratorsFrame(), page);
    for (std::string_view each : all) {
      EXPECT_EQ(html.find(each) != html.npos, each == row.told) << each << " for " << row.told;
    }
  }
  EXPECT_NE(RenderAdminStorage(AdministratorsFrame(), {}).find("No verification has run"),
            std::string::npos);
}

TEST(AdminStoragePageTest, NamesWhatTheLastRunFoundAndSaysWhatItLeftOut) {
  AdminStoragePage page{.now = OneRun().told_at};
  page.verified = OneRun();
  VerifyProgress& told = page.verified->progress;
  std::string html = RenderAdminStorage(AdministratorsFrame(), page);
  for (const char* part : {"sizes only", "mirrored data only", "· partial", " more</li>"}) {
    EXPECT_EQ(html.find(part), html.npos) << part;
  }
  told.quick = told.mirrored_only = told.partial = true;
  told.wrong = 5;
  told.repaired = 1;
  told.found = {{"acme/<i>/aws 1.0.0", "damaged", true}, {"acme/dns/aws 2.0.0", "missing", false}};
  told.failure = "the server is <away>";
  html = RenderAdminStorage(AdministratorsFrame(), page);
  for (const char* part :
       {"sizes only", "mirrored data only", "· partial", "acme/&lt;i&gt;/aws 1.0.0</bdi>: damaged",
        "acme/dns/aws 2.0.0</bdi>: missing", "and <bdi>3</bdi> more", "the server is &lt;away&gt;",
        "user:ada"}) {
    EXPECT_NE(html.find(part), html.npos) << part << "\n" << html;
  }
}

TEST(AdminHealthPageTest, TellsOfJobsWhatIsKnown) {
  AdminHealthPage page{.now = 1'795'000'600};
  page.jobs = {{.job = "readings", .waiting = 1204}};
  std::string html = RenderAdminHealth(AdministratorsFrame(), page);
  EXPECT_NE(html.find(">readings</th><td class=\"nw\">–</td><td class=\"r nw\">–</td>"
                      "<td class=\"r\">1,204</td>"),
            html.npos)
      << html;
  for (const auto& [took, told] :
       {std::pair{-1, "0 ms"}, std::pair{999, "999 ms"}, std::pair{1000, "1.0 s"},
        std::pair{12'480, "12.4 s"}, std::pair{60'000, "1 min 00 s"},
        std::pair{3'599'999, "59 min 59 s"}, std::pair{4'312'000, "1 h 11 min"}}) {
    page.jobs = {{.job = "gc", .ended_at = 1'795'000'000, .took = std::chrono::milliseconds(took)}};
    html = RenderAdminHealth(AdministratorsFrame(), page);
    EXPECT_NE(html.find(std::string("<td class=\"r nw\">") + told + "</td>"), html.npos) << told;
  }
}

TEST(AdminMenuTest, LeadsToAdministrationForAdministratorsAlone) {
  PageFrame frame = AdministratorsFrame();
  std::string html = RenderAdminOverview(frame, {.troubles = {}});
  EXPECT_NE(html.find("<a href=\"/-/admin\">Administration</a>"), html.npos);
  frame.administers = false;
  html = RenderAdminStorage(frame, {});
  EXPECT_EQ(html.find("<a href=\"/-/admin\">Administration</a>"), html.npos);
}

}  // namespace
}  // namespace koya::web
