// Folders of mirrors as koya mirror import reads them, filters, and folders that exports may take.
#include "cli/mirror/mirror_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/temp_folder_fake.h"
#include "cli/mirror/mirror.h"
#include "cli/run_program_fake.h"
#include "domain/digest.h"
#include "wire/mirror.h"

namespace koya::cli {
namespace {

namespace fs = std::filesystem;

class MirrorFolderTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& content = "content") {
    fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
  }
  MirrorFolder Read() {
    auto found = ReadMirrorFolder(folder_.path());
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(MirrorFolder());
  }
  static std::vector<std::string> Packages(const MirrorFolder& found) {
    std::vector<std::string> texts;
    for (const FoundPackage& each : found.packages) {
      texts.push_back(each.release.ToString() + " " + each.platform.ToString());
    }
    return texts;
  }

  TempFolder folder_;
  const std::string demo_ = "registry.example.org/acme/demo/terraform-provider-demo_";
};

TEST_F(MirrorFolderTest, TakesWhatClientsWouldTake) {
  Write(demo_ + "1.0.0_linux_amd64.zip");
  Write(demo_ + "1.0.0_darwin_arm64_extra_parts.zip");
  Write("registry.example.org/acme/demo/TERRAFORM-Provider-Demo_1.0.0-RC1_Windows_AMD64.ZIP");
  Write("münchen.example/Acme/Größe/terraform-provider-größe_2.0.0_linux_arm64.zip");
  Write("registry.example.org/acme/demo/index.json");
  Write("registry.example.org/acme/demo/1.0.0.json");
  Write("README.md");
  Write("registry.example.org/notes.txt");
  MirrorFolder found = Read();
  EXPECT_EQ(Packages(found),
            (std::vector<std::string>{"münchen.example/acme/größe 2.0.0 linux_arm64",
                                      "registry.example.org/acme/demo 1.0.0-rc1 windows_amd64",
                                      "registry.example.org/acme/demo 1.0.0 darwin_arm64",
                                      "registry.example.org/acme/demo 1.0.0 linux_amd64"}));
  EXPECT_EQ(found.problems, std::vector<std::string>());
  EXPECT_EQ(found.notes, std::vector<std::string>());
  EXPECT_EQ(found.packages[0].size, 7U);
}

TEST_F(MirrorFolderTest, SaysWhatItCannotTake) {
  const char* kBad[] = {"0.0.0_linux_amd64.zip", "1.0_linux_amd64.zip", "v1.0.0_linux_amd64.zip",
                        "1.0.0_linux_amd65.zip", "1.0.0_linux.zip",     "1.0.0.zip"};
  for (const char* name : kBad) Write(demo_ + name);
  Write("registry.example.org/acme/demo/other.zip");
  Write("registry.example.org/acme/demo/1.0.0/linux_amd64/terraform-provider-demo");
  Write("registry.example.org/a.b/demo/terraform-provider-demo_1.0.0_linux_amd64.zip");
  Write("bad_host/acme/demo/terraform-provider-demo_1.0.0_linux_amd64.zip");
  fs::create_directory_symlink(folder_ / "registry.example.org", folder_ / "link.example.org");
  MirrorFolder found = Read();
  EXPECT_EQ(Packages(found), std::vector<std::string>());
  EXPECT_EQ(found.problems.size(), std::size(kBad) + 4);
  EXPECT_EQ(found.notes.size(), 1U);
  EXPECT_EQ(ReadMirrorFolder(folder_ / "nowhere").error().kind, ErrorKind::kInvalid);
}

TEST_F(MirrorFolderTest, TakesDocumentsWithTheirKeysOnly) {
  Write(demo_ + "1.0.0-RC1_linux_amd64.zip");
  Write(demo_ + "1.0.0-RC1_SHA256SUMS", "sums");
  MirrorFolder found = Read();
  EXPECT_TRUE(found.documents.empty());
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_TRUE(found.notes[0].contains("_keys.json")) << found.notes[0];
  Write(demo_ + "1.0.0-RC1_SHA256SUMS.sig", "signature");
  Write(
      demo_ + "1.0.0-RC1_keys.json",
      wire::EncodeKeysFile({.protocols = {"6.0"}, .keys = {{.key_id = "1", .ascii_armor = "a"}}}));
  found = Read();
  ASSERT_EQ(found.documents.size(), 1U);
  EXPECT_EQ(found.documents[0].documents.shasums, "sums");
  EXPECT_EQ(found.documents[0].documents.protocols, std::vector<std::string>{"6.0"});
  EXPECT_EQ(Packages(found),
            std::vector<std::string>{"registry.example.org/acme/demo 1.0.0-RC1 linux_amd64"})
      << "as its author spells it";
  Write(demo_ + "1.0.0-RC1_keys.json", "no JSON");
  found = Read();
  EXPECT_TRUE(found.documents.empty());
  EXPECT_EQ(found.problems.size(), 1U);
}

TEST_F(MirrorFolderTest, TakesModules) {
  Write("_modules/registry.example.org/Acme/vpc/aws/1.0.0.tar.gz");
  Write("_modules/registry.example.org/Acme/vpc/aws/1.0.0.json",
        wire::EncodeModuleFile({.digest = "sha256:00", .source = "somewhere"}));
  Write("_modules/registry.example.org/Acme/vpc/aws/2.0.0.zip");
  Write("_modules/registry.example.org/Acme/vpc/aws/2.0.zip");
  Write("_modules/registry.example.org/Acme/vpc/AWS/1.0.0.zip");
  MirrorFolder found = Read();
  ASSERT_EQ(found.modules.size(), 2U);
  EXPECT_EQ(found.modules[0].module.ToString(), "registry.example.org/Acme/vpc/aws 1.0.0");
  EXPECT_EQ(found.modules[0].source, "somewhere");
  EXPECT_EQ(found.modules[1].source, "");
  EXPECT_EQ(found.problems.size(), 2U);
}

TEST(MirrorFilterTest, Patterns) {
  struct Case {
    const char* pattern;
    const char* text;
    bool matches;
  };
  const Case kCases[] = {{"1.2.3", "1.2.3", true},
                         {"1.2.*", "1.2.10", true},
                         {"1.2.*", "1.20.1", false},
                         {"*", "anything", true},
                         {"*", "", true},
                         {"", "", true},
                         {"", "a", false},
                         {"linux_*", "linux_amd64", true},
                         {"LINUX_*", "linux_arm", true},
                         {"*/b/*", "a/b/c", true},
                         {"*/c", "a/b/c", false},
                         {"*", "a/b", false},
                         {"a*b*c", "a-bb-c", true},
                         {"a*b*c", "a-bb-", false},
                         {"**", "ab", true}};
  for (const Case& each : kCases) {
    EXPECT_EQ(MatchesPattern(each.pattern, each.text), each.matches)
        << each.pattern << " " << each.text;
  }
}

TEST(MirrorFilterTest, WhoNamesProvidersDoesNotMeanModules) {
  wire::InventoryRelease release{
      .hostname = "xn--mnchen-3ya.example", .ns = "acme", .type = "demo", .version = "1.2.3"};
  wire::InventoryModule module{.hostname = "registry.example.org",
                               .ns = "acme",
                               .name = "vpc",
                               .system = "aws",
                               .version = "1.2.3"};
  auto wants = [&](const MirrorFilter& filter) {
    return fmt::format("{:d}{:d}", filter.Wants(release), filter.Wants(module));
  };
  EXPECT_EQ(wants({}), "11");
  EXPECT_EQ(wants({.providers = {"acme/*"}}), "10");
  EXPECT_EQ(wants({.providers = {"münchen.example/acme/demo"}}), "10");
  EXPECT_EQ(wants({.providers = {"xn--mnchen-3ya.example/*/*"}}), "10");
  EXPECT_EQ(wants({.providers = {"other/*"}}), "00");
  EXPECT_EQ(wants({.modules = {"acme/*/aws"}}), "01");
  EXPECT_EQ(wants({.providers = {"acme/*"}, .modules = {"*/acme/*/*"}}), "11");
  EXPECT_EQ(wants({.platforms = {"linux_*"}}), "10");
  EXPECT_EQ(wants({.versions = {"1.*"}}), "11");
  EXPECT_EQ(wants({.versions = {"2.*"}}), "00");
}

TEST_F(MirrorFolderTest, ExportsTakeOnlyFoldersOfTheirOwn) {
  Write("full/thesis.tex");
  EXPECT_EQ(ExportFolder::Open(folder_ / "full").error().kind, ErrorKind::kInvalid);
  EXPECT_FALSE(fs::exists(folder_ / "full/koya-mirror.json"));
  Write("static/registry.example.org/acme/demo/index.json", "{}");
  Write("later/koya-mirror.json", R"({"format":2})");
  EXPECT_EQ(ExportFolder::Open(folder_ / "later").error().kind, ErrorKind::kInvalid);
  for (const char* name : {"new/folder", "static", "new/folder"}) {
    EXPECT_TRUE(ExportFolder::Open(folder_ / name)) << name;
  }
}

TEST_F(MirrorFolderTest, ExportsWriteWhatIsExpectedOrNothing) {
  auto folder = ExportFolder::Open(folder_ / "out");
  ASSERT_TRUE(folder);
  ExpectedFile file{
      .path = folder_ / "out/a/b.zip", .digest = Digest::Of("bytes").ToString(), .size = 5};
  auto fill = [](std::string text) {
    return [text](ByteSink sink) { return sink(std::as_bytes(std::span(std::string_view(text)))); };
  };
  EXPECT_EQ(folder->Write(file, fill("other")).error().kind, ErrorKind::kCorrupt);
  EXPECT_EQ(
      folder->Write(file, [](const ByteSink&) -> Status { return FailUnavailable("cut off"); })
          .error()
          .kind,
      ErrorKind::kUnavailable);
  EXPECT_TRUE(fs::is_empty(folder_ / "out/a")) << "nothing half written stays";
  EXPECT_FALSE(*folder->Has(file));
  EXPECT_TRUE(folder->Write(file, fill("bytes")));
  EXPECT_TRUE(*folder->Has(file));
  EXPECT_TRUE(*folder->WriteText(folder_ / "out/t", "text"));
  EXPECT_FALSE(*folder->WriteText(folder_ / "out/t", "text"));
}

TEST(MirrorCommandsTest, SizesAreReadable) {
  EXPECT_EQ(ReadableSize(0), "0 B");
  EXPECT_EQ(ReadableSize(1023), "1023 B");
  EXPECT_EQ(ReadableSize(1536), "1.5 KiB");
  EXPECT_EQ(ReadableSize(400154514), "381.6 MiB");
  EXPECT_EQ(ReadableSize(std::uint64_t{5} << 40), "5120.0 GiB");
}

TEST(MirrorCommandsTest, SayWhatIsWrongWithTheLine) {
  struct Case {
    std::vector<std::string> arguments;
    const char* words;
  };
  const Case kCases[] = {{{"mirror"}, "a command is missing"},
                         {{"mirror", "import"}, "DIR"},
                         {{"mirror", "export"}, "DIR"},
                         {{"mirror", "prune"}, "--unused"},
                         {{"mirror", "prune", "--unused", "soon"}, "90d"},
                         {{"mirror", "prune", "--keep-bytes", "much"}, "20GiB"},
                         {{"mirror", "list", "--provider", "demo"}, "NAMESPACE/TYPE"},
                         {{"mirror", "list", "--module", "a/b"}, "NAMESPACE/NAME/SYSTEM"},
                         {{"mirror", "verify", "--jobs", "0"}, "1"},
                         {{"mirror", "verify", "--data", "d", "--server", "https://a"}, "excludes"},
                         {{"mirror", "lst"}, "list"}};
  for (const Case& bad : kCases) {
    ProgramRun run = RunKoya(bad.arguments);
    EXPECT_EQ(run.status, 2) << bad.words << run.err;
    EXPECT_TRUE(run.err.contains(bad.words)) << bad.words << ": " << run.err;
  }
}

}  // namespace
}  // namespace koya::cli
