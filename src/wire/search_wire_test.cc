#include <gtest/gtest.h>

#include <string>

#include "wire/search.h"

namespace koya::wire {
namespace {

TEST(SearchWireTest, ResultsReadBack) {
  SearchResults results{.hits = {{.kind = "input",
                                  .package = "module",
                                  .address = "registry.example.org/acme/vpc/aws",
                                  .hostname = "registry.example.org",
                                  .version = "1.0.0",
                                  .name = "cidr",
                                  .title = "Addresses",
                                  .field = "title",
                                  .snippet = "Addresses",
                                  .marks = {{0, 4}, {5, 9}},
                                  .published_at = "2026-11-21T00:00:00Z",
                                  .newest = false,
                                  .deprecated = true}},
                        .total = 7,
                        .packages = 5,
                        .counts = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
                        .cut = true,
                        .forgiven = true,
                        .missing = {"replica"},
                        .cut_kinds = {"input", "doc"},
                        .facets = {.kind = {{"input", 7}},
                                   .ns = {{"acme", 4}, {"beta", 3}},
                                   .system = {{"aws", 7}},
                                   .deprecated = {{"yes", 7}}},
                        .facets_cut = true,
                        .limit = 1,
                        .current_offset = 1,
                        .next_offset = 2,
                        .prev_offset = 0,
                        .next_url = "/api/v1/search?q=a&limit=1&offset=2",
                        .prev_url = "/api/v1/search?q=a&limit=1&offset=0"};
  const std::string body = EncodeSearchResults(results);
  EXPECT_EQ(DecodeSearchResults(body), results);
  EXPECT_TRUE(body.contains(R"("counts":{"module":1,"provider":2,"submodule":3,"example":4,)"
                            R"("resource":5,"input":6,"output":7,"doc":8,"guide":9,"setting":10,)"
                            R"("error":11})"))
      << body;
  EXPECT_TRUE(body.contains(R"("facets":{"kind":{"input":7},"namespace":{"acme":4,"beta":3},)"
                            R"("system":{"aws":7},"deprecated":{"yes":7}},"facets_cut":true,)"))
      << body;
  EXPECT_TRUE(body.contains(R"("cut":true,"cut_kinds":["input","doc"],)")) << body;
  EXPECT_TRUE(body.contains(R"("marks":[{"begin":0,"end":4},{"begin":5,"end":9}])")) << body;
  results.hits[0].hostname.clear();
  EXPECT_TRUE(EncodeSearchResults(results).contains(R"("hostname":null,)"));
  EXPECT_TRUE(body.contains(R"("meta":{"limit":1,"current_offset":1,"next_offset":2,)")) << body;
}

TEST(SearchWireTest, AGuideHasAUrlAndNoAddress) {
  const SearchResults results{
      .hits = {{.kind = "guide", .name = "Tokens", .why = "name", .url = "/-/docs/tokens"}},
      .total = 1,
      .next_url = "",
      .prev_url = ""};
  const std::string body = EncodeSearchResults(results);
  EXPECT_EQ(DecodeSearchResults(body), results);
  EXPECT_FALSE(body.contains("address")) << body;
  EXPECT_FALSE(body.contains("\"version\"")) << body;
  EXPECT_TRUE(body.contains(R"("why":"name","url":"/-/docs/tokens"})")) << body;
}

TEST(SearchWireTest, WhatIsNoAnswerIsRefused) {
  for (const char* body :
       {"", "[]", "{}", R"({"hits":{}})", R"({"hits":[{}],"meta":{}})",
        R"({"hits":[{"kind":"input","address":"a","version":"1","marks":1}],"meta":{}})",
        R"({"hits":[],"total":-1,"meta":{}})",
        R"({"hits":[],"facets":{"kind":{"input":-1}},"meta":{}})",
        R"({"hits":[],"facets":{"system":{"aws":"many"}},"meta":{}})"}) {
    EXPECT_FALSE(DecodeSearchResults(body)) << body;
  }
}

TEST(SearchWireTest, ReindexingReadsBack) {
  ReindexReport report{.next = "providers/a",
                       .indexed = 3,
                       .removed = 2,
                       .problems = {{"acme/vpc/aws", "1.0.0", "why"}}};
  EXPECT_EQ(Decode<ReindexReport>(Encode(report)), report);
  EXPECT_EQ(Encode<ReindexReport>({}), R"({"next":null,"indexed":0,"removed":0,"problems":[]})");
}

}  // namespace
}  // namespace koya::wire
