// The answers of public registries' docs APIs, good ones and others.
#include "wire/foreign/foreign_docs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace koya::wire {
namespace {

std::string Included(std::string_view id, std::string_view attributes,
                     std::string_view type = "provider-docs") {
  return fmt::format(R"({{"type":"{}","id":"{}","attributes":{},"links":{{"self":"/v2/x"}}}})",
                     type, id, attributes);
}

std::string Page(std::string_view category, std::string_view slug, std::string_view language) {
  return fmt::format(R"({{"category":"{}","slug":"{}","language":"{}","title":"t","path":"p.md",
      "subcategory":null,"truncated":false}})",
                     category, slug, language);
}

// ---- JSON:API

constexpr std::string_view kVersions = R"({"data":{"type":"providers","id":"323",
  "attributes":{"name":"demo"}},"included":[null,5,
  {"type":"provider-docs","id":"8","attributes":{"version":"1.0.0"}},
  {"type":"provider-versions","id":"9","attributes":null},
  {"type":"provider-versions","id":"10","attributes":{"version":"1.0.0-rc1"}},
  {"type":"provider-versions","id":"11","attributes":{"version":"1.0.0","tag":"v1.0.0"}},
  {"type":"provider-versions","id":"../..","attributes":{"version":"2.0.0"}},
  {"type":"provider-versions","id":12,"attributes":{"version":"3.0.0"}}]})";

TEST(ForeignDocsTest, FindsTheNumberOfAVersion) {
  EXPECT_EQ(DecodeProviderVersionId(kVersions, "1.0.0"), "11");
  EXPECT_EQ(DecodeProviderVersionId(kVersions, "1.0.0-rc1"), "10");
  EXPECT_EQ(DecodeProviderVersionId(kVersions, "1.0.1"), "") << "it has no such version";
}

TEST(ForeignDocsTest, ANumberThatIsNoneIsRefused) {
  for (std::string_view version : {"2.0.0", "3.0.0"}) {
    auto id = DecodeProviderVersionId(kVersions, version);
    ASSERT_FALSE(id) << version << " " << *id;
    EXPECT_EQ(id.error().message, "the list of provider versions: \"id\" must be a number");
  }
  for (std::string_view body : {"", "[]", "<html>", "{}", R"({"included":{}})"}) {
    auto id = DecodeProviderVersionId(body, "1.0.0");
    ASSERT_FALSE(id) << body;
    EXPECT_TRUE(id.error().message.contains("the list of provider versions")) << id.error().message;
  }
}

TEST(ForeignDocsTest, ReadsIncludedPages) {
  const std::string body = fmt::format(
      R"({{"data":{{"id":"11","type":"provider-versions"}},"included":[{},{},{},{},{},{}]}})",
      Included("3", Page("resources", "vpc", "hcl")),
      Included("1", Page("overview", "index", "hcl")),
      Included("4", Page("resources", "vpc", "python")),
      Included("2", Page("data-sources", "vpc", "hcl")), Included("9", "{}", "providers"),
      Included("5", Page("ephemeral-resources", "key.v1-2", "hcl")));
  auto read = DecodeIncludedDocs(body, 5);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->skipped, 0U);
  ASSERT_EQ(read->docs.size(), 5U);
  EXPECT_EQ(read->docs[0], (ForeignDoc{"data-sources", "vpc", "", "t", "", "", "2"}));
  EXPECT_EQ(read->docs[1].name, "key.v1-2");
  EXPECT_EQ(read->docs[2].kind, "overview");
  EXPECT_EQ(read->docs[3].place, "3");
  EXPECT_EQ(read->docs[4], (ForeignDoc{"resources", "vpc", "python", "t", "", "", "4"}));
}

TEST(ForeignDocsTest, LeavesOutWhatHasNoAddress) {
  std::string bad;
  for (const std::string& attributes :
       {Page("resources", "a/b", "hcl"), Page("resources", "..", "hcl"),
        Page("resources", "", "hcl"), Page("resources", std::string(201, 'a'), "hcl"),
        Page("resources", "größe", "hcl"), Page("secrets", "a", "hcl"),
        Page("overview", "other", "hcl"), Page("resources", "a", "Py/../thon"), std::string("null"),
        std::string("[]"), std::string(R"({"category":5,"slug":["a"]})")}) {
    bad += Included("7", attributes) + ",";
  }
  bad += Included("x7", Page("resources", "a", "hcl")) + ",null,\"text\",";
  const std::string good = Included("1", Page("resources", "a", "hcl"));
  auto read = DecodeIncludedDocs(fmt::format(R"({{"included":[{}{},{}]}})", bad, good,
                                             Included("2", Page("resources", "a", "hcl"))),
                                 100);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->docs.size(), 1U);
  EXPECT_EQ(read->docs[0].place, "1") << "the first of a name";
  EXPECT_EQ(read->skipped, 15U);
}

TEST(ForeignDocsTest, TextsAreCutBetweenCharactersAndPlain) {
  std::string long_text(299, 'a');
  long_text += "ü and more";
  auto read = DecodeIncludedDocs(
      fmt::format(R"({{"included":[{},{}]}})",
                  Included("1", fmt::format(R"({{"category":"guides","slug":"a","title":"{}"}})",
                                            long_text)),
                  Included("2", R"({"category":"guides","slug":"b","title":"a\u001bb",
                                    "subcategory":{"no":"text"}})")),
      10);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->docs.size(), 2U);
  EXPECT_EQ(read->docs[0].title, std::string(299, 'a'));
  EXPECT_EQ(read->docs[1].title, "");
  EXPECT_EQ(read->docs[1].subcategory, "");
}

TEST(ForeignDocsTest, ThereMayBeNoneButNotTooMany) {
  for (std::string_view body : {R"({"data":{}})", R"({"included":null})", R"({"included":[]})"}) {
    ASSERT_TRUE(DecodeIncludedDocs(body, 1)) << body;
    EXPECT_TRUE(DecodeIncludedDocs(body, 1)->docs.empty()) << body;
  }
  const std::string two =
      fmt::format(R"({{"included":[{},{}]}})", Included("1", Page("guides", "a", "hcl")),
                  Included("2", Page("guides", "b", "hcl")));
  EXPECT_TRUE(DecodeIncludedDocs(two, 2));
  auto many = DecodeIncludedDocs(two, 1);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().kind, ErrorKind::kTooLarge);
  EXPECT_EQ(many.error().limit.text(), "limits.docs_files");
  for (std::string_view body : {"", "[]", "<html>", R"({"included":{}})", R"({"included":5})"}) {
    EXPECT_FALSE(DecodeIncludedDocs(body, 5)) << body;
  }
}

TEST(ForeignDocsTest, ReadsAPage) {
  auto text = DecodeDocContent(R"({"data":{"type":"provider-docs","id":"3","attributes":
      {"category":"resources","content":"# Größe\n","truncated":true}}})");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(*text, "# Größe\n");
  for (std::string_view body :
       {"", "[]", "{}", R"({"data":null})", R"({"data":[]})", R"({"data":{"attributes":null}})",
        R"({"data":{"attributes":{}}})", R"({"data":{"attributes":{"content":null}}})",
        R"({"data":{"attributes":{"content":["a"]}}})"}) {
    EXPECT_FALSE(DecodeDocContent(body)) << body;
  }
}

// ---- files of OpenTofu's registry

TEST(ForeignDocsTest, ReadsTofuDocs) {
  auto read = DecodeTofuDocs(R"({"id":"v1.0.0","published":"2024-01-01T00:00:00Z","docs":{
      "index":{"name":"index","title":"Demo","edit_link":"https://example.com/"},
      "resources":[{"name":"vpc","title":"demo_vpc","subcategory":"Net","description":"A net"}],
      "datasources":[{"name":"vpc"}],"functions":[{"name":"upper"}],"guides":[{"name":"start"}],
      "news":[{"name":"unknown"}]},
      "cdktf_docs":{"python":{"index":null,"resources":[{"name":"vpc","title":"In Python"}]},
      "":{"resources":[{"name":"x"}]},"No/pe":{"resources":[{"name":"x"}]}},
      "license":[{"spdx":"MPL-2.0"}]})",
                             6);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->skipped, 0U);
  ASSERT_EQ(read->docs.size(), 6U);
  EXPECT_EQ(read->docs[0],
            (ForeignDoc{"data-sources", "vpc", "", "", "", "", "datasources/vpc.md"}));
  EXPECT_EQ(read->docs[1].place, "functions/upper.md");
  EXPECT_EQ(read->docs[2].place, "guides/start.md");
  EXPECT_EQ(read->docs[3], (ForeignDoc{"overview", "index", "", "Demo", "", "", "index.md"}));
  EXPECT_EQ(read->docs[4],
            (ForeignDoc{"resources", "vpc", "", "demo_vpc", "Net", "A net", "resources/vpc.md"}));
  EXPECT_EQ(read->docs[5], (ForeignDoc{"resources", "vpc", "python", "In Python", "", "",
                                       "cdktf/python/resources/vpc.md"}));
}

TEST(ForeignDocsTest, RefusesAndLeavesOutOfTofuDocs) {
  auto read = DecodeTofuDocs(R"({"docs":{"resources":[{"name":"../../x"},null,5,{"name":5},
      {"title":"nameless"},{"name":"a"},{"name":"a","title":"again"}],"guides":{"name":"x"},
      "functions":"none","datasources":null},"cdktf_docs":{"go":[],"java":null}})",
                             50);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->docs.size(), 1U);
  EXPECT_EQ(read->docs[0].title, "");
  EXPECT_EQ(read->skipped, 6U);
  for (std::string_view body :
       {"", "[]", "{}", R"({"docs":null})", R"({"docs":[]})", R"({"docs":"none"})"}) {
    auto none = DecodeTofuDocs(body, 5);
    ASSERT_FALSE(none) << body;
    EXPECT_EQ(none.error().kind, ErrorKind::kInvalid) << body;
  }
  auto many = DecodeTofuDocs(R"({"docs":{"guides":[{"name":"a"},{"name":"b"}]}})", 1);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().limit.text(), "limits.docs_files");
}

TEST(ForeignDocsTest, AListOfFewBytesCannotAskForHundredsOfMegabytes) {
  std::string body = R"({"docs":{"resources":[)";
  while (body.size() < (8U << 20)) body += "{},";
  body += "{}]}}";
  auto read = DecodeTofuDocs(body, 1 << 30);
  ASSERT_FALSE(read);
  EXPECT_TRUE(read.error().message.contains("memory") || read.error().message.contains("large"))
      << read.error().message;
}

// ---- as it is kept

TEST(ForeignDocsTest, WhatIsKeptComesBack) {
  const ForeignDocs docs{.docs = {{"guides", "a", "", "ä \"\\\n", "s", "d", "guides/a.md"},
                                  {"overview", "index", "go", "", "", "", "7"}},
                         .skipped = 0};
  EXPECT_EQ(Decode<ForeignDocs>(Encode(docs)), docs);
  EXPECT_EQ(Decode<ForeignDocs>(Encode<ForeignDocs>({})), ForeignDocs());
  for (std::string_view body : {"", "[]", R"({"docs":[{"kind":"guides"}]})"}) {
    EXPECT_FALSE(Decode<ForeignDocs>(body)) << body;
  }
}

}  // namespace
}  // namespace koya::wire
