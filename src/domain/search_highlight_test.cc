#include "domain/search_highlight.h"

#include <gtest/gtest.h>

#include "domain/search_query.h"
#include "domain/search_words.h"

namespace koya {
namespace {

std::vector<SearchTerm> Terms(std::string_view query) { return SearchQuery::Parse(query)->terms(); }

std::string Marked(std::string_view text, std::span<const TextRange> marks) {
  std::string out;
  std::size_t at = 0;
  for (const TextRange& mark : marks) {
    EXPECT_LE(at, mark.begin);
    EXPECT_LE(mark.end, text.size());
    out.append(text.substr(at, mark.begin - at)).append("<");
    out.append(text.substr(mark.begin, mark.end - mark.begin)).append(">");
    at = mark.end;
  }
  return out.append(text.substr(at));
}

TEST(SearchHighlight, MarksWhatMatched) {
  constexpr std::tuple<std::string_view, std::string_view, std::string_view> kCases[] = {
      {"vpc", "A VPC here", "A <VPC> here"},
      {"sub", "private subnets", "private <subnets>"},
      {"\"sub\"", "private subnets", "private subnets"},
      {"aws_vpc", "an aws_vpc and AWS VPCs", "an <aws_vpc> and <AWS VPCs>"},
      {"loadbalancer", "a loadBalancer", "a <loadBalancer>"},
      {"日", "今日は", "今<日>は"},
      {"本語", "日本語です", "日<本語>です"},
      {"日本語", "日本語です", "<日本語>です"},
      {"語", "日本語", "日本<語>"},
      {"private vpc", "private vpc", "<private> <vpc>"},
      {"vpc", "", ""},
      {"vpc", "nothing", "nothing"},
      {"vpc", "avpc", "avpc"},
      {"subnet", "subnet_ids", "<subnet>_ids"},
      {"vpc aws_vpc", "aws_vpc", "<aws_vpc>"}};
  for (const auto& [query, text, marked] : kCases) {
    EXPECT_EQ(Marked(text, FindMatches(text, Terms(query))), marked) << query;
  }
}

TEST(SearchHighlight, SnippetsAreAroundTheFirstMatch) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "größe ";
  text += "the subnet ";
  for (int i = 0; i < 100; ++i) text += "日本";
  const auto matches = FindMatches(text, Terms("subnet"));
  const Snippet snippet = MakeSnippet(text, matches);
  EXPECT_LE(snippet.text.size(), kLongestSnippet);
  ASSERT_EQ(snippet.marks.size(), 1u);
  EXPECT_TRUE(snippet.text.starts_with("größe "));
  EXPECT_NE(Marked(snippet.text, snippet.marks).find("the <subnet> 日本"), std::string::npos);
}

TEST(SearchHighlight, SaysWhereAHitWasFound) {
  struct Case {
    std::string_view query;
    SearchKind kind;
    std::string_view why;
  };
  constexpr Case kCases[] = {{"vpc", SearchKind::kModule, "name"},
                             {"acme", SearchKind::kModule, "address"},
                             {"private", SearchKind::kModule, "description"},
                             {"private", SearchKind::kDoc, "title"},
                             {"subnets", SearchKind::kModule, "readme"},
                             {"subnets", SearchKind::kExample, "readme"},
                             {"subnets", SearchKind::kInput, "text"},
                             {"hashicorp/aws", SearchKind::kModule, "needs"},
                             {"needs:aws", SearchKind::kInput, "needs"},
                             {"uses:aws_vpc", SearchKind::kModule, "uses"},
                             {"calls:a/b/c", SearchKind::kModule, "calls"},
                             {"ns:acme", SearchKind::kModule, ""}};
  for (const Case& each : kCases) {
    const SearchQuery query = SearchQuery::Parse(each.query).value();
    SearchHit hit{
        .address = "acme/vpc/aws", .kind = each.kind, .name = "vpc", .title = "A private network"};
    MarkHit(&hit, "with subnets", query.terms());
    EXPECT_EQ(WhyFound(hit, query), each.why) << each.query;
  }
}

TEST(SearchHighlight, TheFirstFieldThatMatchedIsShown) {
  SearchHit hit{.name = "vpc", .title = "A private network"};
  MarkHit(&hit, "with subnets", Terms("subnet"));
  EXPECT_EQ(hit.field, SearchField::kText);
  EXPECT_EQ(Marked(hit.snippet, hit.marks), "with <subnets>");
  MarkHit(&hit, "with subnets", Terms("network subnet"));
  EXPECT_EQ(hit.field, SearchField::kTitle);
  MarkHit(&hit, "with subnets", Terms("vpc"));
  EXPECT_EQ(hit.field, SearchField::kName);
  EXPECT_EQ(Marked(hit.snippet, hit.marks), "<vpc>");
  MarkHit(&hit, "with subnets", {});
  EXPECT_EQ(hit.field, SearchField::kTitle);
  EXPECT_EQ(Marked(hit.snippet, hit.marks), "A private network");
}

}  // namespace
}  // namespace koya
