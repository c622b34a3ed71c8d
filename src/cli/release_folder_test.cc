// Files picked from a folder, and notes about the others.
#include "cli/release_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/temp_folder_fake.h"
#include "cli/uploads.h"

namespace koya::cli {
namespace {

struct Case {
  std::string_view name;
  std::vector<std::string> files;  // below "dist"; those that end in "=" are empty
  std::string version = {};
  bool sign = false;
  std::string type = "demo";
  std::string listed = {};  // a name that SHA256SUMS lists
  // Expected: the files that are sent and the notes, or words of the error.
  std::vector<std::string> sent = {};
  std::vector<std::string> words = {};
};

std::string DemoFolder(std::string_view rest) {
  return "terraform-provider-demo_1.2.0_" + std::string(rest);
}

class ReleaseFolderTest : public testing::Test {
 protected:
  static Result<ReleaseFolder> Read(const Case& each, const std::filesystem::path& root) {
    std::filesystem::path dist = root / "dist";
    std::filesystem::create_directories(dist);
    for (const std::string& file : each.files) {
      bool empty = file.ends_with('=');
      std::filesystem::path path = dist / (empty ? file.substr(0, file.size() - 1) : file);
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path) << (empty ? "" : "bytes");
      if (file.ends_with("SHA256SUMS")) {
        std::ofstream(path, std::ios::app) << "\n" << std::string(64, '0') << "  " << each.listed;
      }
    }
    auto address = ProviderAddress::FromParts("acme", each.type);
    std::optional<Version> version;
    if (!each.version.empty()) version = *Version::Parse(each.version);
    return ReadReleaseFolder(
        {.path = dist, .address = *address, .version = version, .sign = each.sign});
  }

  static std::vector<std::string> Sent(const ReleaseFolder& folder) {
    std::vector<std::string> names;
    for (const FolderFile& file : folder.files) names.push_back(file.name);
    return names;
  }
};

TEST_F(ReleaseFolderTest, PicksTheFilesOfTheRelease) {
  const std::string kZip = DemoFolder("linux_amd64.zip");
  const std::string kMac = DemoFolder("darwin_arm64.zip");
  const std::string kSums = DemoFolder("SHA256SUMS");
  const std::string kSig = kSums + ".sig";
  const std::string kAsc = kSums + ".asc";
  const std::string kManifest = DemoFolder("manifest.json");
  const std::string kOld = "terraform-provider-demo_1.1.0_linux_amd64.zip";
  const std::string kUnicode = "terraform-provider-デモ_1.0.0_linux_amd64.zip";
  const std::vector<Case> kCases = {
      {.name = "all",
       .files = {kZip, kMac, kSums, kSig, kManifest},
       .sent = {kSums, kSig, kMac, kZip, kManifest}},
      {.name = "what GoReleaser leaves besides",
       .files = {kZip, kSums, kSig, kManifest, "artifacts.json", "metadata.json", "config.yaml",
                 "CHANGELOG.md", "terraform-provider-demo_linux_amd64_v1/terraform-provider-demo",
                 DemoFolder("linux_amd64.zip.sbom.json")},
       .sent = {kSums, kSig, kZip, kManifest},
       .words = {"not part of acme/demo 1.2.0, and not sent: "
                 "terraform-provider-demo_1.2.0_linux_amd64.zip.sbom.json\n"}},
      {.name = "armored signature",
       .files = {kZip, kSums, kAsc, kManifest},
       .sent = {kSums, kAsc, kZip, kManifest}},
      {.name = "two signatures",
       .files = {kZip, kSums, kAsc, kSig, kManifest},
       .sent = {kSums, kSig, kZip, kManifest},
       .words = {"several signatures", "SHA256SUMS.asc is not"}},
      {.name = "another version beside it",
       .files = {kZip, kSums, kSig, kManifest, kOld},
       .version = "1.2.0",
       .sent = {kSums, kSig, kZip, kManifest},
       .words = {"not sent: terraform-provider-demo_1.1.0_linux_amd64.zip"}},
      {.name = "sign", .files = {kZip, kManifest}, .sign = true, .sent = {kZip, kManifest}},
      {.name = "sign, though there are sums",
       .files = {kZip, kSums, kSig, kManifest},
       .sign = true,
       .sent = {kZip, kManifest},
       .words = {"--sign: the server creates its own", "SHA256SUMS.sig"}},
      {.name = "no manifest",
       .files = {kZip, kSums, kSig},
       .sent = {kSums, kSig, kZip},
       .words = {"neither terraform-provider-demo_1.2.0_manifest.json nor --protocols",
                 "protocol 5.0"}},
      {.name = "the manifest under its name in the project",
       .files = {kZip, kSums, kSig, "terraform-registry-manifest.json"},
       .listed = kManifest,
       .sent = {kSums, kSig, kZip, kManifest},
       .words = {"terraform-registry-manifest.json is sent as " + kManifest}},
      {.name = "the manifest in the project's folder",
       .files = {kZip, kSums, kSig, "../terraform-registry-manifest.json"},
       .listed = kManifest,
       .sent = {kSums, kSig, kZip, kManifest},
       .words = {"terraform-registry-manifest.json is sent as " + kManifest}},
      {.name = "the manifest in the project's folder, unlisted",
       .files = {kZip, kSums, kSig, "../terraform-registry-manifest.json"},
       .listed = "x" + kManifest,
       .sent = {kSums, kSig, kZip},
       .words = {"terraform-registry-manifest.json is not sent", "checksum.extra_files"}},
      {.name = "the manifest in the project's folder, to be signed here",
       .files = {kZip, "../terraform-registry-manifest.json"},
       .sign = true,
       .sent = {kZip, kManifest},
       .words = {"terraform-registry-manifest.json is sent as " + kManifest}},
      {.name = "another script",
       .files = {kUnicode, "terraform-provider-デモ_1.0.0_manifest.json"},
       .sign = true,
       .type = "デモ",
       .sent = {kUnicode, "terraform-provider-デモ_1.0.0_manifest.json"}},
  };
  for (const Case& each : kCases) {
    TempFolder root;
    Result<ReleaseFolder> folder = Read(each, root.path());
    ASSERT_TRUE(folder) << each.name << ": " << folder.error().message;
    EXPECT_EQ(Sent(*folder), each.sent) << each.name;
    std::string notes;
    for (const std::string& note : folder->notes) notes += note + "\n";
    if (each.words.empty()) EXPECT_EQ(notes, "") << each.name;
    for (const std::string& words : each.words) {
      EXPECT_NE(notes.find(words), std::string::npos) << each.name << ": " << notes;
    }
  }
}

TEST_F(ReleaseFolderTest, RefusesWhatCouldNeverBePublished) {
  const std::string kZip = DemoFolder("linux_amd64.zip");
  const std::string kSums = DemoFolder("SHA256SUMS");
  const std::string kSig = kSums + ".sig";
  const std::vector<Case> kCases = {
      {.name = "nothing", .files = {}, .words = {"_VERSION_OS_ARCH.zip", "GoReleaser"}},
      {.name = "nothing of the version",
       .files = {kZip},
       .version = "2.0.0",
       .words = {"terraform-provider-demo_2.0.0_OS_ARCH.zip", "check the address"}},
      {.name = "another type",
       .files = {"terraform-provider-other_1.2.0_linux_amd64.zip"},
       .words = {"no terraform-provider-demo_", "terraform-provider-other_1.2.0_linux_amd64.zip"}},
      {.name = "in a folder below", .files = {"x/" + kZip}, .words = {"has no "}},
      {.name = "several versions",
       .files = {kZip, "terraform-provider-demo_1.3.0_linux_amd64.zip"},
       .words = {"several versions: 1.2.0, 1.3.0"}},
      {.name = "a tag as version",
       .files = {"terraform-provider-demo_v1.2.0_linux_amd64.zip"},
       .words = {"not named for a version that can be published", "write 1.2.0"}},
      {.name = "unknown platform",
       .files = {kZip, kSums, kSig, DemoFolder("linux_x86_64.zip"), DemoFolder("macos_arm64.zip")},
       .words = {"rename or remove", "did you mean \"amd64\"?", "did you mean \"darwin\"?"}},
      {.name = "empty zip", .files = {kZip + "=", kSums, kSig}, .words = {"is empty"}},
      {.name = "empty signature", .files = {kZip, kSums, kSig + "="}, .words = {"is empty"}},
      {.name = "no sums", .files = {kZip}, .words = {"sha256sum", "gpg --detach-sign", "--sign"}},
      {.name = "signature without sums", .files = {kZip, kSig}, .words = {"sha256sum"}},
      {.name = "no signature",
       .files = {kZip, kSums},
       .words = {"is not signed", "gpg --detach-sign",
                 "or let the server create and sign it: --sign"}},
      {.name = "only a manifest",
       .files = {DemoFolder("manifest.json")},
       .sign = true,
       .words = {"has no "}},
  };
  for (const Case& each : kCases) {
    TempFolder root;
    Result<ReleaseFolder> folder = Read(each, root.path());
    ASSERT_FALSE(folder) << each.name;
    EXPECT_EQ(folder.error().kind, ErrorKind::kInvalid) << each.name;
    for (const std::string& words : each.words) {
      EXPECT_NE(folder.error().message.find(words), std::string::npos)
          << each.name << ": " << folder.error().message;
    }
  }
}

TEST_F(ReleaseFolderTest, RefusesWhatIsNoFolder) {
  auto address = ProviderAddress::Parse("acme/demo");
  Result<ReleaseFolder> folder =
      ReadReleaseFolder({.path = "/nonexistent/dist", .address = *address, .version = {}});
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("/nonexistent/dist is not a folder"), std::string::npos);
}

TEST_F(ReleaseFolderTest, SaysNothingOfAManifestWhenProtocolsAreGiven) {
  TempFolder root;
  std::ofstream(root / DemoFolder("linux_amd64.zip")) << "bytes";
  auto address = ProviderAddress::Parse("acme/demo");
  auto folder = ReadReleaseFolder({.path = root.path(),
                                   .address = *address,
                                   .version = {},
                                   .sign = true,
                                   .protocols_given = true});
  ASSERT_TRUE(folder);
  EXPECT_TRUE(folder->notes.empty());
  EXPECT_EQ(folder->version.ToString(), "1.2.0");
}

std::vector<std::string> NamesOf(const std::vector<FolderFile>& files) {
  std::vector<std::string> names;
  for (const FolderFile& file : files) names.push_back(file.name);
  return names;
}

TEST_F(ReleaseFolderTest, AttachmentsAreFoundByTheirNames) {
  const TempFolder folder;
  const std::string zip = DemoFolder("linux_amd64.zip");
  const Result<ReleaseFolder> read =
      Read({.name = "attachments",
            .files = {zip, zip + ".sigstore.json", "multiple.intoto.jsonl", "demo.spdx.json",
                      "empty.cdx.json=", "bad name.spdx.json", "nested/other.spdx.json"},
            .sign = true},
           folder.path());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(NamesOf(read->files), std::vector{zip});
  EXPECT_EQ(NamesOf(read->attachments),
            (std::vector<std::string>{"demo.spdx.json", "multiple.intoto.jsonl",
                                      zip + ".sigstore.json"}));
  EXPECT_TRUE(std::filesystem::exists(read->attachments[0].source));
}

TEST(AddAttachmentsTest, FilesAreNamedForTheirKindAndDifferInName) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "other");
  for (const char* name : {"a.spdx.json", "b.cdx.json", "other/a.spdx.json", "a.json"}) {
    std::ofstream(folder / name) << "bytes";
  }
  std::ofstream(folder / "empty.cdx.json") << "";
  auto path = [&folder](const char* name) { return (folder / name).string(); };
  std::vector<FolderFile> files;
  ASSERT_TRUE(AddAttachments({path("a.spdx.json"), path("b.cdx.json")}, files));
  ASSERT_TRUE(AddAttachments({path("other/../a.spdx.json")}, files)) << "it is among them";
  EXPECT_EQ(NamesOf(files), (std::vector<std::string>{"a.spdx.json", "b.cdx.json"}));
  EXPECT_EQ(files[0].size, 5U);
  struct Case {
    const char* name;
    std::string_view words;
  };
  for (const Case& each :
       {Case{"a.json", "ends with .sigstore.json"}, Case{"none.spdx.json", "there is no such file"},
        Case{"empty.cdx.json", "the file is empty"},
        Case{"other/a.spdx.json", "another attachment has this name"}}) {
    const Status refused = AddAttachments({path(each.name)}, files);
    ASSERT_FALSE(refused) << each.name;
    EXPECT_EQ(refused.error().kind, ErrorKind::kInvalid);
    EXPECT_TRUE(refused.error().message.contains(each.words)) << refused.error().message;
  }
}

}  // namespace
}  // namespace koya::cli
