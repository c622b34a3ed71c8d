#include "archive/module_package.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "archive/archive_builder_fake.h"

namespace koya {
namespace {

// "PATH SIZE BYTES" a line.
std::string VisitedFiles(std::string_view bytes) {
  UniqueFd file = FileOf(bytes);
  auto inspection = InspectModule(file.get(), bytes.size(), {});
  if (!inspection) return inspection.error().message;
  std::string out;
  ModuleFileVisitor visitor{
      .wanted = [](std::string_view path) -> std::size_t { return path.ends_with(".tf") ? 4 : 0; },
      .take = [&](const std::string& path, std::uint64_t size,
                  const std::string& text) { out += fmt::format("{} {} {}\n", path, size, text); }};
  Status read = ReadModuleFiles(file.get(), bytes.size(), *inspection, {}, visitor);
  return read ? out : read.error().message;
}

TEST(ModuleFilesTest, GivesTheBeginningOfWhatIsWanted) {
  std::string expected = "main.tf 6 1234\nmodules/a/x.tf 2 ab\nnotes.txt 5 \n";
  for (std::string_view top : {"", "vpc-1.0.0/"}) {
    auto name = [&](std::string_view path) { return std::string(top) + std::string(path); };
    EXPECT_EQ(VisitedFiles(TarGz({{.name = name("main.tf"), .content = "123456"},
                                  {.name = name("modules/a/x.tf"), .content = "ab"},
                                  {.name = name("notes.txt"), .content = "notes"}})),
              expected);
    EXPECT_EQ(VisitedFiles(Zip({{.name = name("main.tf"), .content = "123456"},
                                {.name = name("modules/a/x.tf"), .content = "ab"},
                                {.name = name("notes.txt"), .content = "notes"}})),
              expected);
  }
}

TEST(ModuleFilesTest, LeavesOutWhatLiesBesideTheModule) {
  EXPECT_EQ(
      VisitedFiles(TarGz({{.name = "._v", .content = "x"}, {.name = "v/main.tf", .content = "x"}})),
      "main.tf 1 x\n");
}

TEST(ModuleFilesTest, TellsWhatCannotBeRead) {
  std::string bytes = TarGz({{.name = "main.tf", .content = std::string(100'000, 'x')}});
  UniqueFd file = FileOf(bytes);
  auto inspection = InspectModule(file.get(), bytes.size(), {});
  ASSERT_TRUE(inspection) << inspection.error().message;
  ModuleFileVisitor visitor{.wanted = [](std::string_view) { return std::size_t{1} << 20; },
                            .take = [](const std::string&, std::uint64_t, const std::string&) {}};
  ArchiveLimits limits{.unpacked_bytes = 1'000};
  EXPECT_FALSE(ReadModuleFiles(file.get(), bytes.size(), *inspection, limits, visitor));
  EXPECT_FALSE(ReadModuleFiles(file.get(), bytes.size() - 20, *inspection, {}, visitor));
}

}  // namespace
}  // namespace koya
