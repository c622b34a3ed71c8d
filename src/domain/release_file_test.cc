#include "domain/release_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "domain/provider_address.h"
#include "domain/version.h"

namespace koya {
namespace {

ProviderAddress Demo() { return *ProviderAddress::Parse("acme/demo"); }
Version V123() { return *Version::Parse("1.2.3"); }

TEST(ReleaseFileTest, NamesAndReadsEachKind) {
  Platform linux_amd64 = *Platform::Parse("linux_amd64");
  EXPECT_EQ(PackageFileName(Demo(), V123(), linux_amd64),
            "terraform-provider-demo_1.2.3_linux_amd64.zip");
  EXPECT_EQ(SumsFileName(Demo(), V123()), "terraform-provider-demo_1.2.3_SHA256SUMS");
  EXPECT_EQ(SignatureFileName(Demo(), V123()), "terraform-provider-demo_1.2.3_SHA256SUMS.sig");
  EXPECT_EQ(ManifestFileName(Demo(), V123()), "terraform-provider-demo_1.2.3_manifest.json");

  auto package = ParseReleaseFile(PackageFileName(Demo(), V123(), linux_amd64), Demo(), V123());
  ASSERT_TRUE(package) << package.error().message;
  EXPECT_EQ(package->kind, ReleaseFile::Kind::kPackage);
  EXPECT_EQ(package->platform, linux_amd64);
  auto kind = [](std::string_view name) {
    auto file = ParseReleaseFile(name, Demo(), V123());
    EXPECT_TRUE(file) << name << ": " << file.error().message;
    EXPECT_TRUE(!file || !file->platform) << name;
    return file ? file->kind : ReleaseFile::Kind::kPackage;
  };
  EXPECT_EQ(kind(SumsFileName(Demo(), V123())), ReleaseFile::Kind::kSums);
  EXPECT_EQ(kind(SignatureFileName(Demo(), V123())), ReleaseFile::Kind::kSignature);
  EXPECT_EQ(kind(SumsFileName(Demo(), V123()) + ".asc"), ReleaseFile::Kind::kSignature);
  EXPECT_EQ(kind(SumsFileName(Demo(), V123()) + ".gpg"), ReleaseFile::Kind::kSignature);
  EXPECT_EQ(kind(ManifestFileName(Demo(), V123())), ReleaseFile::Kind::kManifest);
}

TEST(ReleaseFileTest, SpellsTypeAndVersionAsTheyAre) {
  ProviderAddress address = *ProviderAddress::Parse("日本/クラウド-2");
  Version version = *Version::Parse("1.0.0-RC.1+build.5");
  std::string name = PackageFileName(address, version, *Platform::Parse("darwin_arm64"));
  EXPECT_EQ(name, "terraform-provider-クラウド-2_1.0.0-RC.1+build.5_darwin_arm64.zip");
  EXPECT_TRUE(ParseReleaseFile(name, address, version));
  EXPECT_FALSE(ParseReleaseFile("terraform-provider-クラウド-2_1.0.0-rc.1+build.5_darwin_arm64.zip",
                                address, version));
}

struct RefusedFile {
  std::string name;
  std::string_view message_part;
};

TEST(ReleaseFileTest, RefusesOtherNamesAndSaysWhichPartDiffers) {
  const std::vector<RefusedFile> kRows = {
      {"terraform-provider-other_1.2.3_linux_amd64.zip",
       "provider type \"other\", not of \"demo\""},
      {"terraform-provider-Demo_1.2.3_linux_amd64.zip", "provider type \"Demo\", not of \"demo\""},
      {"terraform-provider-demo2_1.2.3_linux_amd64.zip", "provider type \"demo2\""},
      {"terraform-provider-demo", "its name has no version"},
      {"terraform-provider-demo.zip", "provider type \"demo.zip\""},
      {"terraform-provider-demo_1.2.4_linux_amd64.zip", "it is of the version \"1.2.4\""},
      {"terraform-provider-demo_1.2.30_linux_amd64.zip", "write the version exactly as 1.2.3"},
      {"terraform-provider-demo_1.2_linux_amd64.zip", "it is of the version \"1.2\""},
      {"terraform-provider-demo__linux_amd64.zip", "it is of the version \"\""},
      {"terraform-provider-demo_v1.2.3_linux_amd64.zip",
       "leave out the \"v\" before the version: terraform-provider-demo_1.2.3_linux_amd64.zip"},
      {"terraform-provider-demo_v1.2.3_SHA256SUMS",
       "leave out the \"v\" before the version: terraform-provider-demo_1.2.3_SHA256SUMS"},
      {"terraform-provider-demo_v1.2.3.zip", "leave out the \"v\""},
      {"terraform-provider-demo_v1.2.30_linux_amd64.zip", "version \"v1.2.30\""},
      {"terraform-provider-demo_1.2.3.zip", "ends before a platform"},
      {"terraform-provider-demo_1.2.3", "ends before a platform"},
      {"terraform-provider-demo_1.2.3_", "rename it"},
      {"terraform-provider-demo_1.2.3_.zip", "is not a platform"},
      {"terraform-provider-demo_1.2.3_linux.zip", "\"linux\" is not a platform"},
      {"terraform-provider-demo_1.2.3_linx_amd64.zip", "did you mean \"linux\"?"},
      {"terraform-provider-demo_1.2.3_linux_x86_64.zip", "did you mean \"amd64\"?"},
      {"terraform-provider-demo_1.2.3_darwin_all.zip", "once for each"},
      {"terraform-provider-demo_1.2.3_linux_amd64.tar.gz", "as .zip only"},
      {"terraform-provider-demo_1.2.3_linux_amd64.tgz", "as .zip only"},
      {"terraform-provider-demo_1.2.3_linux_amd64.ZIP", "rename it"},
      {"terraform-provider-demo_1.2.3_linux_amd64", "rename it"},
      {"terraform-provider-demo_1.2.3_SHA256SUMS.72D7468F.sig",
       "leave the key's id out of a signature's name: "
       "terraform-provider-demo_1.2.3_SHA256SUMS.sig"},
      {"terraform-provider-demo_1.2.3_SHA256SUMS.pem", "rename it"},
      {"terraform-provider-demo_1.2.3_sha256sums", "rename it"},
      {"terraform-provider-demo_1.2.3_SHA512SUMS", "rename it"},
      {"terraform-provider-demo_1.2.3_manifest.yaml", "rename it"},
      {"terraform-registry-manifest.json",
       "a manifest is called terraform-provider-demo_1.2.3_manifest.json"},
      {"README.md", "must begin with \"terraform-provider-demo_1.2.3_\""},
      {"demo_1.2.3_linux_amd64.zip", "must begin with"},
      {"", "the file name is empty"},
      {"dist/terraform-provider-demo_1.2.3_SHA256SUMS", "without \"/\""},
      {"..", "it names a folder"},
  };
  for (const RefusedFile& row : kRows) {
    auto file = ParseReleaseFile(row.name, Demo(), V123());
    ASSERT_FALSE(file) << row.name;
    EXPECT_EQ(file.error().kind, ErrorKind::kInvalid);
    EXPECT_NE(file.error().message.find(row.message_part), std::string::npos)
        << row.name << ": " << file.error().message;
  }
}

TEST(ReleaseFileTest, SaysWhichReleaseAFileIsNotOf) {
  auto file = ParseReleaseFile("README.md", Demo(), V123());
  ASSERT_FALSE(file);
  EXPECT_TRUE(file.error().message.starts_with(
      "file \"README.md\" does not belong to acme/demo 1.2.3: its name must begin with "))
      << file.error().message;
}

TEST(CheckReleaseFileNameTest, TakesAnyNameThatAFileMayHave) {
  for (const std::string& name :
       {std::string("a"), std::string("..."), std::string(".hidden"), std::string("a b"),
        std::string("クラウド.zip"), std::string("\u00A0"), std::string(255, 'x')}) {
    EXPECT_TRUE(CheckReleaseFileName(name)) << name;
  }
  const std::vector<RefusedFile> kRows = {
      {"", "is empty"},
      {".", "names a folder"},
      {"..", "names a folder"},
      {"a/b", "no folders"},
      {"/", "no folders"},
      {"a\\b", "no folders"},
      {std::string("a\0b", 3), "control character"},
      {"a\nb", "control character"},
      {"a\x7f", "control character"},
      {"a\u0085", "control character"},
      {"a\xff", "not UTF-8"},
      {"a\xc2", "not UTF-8"},
      {std::string(256, 'x'), "has 256 bytes; use at most 255"},
  };
  for (const RefusedFile& row : kRows) {
    auto status = CheckReleaseFileName(row.name);
    ASSERT_FALSE(status) << row.name;
    EXPECT_EQ(status.error().kind, ErrorKind::kInvalid);
    EXPECT_NE(status.error().message.find(row.message_part), std::string::npos)
        << status.error().message;
  }
}

TEST(VersionInReleaseFileTest, ReadsWhatStandsThere) {
  auto version = [](std::string_view name) {
    return VersionInReleaseFile(name, "demo").value_or("none");
  };
  EXPECT_EQ(version("terraform-provider-demo_1.2.3_linux_amd64.zip"), "1.2.3");
  EXPECT_EQ(version("terraform-provider-demo_1.2.3_SHA256SUMS"), "1.2.3");
  EXPECT_EQ(version("terraform-provider-demo_v1.2.3-rc.1+b_linux_amd64.zip"), "v1.2.3-rc.1+b");
  EXPECT_EQ(version("terraform-provider-demo_1.2.3.zip"), "none");
  EXPECT_EQ(version("terraform-provider-demo__x.zip"), "none");
  EXPECT_EQ(version("terraform-provider-demo2_1.2.3_x.zip"), "none");
  EXPECT_EQ(version("terraform-provider-demo"), "none");
  EXPECT_EQ(version("demo_1.2.3_linux_amd64.zip"), "none");
  EXPECT_EQ(version(""), "none");
}

}  // namespace
}  // namespace koya
