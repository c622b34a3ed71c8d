#include "wire/provider_docs.h"

#include <gtest/gtest.h>

#include "wire/provider_publishing.h"

namespace koya::wire {
namespace {

TEST(ProviderDocsWireTest, ListsComeBackAsTheyWere) {
  const DocList list{.docs = {{.kind = "resources",
                               .name = "thing",
                               .language = "hcl",
                               .title = "demo_thing",
                               .subcategory = "Größe",
                               .description = "\"quoted\"",
                               .deprecated = true},
                              {.kind = "overview", .name = "index"}},
                     .is_signed = true};
  auto read = Decode<DocList>(Encode(list));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, list);
  EXPECT_TRUE(Encode<DocList>({}).starts_with(R"({"docs":[],"signed":false)"));
  EXPECT_FALSE(Decode<DocList>("{}"));
}

TEST(ProviderDocsWireTest, APageHasItsSchemaAsADocument) {
  const DocPage page{.kind = "resources", .name = "thing", .language = "hcl", .html = "<p>a</p>"};
  EXPECT_EQ(EncodeDocPage(page, ""),
            R"({"kind":"resources","name":"thing","language":"hcl","title":"","subcategory":"",)"
            R"("description":"","deprecated":false,"signed":false,"html":"<p>a</p>","contents":[],)"
            R"("schema":null})");
  EXPECT_TRUE(
      EncodeDocPage(page, R"({"kind":"resource"})").ends_with(R"("schema":{"kind":"resource"}})"));
}

TEST(ProviderDocsWireTest, WhatIsNotInsideIsNull) {
  ProviderInside inside{.address = "acme/demo", .version = "1.0.0"};
  EXPECT_EQ(Encode(inside),
            R"({"address":"acme/demo","version":"1.0.0","docs":null,"schema":null,"warnings":[]})");
  EXPECT_EQ(*Decode<ProviderInside>(Encode(inside)), inside);
  inside.docs = {.is_signed = true, .pages = {{"resources", 3}}, .languages = {"python"}};
  inside.schema = {.is_signed = false, .items = {{"resource", 2}}};
  inside.warnings = {{.file = "docs/a.md", .line = 3, .text = "odd"}};
  EXPECT_EQ(*Decode<ProviderInside>(Encode(inside)), inside);
}

TEST(ProviderDocsWireTest, APublishTellsWarnings) {
  PublishedProvider published{
      .address = "acme/demo", .version = "1.0.0", .shasums_digest = "sha256:0"};
  published.warnings = {{.file = "docs/a.md", .line = 3, .text = "odd"}};
  const std::string body = Encode(published);
  EXPECT_TRUE(body.contains(R"("warnings":[{"file":"docs/a.md","line":3,"text":"odd"}])")) << body;
  EXPECT_EQ(*Decode<PublishedProvider>(body), published);
}

}  // namespace
}  // namespace koya::wire
