#include "http/page_cache.h"

#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "base/temp_folder_fake.h"
#include "http/cold_file_fake.h"

namespace koya::http {
namespace {

constexpr std::size_t kSize = 3 << 20;

UniqueFd MakeFile(const std::string& path) {
  UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  std::string bytes(kSize, 'k');
  EXPECT_EQ(write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(kSize));
  return file;
}

TEST(PageCacheTest, TellsWhatWouldHaveToBeRead) {
  TempFolder folder;
  UniqueFd file = MakeFile(folder / "file");
  if (!MakeCold(file.get(), kSize)) GTEST_SKIP() << "skipped: this file system is in memory";
  // Asking lets the kernel begin to read, and a quick disk may be done before the answer.
  EXPECT_TRUE(!IsInMemory({file.get(), 0, kSize}) || PagesInMemory(file.get(), kSize) > 0);
  FileSlice middle{file.get(), 1 << 20, 1 << 20};
  BringIntoMemory(middle);
  EXPECT_TRUE(IsInMemory(middle));
  BringIntoMemory({file.get(), 0, kSize});
  EXPECT_TRUE(IsInMemory({file.get(), 0, kSize}));
}

TEST(PageCacheTest, WhatWasJustWrittenIsInMemory) {
  TempFolder folder;
  UniqueFd file = MakeFile(folder / "file");
  EXPECT_TRUE(IsInMemory({file.get(), 0, kSize}));
  EXPECT_TRUE(IsInMemory({file.get(), 100, 1}));
  EXPECT_TRUE(IsInMemory({file.get(), 100, 0}));
}

TEST(PageCacheTest, ACutFileEndsWhereItEnds) {
  TempFolder folder;
  UniqueFd file = MakeFile(folder / "file");
  ASSERT_EQ(ftruncate(file.get(), 10), 0);
  BringIntoMemory({file.get(), 0, kSize});
  EXPECT_TRUE(IsInMemory({file.get(), 0, kSize}));
}

}  // namespace
}  // namespace koya::http
