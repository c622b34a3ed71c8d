#include "web/site/search_page.h"

#include <gtest/gtest.h>

#include <string>

#include "web/sample_pages_fake.h"

namespace koya::web {
namespace {

FoundPage Found() {
  FoundPage page;
  page.asked.text = "instance";
  page.found.items = {{.address = "acme/vm/aws", .version = "1.0.0", .name = "vm"}};
  page.found.counts = {{SearchKind::kModule, 1}, {SearchKind::kDoc, 400}};
  page.total = 401;
  return page;
}

// A count that was cut off says so; one cut off at 0 shows no number.
TEST(SearchPageTest, KindsSayWhetherTheirCountIsAll) {
  FoundPage page = Found();
  const auto html = [&page] { return RenderSearch(SampleFrame(Language::kEnglish), page); };
  EXPECT_TRUE(html().contains("Modules<span class=\"n\">1</span>")) << html();
  EXPECT_TRUE(html().contains("<span class=\"n\">401</span>"));
  EXPECT_FALSE(html().contains("kind=input"));
  EXPECT_FALSE(html().contains(" results or more"));
  page.found.cut = true;
  page.found.cut_kinds = {SearchKind::kInput, SearchKind::kDoc};
  EXPECT_TRUE(html().contains("Modules<span class=\"n\">1</span>"));
  EXPECT_TRUE(html().contains("<span class=\"n\">400+</span>"));
  EXPECT_TRUE(html().contains("<span class=\"n\">401+</span>"));
  EXPECT_TRUE(html().contains("Inputs</a>")) << html();
  EXPECT_TRUE(html().contains(" results or more"));
}

}  // namespace
}  // namespace koya::web
