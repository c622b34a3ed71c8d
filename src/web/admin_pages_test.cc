#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "web/admin_grants.h"
#include "web/admin_pages.h"
#include "web/html_page_fake.h"
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
  EXPECT_NE(html.find("has not ended one since it started"), html.npos);
  page.sums.objects.leaving = {1, 7};
  page.sums.objects.oldest_leaving_at = 1'795'000'000;
  page.now = 1'795'000'600;
  html = RenderAdminStorage(AdministratorsFrame(), page);
  EXPECT_NE(html.find("Objects in the object store"), html.npos);
  EXPECT_NE(html.find("10 minutes ago"), html.npos);
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
