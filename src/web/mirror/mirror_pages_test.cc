#include "web/mirror/mirror_pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "web/common/html_page_fake.h"
#include "web/sample_pages_fake.h"

namespace koya::web {
namespace {

std::string StatusText(const ShownActivity& activity) {
  MirrorPage page;
  page.of_late = activity;
  return ReadHtml(RenderMirror(SampleFrame(Language::kEnglish), page)).text;
}

ShownActivity Sent(std::uint64_t kept, std::uint64_t sent) {
  ShownActivity activity;
  activity.sent = sent;
  activity.kept = kept;
  activity.days.resize(30);
  return activity;
}

TEST(MirrorStatusPageTest, SharesAreNeverRoundedUp) {
  struct Row {
    std::uint64_t kept;
    std::uint64_t sent;
    std::string_view text;
  };
  for (const Row& row :
       {Row{0, 5, "0.0%"}, Row{1, 3, "33.3%"}, Row{2, 3, "66.6%"}, Row{9'999, 10'000, "99.9%"},
        Row{10'000, 10'000, "100%"}, Row{1, 1'000'000, "0.0%"}}) {
    EXPECT_TRUE(StatusText(Sent(row.kept, row.sent)).contains(row.text)) << row.text;
  }
  EXPECT_FALSE(StatusText(Sent(0, 0)).contains("%")) << "of nothing there is no share";
}

TEST(MirrorStatusPageTest, ReadinessIsToldWhereFetchesAreCounted) {
  ShownActivity activity = Sent(1, 1);
  EXPECT_TRUE(StatusText(activity).contains("Fetches are not counted"));
  activity.ready = ShownActivity::Ready{.fetched = 2'140, .held = 2'110};
  const std::string text = StatusText(activity);
  EXPECT_TRUE(text.contains("2,110")) << text;
  EXPECT_TRUE(text.contains("of 2,140 fetched versions")) << text;
  EXPECT_FALSE(text.contains("Fetches are not counted"));
}

TEST(MirrorStatusPageTest, BarsStandForDaysWithSomething) {
  ShownActivity activity = Sent(1, 3);
  MirrorPage page;
  const auto bars = [&] {
    page.of_late = activity;
    return ReadHtml(RenderMirror(SampleFrame(Language::kEnglish), page)).All("rect").size();
  };
  EXPECT_EQ(bars(), 0U);
  activity.days[3].sent = 1;
  activity.days[29].sent = 2;
  EXPECT_EQ(bars(), 2U);
}

TEST(MirrorPackagesPageTest, FetchesAreAColumnWhereTheyAreCounted) {
  MirrorPackagesPage page{.path = "/-/mirror/packages"};
  page.rows = {{.host = "registry.example.org", .address = "acme/demo", .fetches = 4'321}};
  page.part = {.offset = 0, .shown = 1, .size = 50, .total = 0, .more = false};
  const auto text = [&page] {
    return ReadHtml(RenderMirrorPackages(SampleFrame(Language::kEnglish), page)).text;
  };
  EXPECT_TRUE(text().contains("4,321"));
  EXPECT_FALSE(text().contains("Only some of the stored packages were searched"));
  page.counts_fetches = false;
  page.is_cut = true;
  EXPECT_FALSE(text().contains("4,321"));
  EXPECT_TRUE(text().contains("Only some of the stored packages were searched"));
}

}  // namespace
}  // namespace koya::web
