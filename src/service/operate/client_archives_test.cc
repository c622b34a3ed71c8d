#include "service/operate/client_archives.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/offload.h"
#include "base/run_task.h"
#include "base/temp_folder_fake.h"

namespace koya::service {
namespace {

namespace fs = std::filesystem;

class ClientArchivesTest : public ::testing::Test {
 protected:
  // A tree with a program, as `make dist` lays one out.
  fs::path WriteTree(const std::string& folder, const std::string& arch,
                     const std::string& version = "0.9.0", const std::string& program = "#!\n") {
    folder_.Write(folder + "/bin/koya", program);
    folder_.Write(folder + "/lib/libc.so.6", "a library");
    WriteManifest(folder,
                  fmt::format("koya {} linux {}\n755 {} bin/koya\n644 {} lib/libc.so.6\n", version,
                              arch, Digest::Of(program).hex(), Digest::Of("a library").hex()));
    return folder_ / folder;
  }
  void WriteManifest(const std::string& folder, const std::string& text) {
    folder_.Write(folder + "/share/koya/manifest", text);
  }
  ClientArchiveSetup SetupOf(fs::path tree) {
    return {"0.9.0", std::move(tree), folder_ / "trees", folder_ / "clients"};
  }
  Result<ClientArchiveList> List(ClientArchiveSetup setup) {
    ClientArchives archives(std::move(setup), pool_);
    return RunTask(archives.List());
  }
  std::vector<fs::path> Stored() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder_ / "clients")) files.push_back(entry);
    return files;
  }
  // Why packing fails.
  std::string Problem(ClientArchiveSetup setup) {
    Result<ClientArchiveList> list = List(std::move(setup));
    return list ? "it does not fail" : list.error().detail;
  }
  static std::string ReadText(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TempFolder folder_;
  WorkerPool pool_{1};
};

TEST_F(ClientArchivesTest, AProgramWithoutATreeHasNone) {
  WriteTree("trees/koya-0.9.0-linux-arm64", "arm64");
  EXPECT_TRUE(List(SetupOf({})).value()->empty());
  EXPECT_FALSE(fs::exists(folder_ / "clients"));
}

TEST_F(ClientArchivesTest, AnArchiveIsTheFilesOfItsManifest) {
  const fs::path tree = WriteTree("tree", "amd64");
  folder_.Write("tree/secrets.txt", "not of the release");
  const ClientArchiveList list = List(SetupOf(tree)).value();
  ASSERT_EQ(list->size(), 1);
  const ClientArchive& archive = list->front();
  EXPECT_EQ(archive.FileName(), "koya-linux-amd64.tar.gz");
  ASSERT_EQ(Stored().size(), 1);
  const std::string bytes = ReadText(Stored().front());
  EXPECT_EQ(archive.size, bytes.size());
  EXPECT_EQ(archive.digest, Digest::Of(bytes));

  const fs::path out = folder_ / "out";
  fs::create_directory(out);
  const std::string command =
      fmt::format("tar -xzf '{}' -C '{}'", Stored().front().native(), out.native());
  ASSERT_EQ(std::system(command.c_str()), 0);
  const fs::path unpacked = out / "koya-0.9.0-linux-amd64";
  EXPECT_EQ(ReadText(unpacked / "bin/koya"), "#!\n");
  EXPECT_EQ(ReadText(unpacked / "share/koya/manifest"), ReadText(tree / "share/koya/manifest"));
  EXPECT_NE(fs::status(unpacked / "bin/koya").permissions() & fs::perms::owner_exec,
            fs::perms::none);
  EXPECT_EQ(fs::status(unpacked / "lib/libc.so.6").permissions() & fs::perms::owner_exec,
            fs::perms::none);
  EXPECT_FALSE(fs::exists(unpacked / "secrets.txt"));
}

TEST_F(ClientArchivesTest, EqualTreesGiveEqualArchives) {
  const ClientArchiveList one = List(SetupOf(WriteTree("one", "amd64"))).value();
  fs::remove_all(folder_ / "clients");
  const ClientArchiveList two = List(SetupOf(WriteTree("two", "amd64"))).value();
  EXPECT_EQ(one->front().digest, two->front().digest);
}

TEST_F(ClientArchivesTest, TheStoredArchiveIsUsedAgainUnlessItIsDamaged) {
  const fs::path tree = WriteTree("tree", "amd64");
  const Digest digest = List(SetupOf(tree)).value()->front().digest;
  const fs::path stored = Stored().front();
  const auto written = fs::last_write_time(stored);
  // What was packed before needs no file of the tree but the manifest.
  fs::rename(tree / "lib", folder_ / "away");
  EXPECT_EQ(List(SetupOf(tree)).value()->front().digest, digest);
  EXPECT_EQ(fs::last_write_time(stored), written);
  fs::rename(folder_ / "away", tree / "lib");
  std::ofstream(stored, std::ios::app) << "damage";
  EXPECT_EQ(List(SetupOf(tree)).value()->front().digest, digest);
  EXPECT_EQ(Digest::Of(ReadText(stored)), digest);
}

TEST_F(ClientArchivesTest, ArchivesOfOtherVersionsAreRemoved) {
  folder_.Write("clients/koya-0.8.0-linux-amd64.abc.def", "an old one");
  folder_.Write("clients/other.txt", "not an archive");
  List(SetupOf(WriteTree("tree", "amd64"))).value();
  EXPECT_EQ(Stored().size(), 2);
  EXPECT_FALSE(fs::exists(folder_ / "clients/koya-0.8.0-linux-amd64.abc.def"));
}

TEST_F(ClientArchivesTest, WhatAnotherServerIsWritingStays) {
  folder_.Write("clients/koya-part-abcdef", "being written");
  const fs::path left = folder_.Write("clients/koya-part-ghijkl", "of a killed process");
  fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(2));
  List(SetupOf(WriteTree("tree", "amd64"))).value();
  EXPECT_TRUE(fs::exists(folder_ / "clients/koya-part-abcdef"));
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(Stored().size(), 2);
}

TEST_F(ClientArchivesTest, TreesOfThisVersionBesideItCountToo) {
  WriteTree("trees/koya-0.9.0-linux-arm64", "arm64");
  WriteTree("trees/koya-0.8.0-linux-arm64", "arm64", "0.8.0");
  WriteTree("trees/koya-0.9.0-linux-amd64", "amd64", "0.9.0", "another program");
  const ClientArchiveList list = List(SetupOf(WriteTree("tree", "amd64"))).value();
  ASSERT_EQ(list->size(), 2);
  EXPECT_EQ(list->at(0).arch, "amd64");
  EXPECT_EQ(list->at(1).arch, "arm64");
  EXPECT_EQ(Stored().size(), 2);
}

TEST_F(ClientArchivesTest, DamagedTreesAreNotHandedOut) {
  const fs::path tree = WriteTree("tree", "amd64");
  const std::string manifest = ReadText(tree / "share/koya/manifest");
  folder_.Write("tree/bin/koya", "#?\n");
  EXPECT_NE(Problem(SetupOf(tree)).find("bin/koya differs from the manifest"), std::string::npos);
  fs::remove(tree / "bin/koya");
  EXPECT_NE(Problem(SetupOf(tree)).find("bin/koya"), std::string::npos);
  EXPECT_TRUE(Stored().empty());

  struct Row {
    std::string text;
    std::string problem;
  };
  const std::string digest = Digest::Of("a library").hex();
  const Row rows[] = {
      {"", "names no files"},
      {"koya 0.9.0 linux amd64\n", "names no files"},
      {"something else\n", "names no files"},
      {"koya 0.9.0 linux amd64\n644 " + digest + "\n", "line 2"},
      {"koya 0.9.0 linux amd64\n644 abc lib/libc.so.6\n", "line 2"},
      {"koya 0.9.0 linux amd64\n777 " + digest + " lib/libc.so.6\n", "line 2"},
      {"koya 0.9.0 linux amd64\n644 " + digest + " ../libc.so.6\n", "line 2"},
      {"koya 0.9.0 linux amd64\n644 " + digest + " /lib/libc.so.6\n", "line 2"},
      {"koya 0.9.0 linux riscv64\n644 " + digest + " lib/libc.so.6\n", "architecture"},
      {"koya 0.8.0 linux amd64\n644 " + digest + " lib/libc.so.6\n", "another version"},
      {std::string((1 << 20) + 1, 'x'), "too large"},
  };
  for (const Row& row : rows) {
    WriteManifest("tree", row.text);
    EXPECT_NE(Problem(SetupOf(tree)).find(row.problem), std::string::npos)
        << row.problem << " in " << Problem(SetupOf(tree));
  }
  WriteManifest("tree", manifest);
}

TEST_F(ClientArchivesTest, ATreeThatWasMovedIsNamed) {
  const fs::path tree = WriteTree("tree", "amd64");
  fs::rename(tree, folder_ / "moved");
  const Result<ClientArchiveList> list = List(SetupOf(tree));
  ASSERT_FALSE(list);
  EXPECT_TRUE(list.error().message.contains("was moved")) << list.error().message;
  EXPECT_TRUE(list.error().detail.contains(tree.native())) << list.error().detail;
}

TEST_F(ClientArchivesTest, AFailureIsTriedAgain) {
  const fs::path tree = WriteTree("tree", "amd64");
  fs::rename(tree / "lib", folder_ / "away");
  ClientArchives archives(SetupOf(tree), pool_);
  EXPECT_FALSE(RunTask(archives.List()));
  fs::rename(folder_ / "away", tree / "lib");
  Result<ClientArchiveList> list = RunTask(archives.List());
  ASSERT_TRUE(list);
  // Once packed, it needs neither the tree nor the stored file.
  fs::remove_all(tree);
  fs::remove_all(folder_ / "clients");
  EXPECT_EQ(RunTask(archives.List()).value(), *list);
}

}  // namespace
}  // namespace koya::service
