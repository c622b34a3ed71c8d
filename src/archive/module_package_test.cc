#include "archive/module_package.h"

#include <gtest/gtest.h>

#include "archive/archive_builder_fake.h"

namespace koya {
namespace {

Result<ModuleInspection> Inspect(std::string_view bytes, const ArchiveLimits& limits = {}) {
  UniqueFd file = FileOf(bytes);
  return InspectModule(file.get(), bytes.size(), limits);
}

Result<std::string> Repack(std::string_view bytes) {
  UniqueFd file = FileOf(bytes);
  ASSIGN_OR_RETURN(ModuleInspection inspection, InspectModule(file.get(), bytes.size(), {}));
  std::string out;
  ByteSink sink = [&](std::span<const std::byte> part) -> Status {
    out.append(reinterpret_cast<const char*>(part.data()), part.size());
    return {};
  };
  RETURN_IF_ERROR(RepackModule(file.get(), bytes.size(), inspection, {}, sink));
  return out;
}

TEST(ModulePackageTest, InspectsBothKinds) {
  auto tar =
      Inspect(TarGz({{.name = "main.tf", .content = "a"}, {.name = "m/x.tf", .content = "bc"}}));
  ASSERT_TRUE(tar) << tar.error().message;
  EXPECT_EQ(tar->kind, ArchiveKind::kTarGz);
  EXPECT_EQ(tar->entries, 2U);
  EXPECT_EQ(tar->unpacked_bytes, 3U);
  auto zip =
      Inspect(Zip({{.name = "main.tf", .content = "a"}, {.name = "m/x.tf", .content = "bc"}}));
  ASSERT_TRUE(zip) << zip.error().message;
  EXPECT_EQ(zip->kind, ArchiveKind::kZip);
  EXPECT_EQ(zip->top_folder, "");
}

TEST(ModulePackageTest, TheSameContentGivesTheSameBytes) {
  auto a =
      Repack(TarGz({{.name = "t/main.tf", .content = "a"}, {.name = "t/m/x.tf", .content = "bc"}}));
  auto b = Repack(
      TarGz({{.name = "./t/m/x.tf", .content = "bc"}, {.name = "t/main.tf", .content = "a"}}));
  auto c =
      Repack(Zip({{.name = "u/main.tf", .content = "a"}, {.name = "u/m/x.tf", .content = "bc"}}));
  auto d = Repack(Zip({{.name = "m/x.tf", .content = "bc"}, {.name = "main.tf", .content = "a"}}));
  ASSERT_TRUE(a && b && c && d);
  EXPECT_EQ(*a, *b);
  EXPECT_EQ(*a, *c);
  EXPECT_EQ(*a, *d);
  EXPECT_EQ(*Repack(*a), *a);
}

}  // namespace
}  // namespace koya
