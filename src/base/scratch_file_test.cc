#include "base/scratch_file.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace koya {
namespace {

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
