#include "web/site/manual.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "domain/page.h"
#include "domain/search_query.h"
#include "web/common/page_frame.h"
#include "web/sample_pages_fake.h"
#include "web/site/manual_search.h"

namespace koya::web {
namespace {

TEST(ManualTest, HasTitlesAndNoOtherHeadingOfThatLevel) {
  ASSERT_GT(ManualTexts().size(), 15U);
  for (const ManualText& text : ManualTexts()) {
    EXPECT_FALSE(text.title.empty()) << text.name;
    EXPECT_FALSE(text.body.contains("\n# ") && !text.body.contains("```")) << text.name;
    EXPECT_FALSE(text.name.contains('.')) << text.name;
    EXPECT_EQ(FindManualText(text.name), &text);
  }
}

TEST(ManualTest, FindsNothingElse) {
  for (std::string_view name : {"", "Access", "access.md", "architecture", "../access", "api"}) {
    EXPECT_EQ(FindManualText(name), nullptr) << name;
  }
}

TEST(ManualTest, ThePlacesOfTheIndexAreThere) {
  for (std::string_view name :
       {"publishing", "keys", "mirror", "policy", "tokens", "errors", "trusted-publishing"}) {
    EXPECT_NE(FindManualText(name), nullptr) << name;
  }
}

TEST(ManualTest, LinksLeadToPagesOrAreText) {
  const std::string html = RenderManual(
                               "[a](access.md) [b](keys.md#rotating-an-author-key) [c](api.md)"
                               " [d](errors.md) [e](architecture.md) [f](../src/api/routes.cc)")
                               .html;
  for (std::string_view link : {"href=\"/-/docs/access\"", "href=\"/-/docs/keys#user-rotating",
                                "href=\"/-/docs/api\"", "href=\"/-/docs/errors\""}) {
    EXPECT_TRUE(html.contains(link)) << link << " in " << html;
  }
  EXPECT_TRUE(html.contains("e (<code>docs/architecture.md</code> in the source)")) << html;
  EXPECT_TRUE(html.contains("f (<code>src/api/routes.cc</code> in the source)")) << html;
  EXPECT_EQ(
      RenderManual("See [benchmarks.md](benchmarks.md#a), [x](https://a.example/b.md).").html,
      "<p>See <code>docs/benchmarks.md</code> in the source, <a href=\"https://a.example/b.md\""
      " rel=\"nofollow ugc noopener\">x</a>.</p>");
}

// A link without a target would be plain text.
TEST(ManualTest, EveryLinkLeadsSomewhereOrNamesItsFile) {
  for (const ManualText& text : ManualTexts()) {
    const std::string html = RenderManual(text.body).html;
    for (std::string_view file : {">benchmarks.md<", ">github-actions.yml<"}) {
      EXPECT_FALSE(html.contains(file)) << text.name << file;
    }
    EXPECT_FALSE(ManualSentence(text).empty()) << text.name;
  }
}

// "guide Tokens /-/docs/tokens", of each hit.
std::vector<std::string> FoundInManual(std::string_view query, PageRequest part = {0, 5}) {
  std::vector<std::string> found;
  for (const SearchHit& hit : SearchManual(SearchQuery::Parse(query).value(), part).items) {
    found.push_back(std::string(SearchKindName(hit.kind)) + " " + hit.name + " " + hit.url);
  }
  return found;
}

TEST(ManualSearchTest, FindsByNamesThenHeadingsThenTexts) {
  struct Case {
    std::string_view query;
    std::string_view first;
  };
  constexpr Case kCases[] = {
      {"tokens", "guide Tokens /-/docs/tokens"},
      {"trusted publishing", "guide Trusted publishing /-/docs/trusted-publishing"},
      {"server.url", "setting server.url /-/docs/config#user-server"},
      {"KOYA_SERVER_URL kind:setting", "setting server.url /-/docs/config#user-server"},
      {"not_found kind:error", "error not_found /-/docs/errors/not_found"},
      {"rotating author key", "guide Keys /-/docs/keys#user-rotating-an-author-key"},
      {"accessib", "guide Accessibility /-/docs/accessibility"}};
  for (const Case& each : kCases) {
    const std::vector<std::string> found = FoundInManual(each.query);
    ASSERT_FALSE(found.empty()) << each.query;
    EXPECT_EQ(found.front(), each.first) << each.query;
  }
}

TEST(ManualSearchTest, FindsNothingElse) {
  for (std::string_view query :
       {"zzyzx", "tokens zzyzx", "tokens ns:acme", "tokens host:here", "tokens uses:aws_vpc",
        "tokens needs:aws", "tokens calls:a/b/c", "tokens system:aws", "tokens deprecated:no",
        "tokens version:1.0.0", "tokens kind:module", "\"tokens zzyzx\"", "\"url server\""}) {
    EXPECT_EQ(FoundInManual(query), std::vector<std::string>()) << query;
  }
}

TEST(ManualSearchTest, HitsAreCountedAndInParts) {
  const SearchQuery query = SearchQuery::Parse("server").value();
  const ManualHits all = SearchManual(query, {.offset = 0, .limit = 1000});
  EXPECT_EQ(all.items.size(), all.total);
  std::uint64_t counted = 0;
  for (const auto& [kind, count] : all.counts) counted += count;
  EXPECT_EQ(counted, all.total);
  EXPECT_EQ(SearchManual(query, {.offset = 3, .limit = 2}).items.at(0).url, all.items.at(3).url);
  EXPECT_EQ(SearchManual(query, {.offset = all.total, .limit = 2}).items.size(), 0U);
  const SearchQuery settings = SearchQuery::Parse("kind:setting").value();
  EXPECT_GT(SearchManual(settings, {.offset = 0, .limit = 0}).total, 100U);
  for (const SearchHit& hit : all.items) {
    EXPECT_FALSE(hit.why.empty() && hit.title.empty()) << hit.name;
    EXPECT_TRUE(hit.url.starts_with("/-/docs/")) << hit.url;
  }
}

// What one text says of a place in another is there.
TEST(ManualTest, LinksToPlacesLeadToPlaces) {
  for (const ManualText& text : ManualTexts()) {
    const std::string html = RenderManual(text.body).html;
    constexpr std::string_view kLink = "href=\"/-/docs/";
    for (std::size_t at = html.find(kLink); at != html.npos; at = html.find(kLink, at + 1)) {
      const std::size_t begin = at + kLink.size();
      const std::string place = html.substr(begin, html.find('"', begin) - begin);
      const std::size_t hash = place.find('#');
      if (hash == place.npos) continue;
      const ManualText* other = FindManualText(place.substr(0, hash));
      ASSERT_NE(other, nullptr) << place;
      const auto contents = RenderManual(other->body).contents;
      EXPECT_NE(std::ranges::find(contents, place.substr(hash + 1), &markup::Heading::name),
                contents.end())
          << text.name << " leads to " << place;
    }
  }
}

TEST(ManualTest, IsWholeWhenItIsRendered) {
  for (const ManualText& text : ManualTexts()) {
    const markup::Rendered rendered = RenderManual(text.body);
    EXPECT_FALSE(rendered.cut_input || rendered.cut_output) << text.name;
    EXPECT_TRUE(std::ranges::all_of(rendered.contents, [](const markup::Heading& heading) {
      return heading.level >= 2;
    })) << text.name;
  }
}

// Screen readers announce the heading of each column.
TEST(ManualTest, EveryColumnOfATableHasAHeading) {
  for (const ManualText& text : ManualTexts()) {
    const std::string html = RenderManual(text.body).html;
    EXPECT_FALSE(html.contains("<th></th>")) << text.name;
  }
}

TEST(ManualTest, SectionsEndWhereTheNextBegins) {
  const ManualText text{.name = "x", .title = "X", .body = "\n\na\n\n## b\n\nc\n\n### d\n\n## e\n"};
  EXPECT_EQ(ManualPreface(text), "\n\na\n");
  EXPECT_EQ(ManualSection(text, "b"), "\nc\n\n### d\n");
  EXPECT_EQ(ManualSection(text, "e"), "");
  EXPECT_EQ(ManualSection(text, "d"), std::nullopt);
  EXPECT_EQ(ManualSection(text, "a"), std::nullopt);
}

TEST(ManualTest, SaysInOtherLanguagesThatTheTextIsEnglish) {
  const ManualPage page{.title = "T", .text = RenderManual("text")};
  EXPECT_TRUE(RenderManualPage(SampleFrame(Language::kJapanese), page).contains("英語"));
  EXPECT_TRUE(RenderManualPage(SampleFrame(Language::kJapanese), page)
                  .contains("<article class=\"prose\" lang=\"en\""));
  EXPECT_FALSE(
      RenderManualPage(SampleFrame(Language::kEnglish), page).contains("pages are in English"));
}

TEST(FooterTest, SaysHowTheServerIs) {
  PageFrame frame = SampleFrame(Language::kEnglish);
  const std::string well = RenderAccessibility(frame);
  EXPECT_TRUE(well.contains("Operational"));
  const std::string marked = WithOfflineNote(well, Language::kEnglish);
  EXPECT_FALSE(marked.contains("Operational")) << "who says so from memory does not know it";
  EXPECT_TRUE(marked.contains("Database unreachable"));
  frame.is_well = false;
  EXPECT_TRUE(RenderAccessibility(frame).contains("Database unreachable"));
}

TEST(FooterTest, LeadsToTheApiOnlyWhoeverMayReadThere) {
  PageFrame frame = SampleFrame(Language::kEnglish);
  EXPECT_FALSE(RenderAccessibility(frame).contains("href=\"/-/docs/api\""));
  EXPECT_TRUE(RenderAccessibility(frame).contains("href=\"/-/docs/accessibility\""));
  frame.sections = {Section::kDocs};
  EXPECT_TRUE(RenderAccessibility(frame).contains("href=\"/-/docs/api\""));
}

}  // namespace
}  // namespace koya::web
