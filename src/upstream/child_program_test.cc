#include "upstream/child_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <thread>

#include "base/file.h"
#include "base/temp_folder_fake.h"
#include "upstream/modules/git_server_fake.h"

namespace koya::upstream {
namespace {

ChildProgram Shell(const std::string& text) {
  return {.command = {"/bin/sh", "-c", text}, .timeout = std::chrono::seconds(60)};
}

TEST(ChildProgramTest, GivesItTheEnvironmentAndTheFolder) {
  TempFolder folder;
  ChildProgram child = Shell("echo \"$A $HOME\"; pwd");
  child.environment = {{"A=b c"}};
  child.folder = folder.path().string();
  auto said = RunChild(child);
  ASSERT_TRUE(said) << said.error().message;
  EXPECT_EQ(*said, "b c \n" + std::filesystem::canonical(folder.path()).string() + "\n");

  child.folder = "/no/such/folder";
  EXPECT_EQ(RunChild(child).error().kind, ErrorKind::kUnavailable);
}

TEST(ChildProgramTest, WritesIntoAFile) {
  TempFolder folder;
  std::filesystem::path path = folder.Write("out", "");
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  ChildProgram child = Shell("echo one; echo two >&2");
  child.output = file.get();
  child.max_errors = 100;
  auto said = RunChild(child);
  ASSERT_TRUE(said) << said.error().message;
  EXPECT_EQ(*said, "");
  EXPECT_EQ(std::filesystem::file_size(path), 4u);
}

TEST(ChildProgramTest, KeepsTheEndOfWhatItComplainsOf) {
  ChildProgram child =
      Shell("i=0; while [ $i -lt 3000 ]; do echo $i >&2; i=$((i+1)); done; exit 3");
  child.max_errors = 10;
  auto said = RunChild(child);
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().kind, ErrorKind::kRefused);
  EXPECT_NE(said.error().message.find("status 3"), std::string::npos);
  EXPECT_EQ(said.error().detail, "2998\n2999\n");

  child.max_errors = 0;
  EXPECT_EQ(RunChild(child).error().detail, "");
}

TEST(ChildProgramTest, EndsWhoWritesTooLargeAFile) {
  TempFolder folder;
  ChildProgram child = Shell("head -c 100000 /dev/zero >file");
  child.folder = folder.path().string();
  child.limits.file_bytes = 200'000;
  EXPECT_TRUE(RunChild(child));
  child.limits.file_bytes = 50'000;
  EXPECT_EQ(RunChild(child).error().kind, ErrorKind::kRefused);
  EXPECT_EQ(std::filesystem::file_size(folder.path() / "file"), 50'000u);
}

TEST(ChildProgramTest, MemoryThatIsOverTheLimitIsNotGiven) {
  ChildProgram child = Shell("x=$(head -c 50000000 /dev/zero | tr '\\0' a); echo ${#x}");
  auto said = RunChild(child);
  ASSERT_TRUE(said) << said.error().message;
  EXPECT_EQ(*said, "50000000\n");
  child.limits.memory_bytes = 32 << 20;
  EXPECT_EQ(RunChild(child).error().kind, ErrorKind::kRefused);
}

TEST(ChildProgramTest, EndsWhoComputesForTooLong) {
  ChildProgram child = Shell("while :; do :; done");
  child.limits.cpu = std::chrono::seconds(1);
  auto said = RunChild(child);
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().kind, ErrorKind::kRefused);
  EXPECT_NE(said.error().message.find("signal"), std::string::npos) << said.error().message;
}

TEST(ChildProgramTest, EndsWhoIsGivenUpOrFailsTheCheck) {
  ChildProgram child = Shell("sleep 60");
  std::stop_source stop;
  child.stop = stop.get_token();
  {
    std::jthread other([&stop] { stop.request_stop(); });
    EXPECT_EQ(RunChild(child).error().kind, ErrorKind::kUnavailable);
  }
  child.stop = {};
  int asked = 0;
  child.check = [&asked]() -> Status {
    return ++asked < 3 ? Status() : Fail(ErrorKind::kStorageFull, "no room");
  };
  EXPECT_EQ(RunChild(child).error().message, "no room");
}

TEST(ChildProgramTest, IsWhatTheKernelEndsFirstWhenMemoryRunsOut) {
  auto said = RunChild(Shell("cat /proc/self/oom_score_adj"));
  ASSERT_TRUE(said);
  EXPECT_GE(std::stoi(*said), 500);
}

TEST(ChildProgramTest, GetsNoneOfOurDescriptors) {
  UniqueFd ours(::open("/dev/null", O_RDONLY));  // as a library may open one
  auto said = RunChild(Shell("[ ! -e /proc/self/fd/" + std::to_string(ours.get()) + " ]"));
  EXPECT_TRUE(said) << said.error().message;
}

TEST(ChildProgramTest, SaysWhatCannotBeStarted) {
  for (const char* program : {"/no/such/program", "/etc/passwd"}) {
    auto said = RunChild({.command = {program}});
    ASSERT_FALSE(said);
    EXPECT_EQ(said.error().kind, ErrorKind::kNotFound) << said.error().message;
    EXPECT_NE(said.error().message.find(program), std::string::npos);
  }
  auto said = RunChild({.command = {"/bin/true"}, .folder = "/no/such/folder"});
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().kind, ErrorKind::kUnavailable) << "the program is there";
}

TEST(ChildProgramTest, LeavesNobodyBehindWhenTheTimeIsOver) {
  TempFolder folder;
  // The grandchild holds the lock for as long as it lives.
  ChildProgram child = Shell("flock lock sleep 60 & sleep 60");
  child.folder = folder.path().string();
  child.timeout = std::chrono::milliseconds(300);
  child.max_errors = 10;
  auto said = RunChild(child);
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().kind, ErrorKind::kTimeout);
  Output("flock -w 30 " + (folder.path() / "lock").string() + " true");
}

}  // namespace
}  // namespace koya::upstream
