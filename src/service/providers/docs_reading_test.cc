// Reading of uploaded docs and schemas.
#include "service/providers/docs_reading.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "archive/archive_builder_fake.h"
#include "blobs/memory/memory_blob_store.h"
#include "inspect/contents.h"
#include "inspect/provider/provider_doc.h"
#include "service/providers/release_reading.h"

namespace koya::service {
namespace {

using Texts = std::vector<std::string>;

Result<DocsFindings> Read(const std::string& zip,
                          const inspect::provider::DocsLimits& limits = {}) {
  UniqueFd file = FileOf(zip);
  const DocsSource source{"docs.zip", file.get(), zip.size()};
  auto problems = FindDocsProblems(source, limits);
  auto found = ReadDocs(source, limits);
  EXPECT_TRUE(problems && found);
  if (problems && found) EXPECT_EQ(*problems, found->problems);
  return found;
}

Texts NamesOf(const DocsFindings& found) {
  Texts names;
  for (const DocRecord& page : found.pages) {
    names.push_back(page.name.language + ":" + page.name.kind + "/" + page.name.name);
  }
  return names;
}

TEST(DocsReadingTest, ReadsPagesAndWhatASearchFindsThemBy) {
  auto found =
      Read(Zip({{.name = "docs/index.md", .content = "---\ndescription: Clouds\n---\n# Demo\n"},
                {.name = "docs/resources/thing.md",
                 .content = "---\npage_title: demo_thing\nsubcategory: Things\n---\n"
                            "A [kiosk](x.md) of <b>things</b>.\n"},
                {.name = "docs/cdktf/python/resources/thing.md", .content = "# Thing\n"},
                {.name = "docs/pic.png", .content = "x"},
                {.name = "README.md", .content = "# not docs"}}));
  ASSERT_TRUE(found);
  EXPECT_EQ(NamesOf(*found),
            (Texts{":overview/index", ":resources/thing", "python:resources/thing"}));
  EXPECT_EQ(found->pages[1].title, "demo_thing");
  EXPECT_EQ(found->pages[1].subcategory, "Things");
  EXPECT_TRUE(found->warnings.empty());
  ASSERT_EQ(found->searchable.size(), 2U) << "translations are not found twice";
  EXPECT_EQ(found->searchable[0].kind, "overview");
  EXPECT_TRUE(found->searchable[0].text.contains("Clouds")) << found->searchable[0].text;
  EXPECT_EQ(found->searchable[1].name, "thing");
  EXPECT_TRUE(found->searchable[1].text.contains("A kiosk of things."))
      << found->searchable[1].text;
}

TEST(DocsReadingTest, UnsafeNamesAreProblemsAndTheRestIsNot) {
  auto found = Read(Zip({{.name = "../../etc/cron.md", .content = "x"},
                         {.name = "docs/index.md", .content = "# Demo"}}));
  ASSERT_TRUE(found);
  ASSERT_EQ(found->problems.size(), 1U);
  EXPECT_TRUE(found->problems[0].contains("../../etc/cron.md")) << found->problems[0];
  EXPECT_EQ(found->pages.size(), 1U);
}

TEST(DocsReadingTest, WhatIsOverALimitIsAProblemThatNamesIt) {
  std::vector<ZipSpec> many;
  for (int i = 0; i < 30; ++i) {
    many.push_back({.name = fmt::format("docs/guides/{}.md", i), .content = "# A"});
  }
  for (std::size_t files : {14U, 29U}) {
    auto found = Read(Zip(many), {.files = files});
    ASSERT_TRUE(found);
    ASSERT_EQ(found->problems.size(), 1U);
    EXPECT_TRUE(found->problems[0].contains("limits.docs_files")) << found->problems[0];
    EXPECT_TRUE(found->pages.empty());
  }
  EXPECT_TRUE(Read(Zip(many), {.files = 30})->problems.empty());
  auto large =
      Read(Zip({{.name = "docs/index.md", .content = std::string(600, 'a')}}), {.bytes = 599});
  ASSERT_EQ(large->problems.size(), 1U);
  EXPECT_TRUE(large->problems[0].contains("limits.docs_bytes")) << large->problems[0];
  auto bomb = Read(Zip({{.name = "docs/index.md", .content = std::string(30 << 20, 'a')}}),
                   {.bytes = 20 << 20});
  ASSERT_EQ(bomb->problems.size(), 1U);
  EXPECT_TRUE(bomb->problems[0].contains("limits.docs_bytes")) << bomb->problems[0];
  auto zeros = Read(Zip({{.name = "docs/index.md", .content = std::string(2 << 20, '\0')}}));
  EXPECT_TRUE(zeros->problems.empty()) << "a page that is too long is left out, and no bomb";
  EXPECT_EQ(zeros->warnings.size(), 2U);
}

TEST(DocsReadingTest, WhatCannotBeReadIsAWarning) {
  auto none = Read("this is no zip");
  ASSERT_TRUE(none && none->problems.empty());
  ASSERT_EQ(none->warnings.size(), 1U);
  EXPECT_EQ(none->warnings[0].file, "docs.zip");
  EXPECT_TRUE(none->warnings[0].text.contains("cannot be read")) << none->warnings[0].text;
  auto empty = Read(Zip({{.name = "notes.txt", .content = "x"}}));
  ASSERT_EQ(empty->warnings.size(), 1U);
  EXPECT_TRUE(empty->warnings[0].text.contains("no page of docs")) << empty->warnings[0].text;
  const std::string long_page = "# A\n" + std::string(1 << 20, 'a');
  auto some = Read(Zip({{.name = "docs/index.md", .content = "# Demo", .crc_lie = 1},
                        {.name = "docs/guides/link.md", .content = "/etc", .mode = 0120777},
                        {.name = "docs/guides/long.md", .content = long_page, .method = 0},
                        {.name = "docs/guides/odd.md",
                         .content = "---\npage_title: Odd\ndescription: &a [b\n---\n# Odd\n"},
                        {.name = "docs/guides/text.md", .content = "caf\xe9"}}));
  ASSERT_TRUE(some && some->problems.empty());
  EXPECT_EQ(NamesOf(*some), (Texts{":guides/odd", ":guides/text"}));
  Texts told;
  for (const ReadWarning& each : some->warnings) {
    told.push_back(fmt::format("{}:{}: {}", each.file, each.line, each.text));
  }
  const std::string all = fmt::format("{}", fmt::join(told, "\n"));
  for (const char* words :
       {"docs/index.md:0: this page cannot be read", "docs/guides/link.md:0: this is a link",
        "docs/guides/long.md:0: this page is left out: it has 1048580 bytes",
        "docs/guides/odd.md:3: ", "docs/guides/text.md:0: the text is no UTF-8"}) {
    EXPECT_TRUE(all.contains(words)) << words << "\n" << all;
  }
}

TEST(DocsReadingTest, TextsOfManyPagesAreBoundedTogether) {
  std::vector<ZipSpec> specs;
  std::string words;
  for (int i = 0; i < 1000; ++i) words += fmt::format("word{} ", i);
  for (int i = 0; i < 3000; ++i) {
    specs.push_back({.name = fmt::format("docs/guides/{}.md", i), .content = words});
  }
  auto found = Read(Zip(specs));
  ASSERT_TRUE(found && found->problems.empty());
  std::size_t bytes = 0;
  for (const SearchablePage& each : found->searchable) bytes += each.text.size();
  EXPECT_EQ(found->searchable.size(), 3000U);
  EXPECT_LE(bytes, 17U << 20);
  EXPECT_GT(bytes, 14U << 20);
}

// ---- schemas

class SchemaReadingTest : public ::testing::Test {
 protected:
  SchemaFindings Read(const std::string& document, std::uint64_t bytes = 1 << 20) {
    UniqueFd file = FileOf(document);
    auto found = ReadSchema(blobs_, {"schema.json", file.get(), document.size()}, "demo", bytes);
    EXPECT_TRUE(found) << found.error().message;
    return found ? *std::move(found) : SchemaFindings();
  }
  static std::string Document(std::string_view resources) {
    return fmt::format(R"({{"format_version":"1.0","provider_schemas":{{"example.com/acme/demo":{{)"
                       R"("provider":{{"version":0,"block":{{}}}},"resource_schemas":{{{}}}}}}}}})",
                       resources);
  }
  static std::string Resource(std::string_view name) {
    return fmt::format(R"("{}":{{"version":0,"block":{{"attributes":{{"id":{{"type":"string",)"
                       R"("computed":true}}}}}}}})",
                       name);
  }

  MemoryBlobStore blobs_;
};

TEST_F(SchemaReadingTest, ReadsPlainAndPackedDocumentsAlike) {
  const std::string document = Document(Resource("demo_a") + "," + Resource("demo_b"));
  SchemaFindings plain = Read(document);
  SchemaFindings packed = Read(Gzip(document));
  ASSERT_TRUE(plain.packed && packed.packed);
  EXPECT_EQ(plain.packed->info.digest, packed.packed->info.digest);
  EXPECT_TRUE(plain.warnings.empty() && plain.problems.empty());
  ASSERT_EQ(plain.items.size(), 3U);
  EXPECT_EQ(plain.items[1].kind, "resource");
  EXPECT_EQ(plain.items[1].name, "demo_a");
  EXPECT_EQ(plain.items, packed.items);
}

TEST_F(SchemaReadingTest, WhatCannotBeReadIsAWarningAndWhatCameBeforeIsKept) {
  const std::string document = Document(Resource("demo_a") + "," + Resource("demo_b"));
  SchemaFindings cut = Read(document.substr(0, document.size() - 20));
  EXPECT_TRUE(cut.packed);
  EXPECT_FALSE(cut.items.empty());
  ASSERT_EQ(cut.warnings.size(), 1U);
  EXPECT_TRUE(cut.warnings[0].text.contains("cannot be read to its end"));
  const std::string gzip = Gzip(document);
  EXPECT_EQ(Read(gzip.substr(0, gzip.size() - 3)).warnings.size(), 1U);
  for (const std::string& bad : {std::string("no json"), std::string("{}"), std::string("[]"),
                                 std::string("\x1f\x8b", 2), std::string("1")}) {
    SchemaFindings none = Read(bad);
    EXPECT_FALSE(none.packed) << bad;
    EXPECT_EQ(none.warnings.size(), 1U) << bad;
    EXPECT_TRUE(none.problems.empty()) << bad;
  }
  SchemaFindings odd = Read(Document(Resource("demo_\\u0000a") + "," + Resource("demo_b")));
  ASSERT_EQ(odd.items.size(), 3U);
  EXPECT_FALSE(odd.items[1].name.contains('\0')) << "it could not be kept";
}

TEST_F(SchemaReadingTest, MoreThanTheLimitIsAProblemPackedOrNot) {
  const std::string document = Document(Resource("demo_a")) + std::string(5000, ' ');
  for (const std::string& source : {document, Gzip(document)}) {
    SchemaFindings found = Read(source, 4000);
    ASSERT_EQ(found.problems.size(), 1U);
    EXPECT_TRUE(found.problems[0].contains("limits.schema_bytes")) << found.problems[0];
    EXPECT_FALSE(found.packed);
  }
}

}  // namespace
}  // namespace koya::service
