#include "base/file_io.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

namespace koya {
namespace {

TEST(FileIoTest, ATemporaryFileHasNoName) {
  std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "file-io";
  std::filesystem::create_directories(folder);
  auto file = MakeTemporaryFile(folder);
  ASSERT_TRUE(file);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  EXPECT_EQ(MakeTemporaryFile(folder / "none").error(), ENOENT);
}

TEST(FileIoTest, WhatIsWrittenIsRead) {
  auto file = MakeTemporaryFile(::testing::TempDir());
  ASSERT_TRUE(file);
  std::string text = "0123456789";
  EXPECT_EQ(WriteAll(file->get(), std::as_bytes(std::span(text))), 0);
  EXPECT_EQ(WriteAll(file->get(), std::as_bytes(std::span(text).first(2)), 4), 0);
  std::array<std::byte, 20> buffer{};
  EXPECT_EQ(ReadSome(file->get(), buffer, 3), 7U);
  EXPECT_EQ(static_cast<char>(buffer[0]), '3');
  EXPECT_EQ(static_cast<char>(buffer[1]), '0');
  EXPECT_EQ(ReadSome(file->get(), buffer, 10), 0U);
  EXPECT_EQ(ReadSome(file->get(), buffer), 0U);  // its own offset is at the end
}

TEST(FileIoTest, FailuresAreErrnoValues) {
  std::array<std::byte, 1> byte{};
  EXPECT_EQ(WriteAll(-1, byte), EBADF);
  EXPECT_EQ(WriteAll(-1, byte, 0), EBADF);
  EXPECT_EQ(ReadSome(-1, byte).error(), EBADF);
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  UniqueFd reading(pipe[0]);
  UniqueFd writing(pipe[1]);
  EXPECT_EQ(WriteAll(writing.get(), byte, 0), ESPIPE);
}

TEST(ScratchFileTest, GivesBackWhatItTook) {
  auto file = ScratchFile::Create(std::filesystem::temp_directory_path());
  ASSERT_TRUE(file) << file.error().detail;
  ASSERT_TRUE(file->Append(std::as_bytes(std::span(std::string_view("hello ")))));
  ASSERT_TRUE(file->Append(std::as_bytes(std::span(std::string_view("world")))));
  std::string text(20, '\0');
  auto got = file->ReadAt(6, std::as_writable_bytes(std::span(text)));
  ASSERT_TRUE(got);
  EXPECT_EQ(text.substr(0, *got), "world");
  EXPECT_EQ(*file->ReadAt(11, std::as_writable_bytes(std::span(text))), 0U);
}

TEST(ScratchFileTest, AFolderThatIsNotThereIsAnError) {
  EXPECT_FALSE(ScratchFile::Create("/nonexistent/koya"));
}

}  // namespace

}  // namespace koya
