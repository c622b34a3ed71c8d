#include <gtest/gtest.h>

#include <chrono>
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
  EXPECT_TRUE(text.contains("18 Nov 2026, 00:00:42 UTC")) << text;
  EXPECT_TRUE(text.contains("2026-11-18T00:00:42Z")) << text;
  PageFrame japanese = AdministratorsFrame();
  japanese.language = Language::kJapanese;
  EXPECT_TRUE(ReadHtml(RenderAdminAuditEntry(japanese, record)).text.contains("2026年11月18日"));
}

TEST(AdminGrantsPageTest, ListsTheFirstRolesOfAnyNumberOfGroups) {
  AdminGrantsPage page;
  page.part = {.offset = 0, .shown = 2, .size = 20, .total = 2};
  page.rows = {{.ns = "one", .grants = {}}, {.ns = "two", .grants = {}}};
  for (int i = 0; i < 300; ++i) page.rows[0].grants.push_back(GroupGrant("g" + std::to_string(i)));
  page.rows[0].grants[299].role = Role::kOwner;
  page.rows[0].grants[298].role = Role::kPublisher;
  page.rows[0].grants[0].grantee = std::string(128, 'x');
  const HtmlPage read = ReadHtml(RenderAdminGrants(AdministratorsFrame(), page));
  EXPECT_LT(read.text.find("g299"), read.text.find("g298")) << "owners come first";
  EXPECT_LT(read.text.find("g298"), read.text.find(std::string(128, 'x')));
  EXPECT_TRUE(read.text.contains("and 276 more")) << read.text;
  EXPECT_FALSE(read.text.contains("g150"));
  EXPECT_TRUE(read.text.contains("No roles have been granted")) << read.text;
  EXPECT_TRUE(read.All("table").empty());
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
