#include "http/server/page_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/temp_folder_fake.h"

namespace koya::http {
namespace {

// How many of the file's pages are in memory.
std::size_t PagesInMemory(int descriptor, std::size_t size) {
  std::vector<unsigned char> pages((size + 4095) / 4096);
  void* mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED || mincore(mapped, size, pages.data()) != 0) return pages.size();
  munmap(mapped, size);
  return static_cast<std::size_t>(
      std::ranges::count_if(pages, [](unsigned char page) { return (page & 1) != 0; }));
}

// Makes the kernel drop the file's pages. False where it keeps them, as file systems in memory do.
bool MakeCold(int descriptor, std::size_t size) {
  fsync(descriptor);
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
  return PagesInMemory(descriptor, size) == 0;
}

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
  ReadIntoMemory(middle);
  EXPECT_TRUE(IsInMemory(middle));
  ReadIntoMemory({file.get(), 0, kSize});
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
  ReadIntoMemory({file.get(), 0, kSize});
  EXPECT_TRUE(IsInMemory({file.get(), 0, kSize}));
}

}  // namespace
}  // namespace koya::http
