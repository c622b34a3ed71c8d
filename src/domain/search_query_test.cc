#include "domain/search_query.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace koya {
namespace {

// The parsed query as "vpc* private+subnet ns=acme kind=input".
std::string Read(std::string_view text) {
  const Result<SearchQuery> query = SearchQuery::Parse(text);
  if (!query) return query.error().message;
  std::vector<std::string> parts;
  for (const SearchTerm& term : query->terms()) {
    parts.push_back(fmt::format("{}{}", fmt::join(term.words, "+"), term.begins ? "*" : ""));
  }
  if (!query->ns().empty()) parts.push_back("ns=" + query->ns());
  if (!query->host().empty()) parts.push_back("host=" + query->host());
  if (query->here()) parts.push_back("here");
  for (SearchKind kind : query->kinds())
    parts.push_back(fmt::format("kind={}", SearchKindName(kind)));
  for (const std::string& used : query->uses()) parts.push_back("uses=" + used);
  for (const std::string& needed : query->needs()) parts.push_back("needs=" + needed);
  for (const std::string& called : query->calls()) parts.push_back("calls=" + called);
  if (!query->system().empty()) parts.push_back("system=" + query->system());
  if (query->deprecated()) parts.push_back(*query->deprecated() ? "deprecated" : "current");
  if (!query->version().empty()) parts.push_back("version=" + query->version());
  if (query->any_version()) parts.push_back("any version");
  return fmt::format("{}", fmt::join(parts, " "));
}

TEST(SearchQuery, ReadsWhatItSays) {
  constexpr std::pair<std::string_view, std::string_view> kCases[] = {
      {"vpc", "vpc*"},
      {"  VPC \t subnet ", "vpc* subnet*"},
      {"vpc VPC", "vpc*"},
      {"aws_vpc", "aws+vpc*"},
      {"acme/vpc/aws", "acme+vpc+aws*"},
      {"a", "a"},
      {"日", "日*"},
      {"日本語", "日本+本語*"},
      {"\"private subnet\"", "private+subnet"},
      {"\"private subnet\"x", "private+subnet x"},
      {"\"ns:acme\"", "ns+acme"},
      {"\"日\"", "日*"},
      {"ns:Acme", "ns=acme"},
      {"NS:acme vpc", "vpc* ns=acme"},
      {"host:Registry.Example.org vpc", "vpc* host=registry.example.org"},
      {"host:registry.example.org:8443", "host=registry.example.org:8443"},
      {"host:日本.example", "host=xn--wgv71a.example"},
      {"host:Here vpc", "vpc* here"},
      {"kind:input,output kind:input", "kind=input kind=output"},
      {"kind:Module", "kind=module"},
      {"uses:AWS_vpc uses:aws_subnet", "uses=aws_vpc uses=aws_subnet"},
      {"needs:hashicorp/aws", "needs=hashicorp/aws"},
      {"calls:Acme/vpc/aws calls:a/b/c", "calls=acme/vpc/aws calls=a/b/c"},
      {"calls:unknown", "calls=unknown"},
      {"system:AWS vpc", "vpc* system=aws"},
      {"kind:guide,setting,Error", "kind=guide kind=setting kind=error"},
      {"deprecated:yes", "deprecated"},
      {"deprecated:NO vpc", "vpc* current"},
      {"version:v1.2.0", "version=1.2.0"},
      {"version:any vpc", "vpc* any version"},
      {"10.0.0.0/16", "10+0+0+0+16*"},
      // Addresses as they are written elsewhere, and as pages have them.
      {"registry.example.com/acme/vpc/aws", "acme+vpc+aws*"},
      {"127.0.0.1:8443/acme/vpc/aws", "acme+vpc+aws*"},
      {"localhost:8443/acme/vpc/aws", "acme+vpc+aws*"},
      {"registry.example.com/acme/vpc/aws//modules/sub?x=1", "acme+vpc+aws* sub*"},
      {"acme/vpc/aws//modules/sub", "acme+vpc+aws* sub*"},
      {"acme/vpc/aws//examples/a/b", "acme+vpc+aws* a+b"},
      {"registry.example.com/acme/cloud", "acme+cloud*"},
      {"https://registry.example.com/modules/acme/vpc/aws", "acme+vpc+aws*"},
      {"HTTPS://registry.example.com/modules/acme/vpc/aws/1.2.0/inputs?x#y", "acme+vpc+aws*"},
      {"https://registry.example.com/modules/acme/vpc/aws/latest/submodules/sub",
       "acme+vpc+aws* sub*"},
      {"http://127.0.0.1:8080/providers/acme/cloud/1.0.0/docs", "acme+cloud*"},
      {"https://registry.example.com/modules/acme/vpc/aws ns:acme", "acme+vpc+aws* ns=acme"},
      {"acme/vpc//sub", "acme+vpc+sub*"},
      {"main.tf/x", "main+tf+x"},
      {"//", "// in the search has no letter or digit: leave it out"},
      {"1:2", "1+2"}};
  for (const auto& [text, read] : kCases) EXPECT_EQ(Read(text), read) << text;
}

TEST(SearchQuery, SaysWhatIsWrong) {
  std::string many;
  for (std::size_t i = 0; i <= kMostSearchParts; ++i) many += "a" + std::to_string(i) + " ";
  const std::pair<std::string, std::string_view> kCases[] = {
      {"", "empty"},
      {" \t\n", "empty"},
      {"\"", "not closed"},
      {"vpc \"private", "not closed"},
      {"\"\"", "no letter or digit"},
      {"\" - \"", "no letter or digit"},
      {"vpc -", "no letter or digit"},
      {"?", "no letter or digit"},
      {"😀", "no letter or digit"},
      {"name:vpc", "unknown filter \"name:\""},
      {"https://example.com", "unknown filter \"https:\""},
      {"https://", "unknown filter \"https:\""},
      {"https:///", "unknown filter \"https:\""},
      {"https://example.com/modules/acme/vpc", "unknown filter \"https:\""},
      {"https://example.com/modules/acme/v pc/aws", "unknown filter \"https:\""},
      {"https://example.com/search?q=vpc", "unknown filter \"https:\""},
      {"name:1/vpc", "unknown filter \"name:\""},
      {"ns:", "needs a value"},
      {"kind: input", "needs a value"},
      {"ns:\"acme\"", "needs a value"},
      {"ns:a ns:b", "more than once"},
      {"ns:a/b", ""},
      {"ns:-", ""},
      {"calls:", "needs a value"},
      {"system:", "needs a value"},
      {"system:a/b", "last part of a module's address"},
      {"system:a_b", "last part of a module's address"},
      {"system:aws system:gcp", "more than once"},
      {"host:", "needs a value"},
      {"host:a_b..c", "host:registry.example.org"},
      {"host:https://a.example", "host:registry.example.org"},
      {"host:a.example host:here", "more than once"},
      {"kind:variable", "unknown kind"},
      {"kind:input,", "unknown kind"},
      {"kind:,", "unknown kind"},
      {"deprecated:maybe", "\"yes\" or \"no\""},
      {"deprecated:yes deprecated:no", "more than once"},
      {"version:1", ""},
      {"version:latest", ""},
      {"version:1.0.0 version:any", "more than once"},
      {std::string("a\0b", 3), "control characters"},
      {"\xff", "not UTF-8"},
      {std::string(kLongestSearch + 1, 'a'), "longer than"},
      {many, "more than 16"}};
  for (const auto& [text, words] : kCases) {
    const Result<SearchQuery> query = SearchQuery::Parse(text);
    ASSERT_FALSE(query) << text;
    EXPECT_EQ(query.error().kind, ErrorKind::kInvalid) << text;
    EXPECT_NE(query.error().message.find(words), std::string::npos)
        << text << ": " << query.error().message;
  }
}

TEST(SearchQuery, KnowsAddressesOfProviders) {
  constexpr std::pair<std::string_view, std::string_view> kCases[] = {
      {"hashicorp/aws", "hashicorp/aws"},
      {"Hashicorp/AWS", "hashicorp/aws"},
      {"registry.opentofu.org/hashicorp/aws", "hashicorp/aws"},
      {"https://registry.example.com/providers/acme/cloud", "acme/cloud"},
      {"aws", ""},
      {"acme/vpc/aws", ""},
      {"\"hashicorp/aws\"", ""},
      {"hashicorp/a_b", ""},
      {"10.0.0.0/16", ""},
      {"/aws", ""}};
  for (const auto& [text, provider] : kCases) {
    EXPECT_EQ(SearchQuery::Parse(text).value().terms().at(0).provider, provider) << text;
  }
}

TEST(SearchQuery, BoundsAreExact) {
  EXPECT_TRUE(SearchQuery::Parse(std::string(kLongestSearch, 'a')));
  std::string many;
  for (std::size_t i = 0; i < kMostSearchParts; ++i) many += "a" + std::to_string(i) + " ";
  EXPECT_EQ(SearchQuery::Parse(many)->terms().size(), kMostSearchParts);
}

}  // namespace
}  // namespace koya
