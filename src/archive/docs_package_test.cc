#include "archive/docs_package.h"

#include <gtest/gtest.h>

#include <string>

#include "archive/archive_builder_fake.h"
#include "archive/zip_writer.h"

namespace koya {
namespace {

std::string Written(const std::vector<std::pair<std::string, std::string>>& files,
                    std::vector<PackedPart>* parts = nullptr) {
  std::string out;
  const ByteSink sink = [&out](std::span<const std::byte> bytes) -> Status {
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  };
  ZipWriter writer(sink);
  for (const auto& [name, content] : files) {
    auto part = writer.Add(name, content);
    EXPECT_TRUE(part) << part.error().message;
    if (part && parts != nullptr) parts->push_back(*part);
  }
  EXPECT_TRUE(writer.Finish());
  return out;
}

struct Opened {
  UniqueFd file;
  Result<std::unique_ptr<DocsPackage>> package;
};
Opened OpenText(std::string_view bytes, const ArchiveLimits& limits = {}) {
  UniqueFd file = FileOf(bytes);
  auto package = DocsPackage::Open(file.get(), bytes.size(), limits);
  return {std::move(file), std::move(package)};
}

TEST(ZipWriterTest, WritesWhatEveryReaderHereTakes) {
  const std::string large(300'000, 'x');
  std::vector<PackedPart> parts;
  const std::string zip =
      Written({{"docs/a.md", "# A\n"}, {"docs/größe.md", large}, {"empty", ""}}, &parts);
  EXPECT_EQ(zip, Written({{"docs/a.md", "# A\n"}, {"docs/größe.md", large}, {"empty", ""}}));
  Opened opened = OpenText(zip);
  ASSERT_TRUE(opened.package) << opened.package.error().message;
  DocsPackage& package = **opened.package;
  ASSERT_EQ(package.files().size(), 3U);
  EXPECT_EQ(package.files()[1].path, "docs/größe.md");
  EXPECT_EQ(package.files()[1].size, large.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto content = package.Read(i);
    ASSERT_TRUE(content) << content.error().message;
    EXPECT_EQ(content->part, parts[i]);
    auto again =
        UnpackPart(std::string_view(zip).substr(parts[i].begin, parts[i].packed), parts[i]);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, content->text);
  }
  EXPECT_EQ(package.Read(1)->text, large);
}

TEST(ZipWriterTest, SaysWhatASinkSays) {
  const ByteSink full = [](std::span<const std::byte>) -> Status {
    return Fail(ErrorKind::kStorageFull, "full");
  };
  ZipWriter writer(full);
  auto part = writer.Add("a", "b");
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error().kind, ErrorKind::kStorageFull);
}

TEST(DocsPackageTest, ReadsStoredAndDeflatedFilesWhereTheyLie) {
  const std::string zip = Zip({{.name = "docs/", .mode = 040755},
                               {.name = "docs/a.md", .content = "stored", .method = 0},
                               {.name = "docs/b.md", .content = "deflated", .descriptor = true}});
  Opened opened = OpenText(zip);
  ASSERT_TRUE(opened.package) << opened.package.error().message;
  DocsPackage& package = **opened.package;
  ASSERT_EQ(package.files().size(), 2U) << "folders are no files";
  for (std::size_t i = 0; i < 2; ++i) {
    auto content = package.Read(i);
    ASSERT_TRUE(content) << content.error().message;
    EXPECT_EQ(content->text, i == 0 ? "stored" : "deflated");
    EXPECT_EQ(content->part.deflated, i == 1);
    EXPECT_EQ(*UnpackPart(std::string_view(zip).substr(content->part.begin, content->part.packed),
                          content->part),
              content->text);
  }
}

TEST(DocsPackageTest, NamesThatLeadOutOfAFolderAreTold) {
  const std::vector<std::string> bad = {"../a.md",    "/etc/a.md", "docs/../../a.md", "C:/a.md",
                                        "docs\\a.md", "a\x01.md",  "\xff.md"};
  std::vector<ZipSpec> specs = {{.name = "docs/good.md", .content = "# Good"}};
  for (const std::string& name : bad) specs.push_back({.name = name, .content = "bad"});
  Opened opened = OpenText(Zip(specs));
  ASSERT_TRUE(opened.package) << opened.package.error().message;
  EXPECT_EQ((*opened.package)->unsafe().size(), bad.size());
  ASSERT_EQ((*opened.package)->files().size(), 1U);
  EXPECT_EQ((*opened.package)->Read(0)->text, "# Good");
  std::vector<ZipSpec> many;
  for (int i = 0; i < 50; ++i) many.push_back({.name = "../" + std::to_string(i)});
  EXPECT_EQ((*OpenText(Zip(many)).package)->unsafe().size(), 20U);
}

TEST(DocsPackageTest, LinksAreTold) {
  Opened opened = OpenText(Zip({{.name = "docs/a.md", .content = "/etc/passwd", .mode = 0120777}}));
  ASSERT_TRUE(opened.package) << opened.package.error().message;
  EXPECT_TRUE((*opened.package)->files()[0].link);
}

TEST(DocsPackageTest, WhatIsTooMuchIsRefusedByItsName) {
  std::vector<ZipSpec> many;
  for (int i = 0; i < 12; ++i) many.push_back({.name = "docs/" + std::to_string(i) + ".md"});
  auto files = OpenText(Zip(many), {.entries = 11, .entries_name = "limits.docs_files"}).package;
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().limit.text(), "limits.docs_files");
  EXPECT_TRUE(files.error().message.contains("11")) << files.error().message;
  const std::string bytes = Zip({{.name = "a.md", .content = std::string(100, 'a'), .method = 0}});
  auto large =
      OpenText(bytes, {.unpacked_bytes = 99, .unpacked_name = "limits.docs_bytes"}).package;
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().limit.text(), "limits.docs_bytes");
  auto bomb = OpenText(Zip({{.name = "a.md", .content = std::string(20 << 20, 'a')}})).package;
  ASSERT_FALSE(bomb);
  EXPECT_EQ(bomb.error().limit.text(), "limits.archive_ratio");
}

TEST(DocsPackageTest, WhatCannotBeReadHasNoLimitsName) {
  const std::string good = Zip({{.name = "a.md", .content = "# A"}});
  for (const std::string& bad :
       {std::string("# no zip"), std::string(), good.substr(0, good.size() - 5),
        Zip({{.name = "a.md", .content = "# A", .method = 12}}),
        Zip({{.name = "a.md", .content = "# A", .flags = 1}})}) {
    auto package = OpenText(bad).package;
    ASSERT_FALSE(package) << bad;
    EXPECT_EQ(package.error().kind, ErrorKind::kRefused);
    EXPECT_TRUE(package.error().limit.empty());
  }
  Opened opened = OpenText(
      Zip({{.name = "a.md", .content = "# A", .crc_lie = 1}, {.name = "b.md", .content = "# B"}}));
  ASSERT_TRUE(opened.package);
  EXPECT_FALSE((*opened.package)->Read(0));
  EXPECT_EQ((*opened.package)->Read(1)->text, "# B") << "one bad file spoils no other";
}

TEST(UnpackPartTest, OtherBytesAreDamage) {
  std::vector<PackedPart> parts;
  std::string zip = Written({{"a", std::string(1000, 'a') + "b"}}, &parts);
  const PackedPart part = parts[0];
  const std::string packed = zip.substr(part.begin, part.packed);
  EXPECT_TRUE(UnpackPart(packed, part));
  PackedPart shorter = part;
  shorter.size = 10;
  PackedPart longer = part;
  longer.size = 2000;
  for (const auto& [bytes, place] :
       {std::pair(packed, shorter), std::pair(packed, longer), std::pair(packed.substr(1), part),
        std::pair(std::string(packed.size(), '\xff'), part)}) {
    auto unpacked = UnpackPart(bytes, place);
    ASSERT_FALSE(unpacked);
    EXPECT_EQ(unpacked.error().kind, ErrorKind::kCorrupt);
  }
}

}  // namespace
}  // namespace koya
