// What --docs and --schema add to a release.
#include "cli/release_docs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "archive/docs_package.h"
#include "base/temp_folder_fake.h"
#include "cli/api/local_file.h"

namespace koya::cli {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

class ReleaseDocsTest : public testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  // The paths in the zip that is made of a folder, or why there is none.
  Texts Pack(const std::string& path) {
    auto packed = PackDocs(folder_ / path, folder_.path());
    if (!packed) return {packed.error().message};
    auto package = DocsPackage::Open(packed->file.get(), packed->size, {});
    if (!package) return {package.error().message};
    Texts names;
    for (const auto& file : (*package)->files()) names.push_back(file.path);
    return names;
  }
  Result<ReleaseDocs> Add(const std::string& docs, const std::string& schema) {
    release_.path = folder_ / "dist";
    return AddDocs({.docs = docs.empty() ? fs::path() : folder_ / docs,
                    .schema = schema.empty() ? fs::path() : folder_ / schema,
                    .address = address_,
                    .temporary_folder = folder_.path()},
                   release_);
  }

  TempFolder folder_;
  ProviderAddress address_ = *ProviderAddress::Parse("acme/demo");
  ReleaseFolder release_{.path = {}, .version = *Version::Parse("1.2.0"), .files = {}, .notes = {}};
};

TEST_F(ReleaseDocsTest, FindsThePagesWhereverTheFolderBegins) {
  Write("project/docs/index.md", "# A");
  Write("project/docs/resources/a.md", "# A");
  Write("project/docs/pic.png", "x");
  Write("project/README.md", "# no docs");
  const Texts pages = {"docs/index.md", "docs/resources/a.md"};
  EXPECT_EQ(Pack("project"), pages);
  EXPECT_EQ(Pack("project/docs"), pages);
  Write("project/website/docs/r/a.html.markdown", "# A");
  EXPECT_EQ(Pack("project"), Texts{"website/docs/r/a.html.markdown"});
  EXPECT_EQ(Pack("project/website"), Texts{"docs/r/a.html.markdown"});
  fs::create_symlink("index.md", folder_ / "project/docs/guides.md");
  EXPECT_EQ(Pack("project/docs"), pages);
}

TEST_F(ReleaseDocsTest, TheSamePagesGiveTheSameBytes) {
  Write("a/index.md", "# A");
  Write("a/resources/b.md", "# B");
  auto first = PackDocs(folder_ / "a", folder_.path());
  ::chmod((folder_ / "a/index.md").c_str(), 0600);
  auto second = PackDocs(folder_ / "a", folder_.path());
  ASSERT_TRUE(first && second);
  auto digest = [](const PackedDocs& packed) {
    return *FileDigest("/proc/self/fd/" + std::to_string(packed.file.get()));
  };
  EXPECT_EQ(digest(*first), digest(*second));
}

TEST_F(ReleaseDocsTest, SaysWhatIsWrongWithAFolder) {
  Write("empty/a.txt", "x");
  EXPECT_TRUE(Pack("empty")[0].contains("has no docs pages"));
  EXPECT_TRUE(Pack("nowhere")[0].contains("is not a folder"));
  Write("bad/a\\b.md", "x");
  EXPECT_TRUE(Pack("bad")[0].contains("a\\b.md")) << Pack("bad")[0];
}

TEST_F(ReleaseDocsTest, AddsFilesUnderTheReleasesNames) {
  Write("docs/index.md", "# A");
  Write("schema.json", "{}");
  Write("schema.gz", "\x1f\x8b data");
  {
    auto kept = Add("docs", "schema.json");
    ASSERT_TRUE(kept) << kept.error().message;
    ASSERT_EQ(release_.files.size(), 2U);
    EXPECT_EQ(release_.files[0].name, "terraform-provider-demo_1.2.0_docs.zip");
    EXPECT_EQ(release_.files[1].name, "terraform-provider-demo_1.2.0_schema.json");
    auto file = LocalFile::Open(release_.PathOf(release_.files[0]));
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->size(), release_.files[0].size);
    EXPECT_TRUE(HasDocs(release_));
  }
  auto twice = Add("docs", "");
  ASSERT_FALSE(twice);
  EXPECT_TRUE(twice.error().message.contains("already has terraform-provider-demo_1.2.0_docs.zip"));
  release_.files.clear();
  ASSERT_TRUE(Add("", "schema.gz"));
  EXPECT_EQ(release_.files[0].name, "terraform-provider-demo_1.2.0_schema.json.gz");
  release_.files.clear();
  ASSERT_TRUE(Add("", ""));
  EXPECT_FALSE(HasDocs(release_));
  Write("nothing.json", "");
  auto empty = Add("", "nothing.json");
  ASSERT_FALSE(empty);
  EXPECT_TRUE(empty.error().message.contains("is empty")) << empty.error().message;
  EXPECT_FALSE(Add("", "not-there.json"));
}

TEST(DocsWarningTest, NamesFileAndLine) {
  EXPECT_EQ(DocsWarningText({.file = "docs/a.md", .line = 3, .text = "odd"}), "docs/a.md:3: odd");
  EXPECT_EQ(DocsWarningText({.file = "docs.zip", .line = 0, .text = "odd"}), "docs.zip: odd");
  EXPECT_EQ(DocsWarningText({.file = "", .line = 0, .text = "odd\x1b[31m"}).find('\x1b'),
            std::string::npos);
}

}  // namespace
}  // namespace koya::cli
