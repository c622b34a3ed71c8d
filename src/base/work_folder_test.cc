#include "base/work_folder.h"
#include "base/temp_folder_fake.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace koya {
namespace {

namespace fs = std::filesystem;

class WorkFolderTest : public testing::Test {
 protected:
  TempFolder folder_;
  const fs::path& parent_ = folder_.path();
};

TEST_F(WorkFolderTest, GoesWithAllThatIsInIt) {
  {
    auto folder = WorkFolder::Create(parent_, "git");
    ASSERT_TRUE(folder) << folder.error().detail;
    EXPECT_TRUE(folder->path().filename().string().starts_with("git-"));
    EXPECT_TRUE(fs::is_empty(folder->path()));
    WorkFolder moved = *std::move(folder);
    std::ofstream(moved.path() / "file") << "text";
    EXPECT_TRUE(fs::exists(moved.path() / "file"));
  }
  EXPECT_TRUE(fs::is_empty(parent_));
  EXPECT_FALSE(WorkFolder::Create(parent_ / "absent", "git"));
}

TEST_F(WorkFolderTest, OnlyWhatNobodyWorksInIsALeftover) {
  auto folder = WorkFolder::Create(parent_, "git");
  ASSERT_TRUE(folder);
  std::ofstream(folder->path() / "file") << "text";
  // Another process makes one and ends without a destructor.
  pid_t killed = ::fork();
  if (killed == 0) {
    auto left = WorkFolder::Create(parent_, "killed");
    ::_exit(left ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(killed, &status, 0), killed);
  ASSERT_EQ(status, 0);
  fs::create_directory(parent_ / "old");
  std::ofstream(parent_ / "file") << "no folder";
  WorkFolder::RemoveLeftovers(parent_);
  EXPECT_TRUE(fs::exists(folder->path() / "file"));
  EXPECT_TRUE(fs::exists(parent_ / "file"));
  EXPECT_EQ(std::distance(fs::directory_iterator(parent_), fs::directory_iterator()), 3);
}

}  // namespace
}  // namespace koya
