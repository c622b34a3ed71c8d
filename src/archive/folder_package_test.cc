#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "archive/archive_builder_fake.h"
#include "archive/archive_oracle_fake.h"
#include "archive/module_package.h"
#include "base/temp_folder_fake.h"

namespace koya {
namespace {

namespace fs = std::filesystem;

class FolderPackageTest : public testing::Test {
 protected:
  void Write(const std::string& path, std::string_view content = "x") {
    folder_.Write(path, content);
  }

  Result<std::string> Pack(const ArchiveLimits& limits = {}) {
    std::string out;
    ByteSink sink = [&](std::span<const std::byte> part) -> Status {
      out.append(reinterpret_cast<const char*>(part.data()), part.size());
      return {};
    };
    ASSIGN_OR_RETURN(package_, PackModuleFolder(folder_.path(), limits, sink));
    return out;
  }

  // The names in the package, one a line.
  std::string Names() {
    auto packed = Pack();
    if (!packed) return packed.error().message;
    return LibarchiveNames(*packed).value_or("libarchive refuses it");
  }

  TempFolder folder_;
  FolderPackage package_;
};

TEST_F(FolderPackageTest, PacksSortedWithoutTimesAndOwners) {
  Write("main.tf", "module");
  Write("modules/b/x.tf", "b");
  Write("modules/a.tf", "a");
  Write("run.sh", "#!");
  Write("empty.tf", "");
  fs::permissions(folder_ / "run.sh", fs::perms(0755));
  fs::create_directories(folder_ / "nothing-inside");
  EXPECT_EQ(Names(), "empty.tf\nmain.tf\nmodules/a.tf\nmodules/b/x.tf\nrun.sh\n");
  EXPECT_EQ(package_.files, 5U);
  EXPECT_EQ(package_.unpacked_bytes, 10U);
  std::string first = *Pack();
  fs::last_write_time(folder_ / "main.tf",
                      fs::file_time_type::clock::now() - std::chrono::hours(9));
  fs::permissions(folder_ / "main.tf", fs::perms(0600));
  EXPECT_EQ(*Pack(), first);
  UniqueFd file = FileOf(first);
  auto inspection = InspectModule(file.get(), first.size(), {});
  ASSERT_TRUE(inspection) << inspection.error().message;
  EXPECT_EQ(inspection->entries, 5U);
}

TEST_F(FolderPackageTest, GivesTheBytesOfARepackOfTheSameModule) {
  Write("main.tf", "a");
  Write("m/x.tf", "bc");
  EXPECT_EQ(*Pack(), RepackText(Zip({{.name = "v/m/x.tf", .content = "bc"},
                                     {.name = "v/main.tf", .content = "a"}})));
}

TEST_F(FolderPackageTest, LeavesOutWhatIsNotTheModule) {
  Write("main.tf");
  Write(".git/config");
  Write("sub/.git", "gitdir: …");
  Write(".terraform/modules/m/main.tf");
  Write("sub/.terraform/providers/x");
  Write("sub/x.tf");
  Write(".terraform.lock.hcl");
  EXPECT_EQ(Names(), ".terraform.lock.hcl\nmain.tf\nsub/x.tf\n");
}

TEST_F(FolderPackageTest, HonoursTerraformignore) {
  Write(".terraformignore", "# notes\n*.md\n!README.md\n/examples/\nsecret\n");
  Write("main.tf");
  Write("README.md");
  Write("NOTES.md");
  Write("examples/a/main.tf");
  Write("modules/examples/main.tf");
  Write("modules/secret/main.tf");
  // Excluded paths may be of any kind.
  fs::create_symlink("/nowhere", folder_ / "examples/link");
  EXPECT_EQ(Names(), ".terraformignore\nREADME.md\nmain.tf\nmodules/examples/main.tf\n");
}

TEST_F(FolderPackageTest, HonoursTakingBackInsideAnExcludedFolder) {
  Write(".terraformignore", "deep/\n!deep/a/keep.tf\n");
  Write("main.tf");
  Write("deep/a/keep.tf");
  Write("deep/a/other.tf");
  EXPECT_EQ(Names(), ".terraformignore\ndeep/a/keep.tf\nmain.tf\n");
}

TEST_F(FolderPackageTest, RefusesWithTheNameAndTheWayToMendIt) {
  struct Row {
    std::string_view what;
    std::function<void()> make;
    std::vector<std::string_view> message_parts;
  };
  auto socket_at = [&](const fs::path& path) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    path.string().copy(address.sun_path, sizeof address.sun_path - 1);
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  };
  const std::vector<Row> kRows = {
      {"no module file", [&] { Write("modules/main.tf"); }, {"no .tf", "root"}},
      {"only a hidden one", [&] { Write(".main.tf"); }, {"no .tf"}},
      {"no module but examples", [&] { Write("examples/a/main.tf"); }, {"no .tf", "\"modules\""}},
      {"no module in modules", [&] { Write("modules/a/x.txt"), Write("README.md"); }, {"no .tf"}},
      {"no module but in a folder of it", [&] { Write("v/modules/a/main.tf"); }, {"no .tf"}},
      {"link to a file outside",
       [&] { fs::create_symlink("../../../../../etc/passwd", folder_ / "link.tf"); },
       {"\"link.tf\" is a symbolic link to \"../", "etc/passwd\", which is outside",
        "replace the link by a copy", "name the link in .terraformignore"}},
      {"link to a folder outside",
       [&] { fs::create_directory_symlink("/etc", folder_ / "etc"); },
       {"\"etc\" is a symbolic link to \"/etc\", which is outside"}},
      {"link to the folder around",
       [&] { fs::create_directory_symlink("..", folder_ / "up"); },
       {"\"up\"", "which is outside"}},
      {"link out of the folder through another",
       [&] {
         Write("a/x.tf");
         fs::create_directory_symlink("/etc", folder_ / "a/etc");
         fs::create_symlink("a/etc/passwd", folder_ / "b.tf");
       },
       {"a symbolic link", "which is outside"}},
      {"link to nothing",
       [&] { fs::create_symlink("gone.tf", folder_ / "link.tf"); },
       {"\"link.tf\" is a symbolic link to \"gone.tf\", which does not exist"}},
      {"link to below a file",
       [&] { fs::create_symlink("main.tf/x", folder_ / "link.tf"); },
       {"\"link.tf\"", "which does not exist"}},
      {"link with a file as its target",
       [&] { fs::create_symlink("terraform {\n}\n" + std::string(500, ' '), folder_ / "v.tf"); },
       {"\"v.tf\"", "which does not exist"}},
      {"link to itself",
       [&] { fs::create_symlink("link.tf", folder_ / "link.tf"); },
       {"\"link.tf\"", "which is circular; remove it"}},
      {"links to each other",
       [&] {
         fs::create_symlink("b.tf", folder_ / "a.tf");
         fs::create_symlink("a.tf", folder_ / "b.tf");
       },
       {".tf\" is a symbolic link", "which is circular"}},
      {"link to the folder that it lies in",
       [&] {
         Write("examples/one/main.tf");
         fs::create_directory_symlink("../..", folder_ / "examples/one/module");
       },
       {"\"examples/one/module\"", "which is circular, because it contains the link"}},
      {"folders that hold links to each other",
       [&] {
         Write("a/x.tf"), Write("b/x.tf");
         fs::create_directory_symlink("../b", folder_ / "a/l");
         fs::create_directory_symlink("../a", folder_ / "b/m");
       },
       {"which is circular"}},
      {"fifo", [&] { ::mkfifo((folder_ / "pipe").c_str(), 0600); }, {"\"pipe\"", "pipe"}},
      {"socket", [&] { socket_at(folder_ / "s"); }, {"\"s\"", "socket"}},
      {"backslash", [&] { Write("a\\b.tf"); }, {"a\\b.tf", "backslash"}},
      {"newline", [&] { Write("a\nb.tf"); }, {"control character"}},
      {"not UTF-8", [&] { Write("caf\xe9.tf"); }, {"UTF-8"}},
      {"letter case", [&] { Write("A.tf"), Write("a.tf"); }, {"\"A.tf\"", "\"a.tf\"", "case"}},
  };
  for (const Row& row : kRows) {
    fs::remove_all(folder_.path());
    fs::create_directories(folder_.path());
    if (!row.what.starts_with("no module") && !row.what.starts_with("only")) Write("main.tf");
    row.make();
    auto packed = Pack();
    ASSERT_FALSE(packed) << row.what;
    EXPECT_EQ(packed.error().kind, ErrorKind::kInvalid) << row.what;
    for (std::string_view part : row.message_parts) {
      EXPECT_NE(packed.error().message.find(part), std::string::npos)
          << row.what << ": " << packed.error().message;
    }
  }
}

// Everywhere in the modules of the world, most often to share a versions.tf.
TEST_F(FolderPackageTest, ALinkWithinTheFolderIsPackedAsACopy) {
  struct Row {
    std::string_view what;
    std::function<void()> make;
    std::string_view names;
    std::vector<std::string> copied;
  };
  const std::vector<Row> kRows = {
      {"to a file",
       [&] {
         Write("modules/a/main.tf");
         fs::create_symlink("../../main.tf", folder_ / "modules/a/versions.tf");
       },
       "main.tf\nmodules/a/main.tf\nmodules/a/versions.tf\n",
       {"modules/a/versions.tf"}},
      {"to a link to a file",
       [&] {
         fs::create_symlink("b.tf", folder_ / "a.tf");
         fs::create_symlink("main.tf", folder_ / "b.tf");
       },
       "a.tf\nb.tf\nmain.tf\n",
       {"a.tf", "b.tf"}},
      {"with an absolute path",
       [&] { fs::create_symlink(fs::canonical(folder_ / "main.tf"), folder_ / "a.tf"); },
       "a.tf\nmain.tf\n",
       {"a.tf"}},
      {"to a folder",
       [&] {
         Write("shared/x/y.tf");
         fs::create_directory_symlink("shared", folder_ / "l");
       },
       "l/x/y.tf\nmain.tf\nshared/x/y.tf\n",
       {"l"}},
      {"to a folder beside, with a link in it",
       [&] {
         Write("a/x.tf"), Write("b/y.tf");
         fs::create_directory_symlink("../b", folder_ / "a/l");
         fs::create_directory_symlink("a", folder_ / "c");
       },
       "a/l/y.tf\na/x.tf\nb/y.tf\nc/l/y.tf\nc/x.tf\nmain.tf\n",
       {"a/l", "c", "c/l"}},
      {"twice to one folder",
       [&] {
         Write("s/x.tf");
         fs::create_directory_symlink("s", folder_ / "a");
         fs::create_directory_symlink("a", folder_ / "b");
       },
       "a/x.tf\nb/x.tf\nmain.tf\ns/x.tf\n",
       {"a", "b"}},
      {"to an empty folder",
       [&] {
         fs::create_directories(folder_ / "s");
         fs::create_directory_symlink("s", folder_ / "a");
       },
       "main.tf\n",
       {"a"}},
      {"to what is left out by itself",
       [&] {
         Write(".terraformignore", "/s/\n"), Write("s/x.tf");
         fs::create_symlink("s/x.tf", folder_ / "a.tf");
       },
       ".terraformignore\na.tf\nmain.tf\n",
       {"a.tf"}},
      {"left out as a folder",
       [&] {
         Write(".terraformignore", "/a/\n"), Write("s/x.tf");
         fs::create_directory_symlink("s", folder_ / "a");
       },
       ".terraformignore\nmain.tf\ns/x.tf\n",
       {}},
      {"that is the list of what is left out",
       [&] {
         Write("ignore", "*.md\n"), Write("a.md");
         fs::create_symlink("ignore", folder_ / ".terraformignore");
       },
       ".terraformignore\nignore\nmain.tf\n",
       {".terraformignore"}},
  };
  for (const Row& row : kRows) {
    fs::remove_all(folder_.path());
    fs::create_directories(folder_.path());
    Write("main.tf", "module");
    row.make();
    EXPECT_EQ(Names(), row.names) << row.what;
    EXPECT_EQ(package_.copied_links, row.copied) << row.what;
  }
}

TEST_F(FolderPackageTest, ACopyHasTheBytesAndTheModeOfTheLinksTarget) {
  Write("main.tf", "module");
  Write("bin/run.sh", "#!/bin/sh");
  fs::permissions(folder_ / "bin/run.sh", fs::perms(0755));
  fs::create_symlink("bin/run.sh", folder_ / "go.sh");
  std::string linked = *Pack();
  fs::remove(folder_ / "go.sh");
  fs::copy_file(folder_ / "bin/run.sh", folder_ / "go.sh");
  EXPECT_EQ(linked, *Pack());
}

TEST_F(FolderPackageTest, AModuleMayHaveItsConfigurationBelowModulesOnly) {
  Write("README.md");
  Write("modules/one/main.tf");
  std::string packed = *Pack();
  UniqueFd file = FileOf(packed);
  auto inspection = InspectModule(file.get(), packed.size(), {});
  ASSERT_TRUE(inspection) << inspection.error().message;
  EXPECT_EQ(inspection->top_folder, "");
}

TEST_F(FolderPackageTest, RefusesWhatIsNoFolder) {
  Write("main.tf");
  ByteSink none = [](std::span<const std::byte>) -> Status { return {}; };
  auto missing = PackModuleFolder(folder_ / "missing", {}, none);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kInvalid);
  EXPECT_NE(missing.error().message.find("missing"), std::string::npos);
  auto file = PackModuleFolder(folder_ / "main.tf", {}, none);
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find(".tar.gz"), std::string::npos) << file.error().message;
}

TEST_F(FolderPackageTest, NamesAFileThatCannotBeRead) {
  Write("main.tf");
  Write("modules/key.tf");
  fs::permissions(folder_.path(), fs::perms(0755));
  fs::permissions(folder_ / "modules/key.tf", fs::perms::none);
  // Root reads every file, so the test switches to another user for a moment.
  constexpr uid_t kNobody = 65534;
  bool root = ::geteuid() == 0;
  if (root) ASSERT_EQ(::seteuid(kNobody), 0);
  auto packed = Pack();
  if (root) ASSERT_EQ(::seteuid(0), 0);
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error().kind, ErrorKind::kInvalid);
  EXPECT_NE(packed.error().message.find("cannot read \"modules/key.tf\""), std::string::npos)
      << packed.error().message;
}

TEST_F(FolderPackageTest, StopsAtTheLimits) {
  Write("main.tf", std::string(1000, 'x'));
  Write("b.tf", std::string(1000, 'x'));
  Write("c.tf");
  auto bytes = Pack({.unpacked_bytes = 1999, .ratio = 200, .entries = 10});
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().kind, ErrorKind::kTooLarge);
  auto files = Pack({.unpacked_bytes = 5000, .ratio = 200, .entries = 2});
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().kind, ErrorKind::kTooLarge);
  EXPECT_TRUE(Pack({.unpacked_bytes = 2001, .ratio = 200, .entries = 3}));
}

TEST_F(FolderPackageTest, HandsOnWhatTheSinkFailsWith) {
  Write("main.tf");
  ByteSink full = [](std::span<const std::byte>) -> Status {
    return Fail(ErrorKind::kStorageFull, "full");
  };
  auto packed = PackModuleFolder(folder_.path(), {}, full);
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error().kind, ErrorKind::kStorageFull);
}

}  // namespace
}  // namespace koya
