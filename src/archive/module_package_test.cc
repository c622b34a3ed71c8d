// The rules that hold for both kinds: names among each other, where the module lies, limits, and
// what a repack is.
#include "archive/module_package.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "archive/archive_builder_fake.h"
#include "archive/archive_oracle_fake.h"
#include "base/encoding.h"
#include "base/sha256.h"

namespace koya {
namespace {

// The same names as a tar and as a zip; a name that ends in "/" is a folder.
std::vector<std::string> BothKinds(const std::vector<std::string>& names) {
  std::vector<TarSpec> tar;
  std::vector<ZipSpec> zip;
  for (const std::string& name : names) {
    bool folder = name.ends_with('/');
    tar.push_back({.name = name, .content = folder ? "" : "x", .type = folder ? '5' : '0'});
    zip.push_back({.name = name,
                   .content = folder ? "" : "x",
                   .method = 0,
                   .mode = folder ? 040755U : 0100644U});
  }
  return {TarGz(tar), Zip(zip)};
}

struct Layout {
  std::vector<std::string> names;
  std::string_view expected;  // the top folder, or a part of the message
};

TEST(ModuleLayoutTest, FindsTheModule) {
  const std::vector<Layout> kRows = {
      {{"main.tf"}, ""},
      {{"a.tofu", "v/main.tf"}, ""},
      {{"README.md", "main.tf", "examples/x/main.tf"}, ""},
      {{"v/main.tf"}, "v"},
      {{"v/", "v/main.tf", "v/m/", "v/m/x.tf"}, "v"},
      {{"v/main.tf.json", "__MACOSX/", "__MACOSX/._v"}, "v"},
      {{"v/main.tf", "._v", ".DS_Store"}, "v"},
      {{"v/v/x.tf", "v/main.tf"}, "v"},
      {{"A/main.tf", "A/a.tf", "A/b/A.tf"}, "A"},
      {{"a.tf", "a.tf.json", "a/x.tf"}, ""},
      // Only submodules are modules.
      {{"README.md", "modules/one/main.tf"}, ""},
      {{"modules/one/main.tf"}, ""},
      {{"modules/a/b/main.tofu.json", "examples/x/main.tf"}, ""},
      {{"modules/main.tf", "modules/one/main.tf", "README.md"}, ""},
      {{"modules/one/main.tf", ".DS_Store"}, ""},
      {{"v/README.md", "v/modules/one/main.tf"}, "v"},
      {{"v/", "v/modules/", "v/modules/one/", "v/modules/one/main.tf", "__MACOSX/._v"}, "v"},
      {{"modules/modules/one/main.tf"}, ""},
      // A folder that is only called like that.
      {{"modules/main.tf"}, "modules"},
      {{"modules/main.tf", "modules/one/main.tf"}, "modules"},
      {{"a/x.tf", "a-b.tf", "a0.tf", "a b.tf", "ab/x"}, ""},
  };
  for (const Layout& row : kRows) {
    for (const std::string& bytes : BothKinds(row.names)) {
      auto inspection = InspectText(bytes);
      ASSERT_TRUE(inspection) << row.names[0] << ": " << inspection.error().message;
      EXPECT_EQ(inspection->top_folder, row.expected) << row.names[0];
      EXPECT_EQ(inspection->entries, row.names.size());
    }
  }
}

TEST(ModuleLayoutTest, RefusesNamesThatDoNotFitTogether) {
  const std::vector<Layout> kRows = {
      {{"README.md"}, "no .tf"},
      {{"main.TF"}, "no .tf"},
      {{".main.tf"}, "no .tf"},
      {{"main.tfvars", "main.tf.bak"}, "no .tf"},
      {{"v/README.md"}, "or in its folder \"v\""},
      {{"v/w/main.tf"}, "or in its folder \"v\""},
      {{"v/main.tf", "README.md"}, "no .tf"},
      {{"v/main.tf", "w/main.tf"}, "no .tf"},
      {{"v/main.tf", "w/"}, "no .tf"},
      {{"README.md", "modules/one/README.md"}, "nor in a folder below \"modules\""},
      {{"README.md", "modules/main.tf"}, "nor in a folder below \"modules\""},
      {{"README.md", "modules/one/.main.tf"}, "no .tf"},
      {{"README.md", "Modules/one/main.tf"}, "no .tf"},
      {{"README.md", "module/one/main.tf"}, "no .tf"},
      {{"README.md", "src/modules/one/main.tf", "src2/x"}, "no .tf"},
      {{"examples/one/main.tf", "README.md"}, "no .tf"},
      {{"v/w/modules/one/main.tf"}, "or in its folder \"v\", nor"},
      {{"v/modules/one/main.tf", "v/modules/main.tf"}, "no .tf"},
      {{"__MACOSX/main.tf"}, "no files"},
      {{"main.tf", "main.tf"}, "\"main.tf\" is in the archive twice"},
      {{"main.tf", "./main.tf"}, "twice"},
      {{"main.tf", "a/", "a/"}, "twice"},
      {{"main.tf", "Main.tf"}, "only in letter case"},
      {{"main.tf", "a/x", "a/X"}, "only in letter case"},
      {{"main.tf", "a/x", "A/y"}, "only in letter case"},
      {{"main.tf", "a/x", "A/"}, "only in letter case"},
      {{"main.tf", "a/b/x", "a/B/c/y"}, "only in letter case"},
      {{"main.tf", "ü.tf", "Ü.tf"}, "only in letter case"},
      {{"main.tf", "docs/\u017d.md", "docs/\u017e.md"}, "only in letter case"},
      {{"main.tf", "docs/caf\u00e9.md", "docs/cafe\u0301.md"}, "how a letter is composed"},
      {{"main.tf", "Ḁ/a.md", "ḁ/b.md"}, "only in letter case"},
      {{"main.tf", "docs/a:b.md"}, "cannot be written on Windows"},
      {{"main.tf", "examples/one /main.tf"}, "ends in a dot or a blank"},
      {{"main.tf", "docs/aux.md"}, "is the name of a device"},
      {{"main.tf", "a", "a/"}, "twice"},
      {{"main.tf", "a", "a/b"}, "is a file, and a folder too"},
      {{"main.tf", "a/b/c", "a/b"}, "is a file, and a folder too"},
      {{"main.tf", "a", "a-b", "a.b", "a/b/c"}, "is a file, and a folder too"},
      {{"main.tf", "A", "a/b"}, "only in letter case"},
  };
  for (const Layout& row : kRows) {
    for (const std::string& bytes : BothKinds(row.names)) {
      auto inspection = InspectText(bytes);
      ASSERT_FALSE(inspection) << row.names.back();
      EXPECT_EQ(inspection.error().kind, ErrorKind::kRefused);
      EXPECT_NE(inspection.error().message.find(row.expected), std::string::npos)
          << row.names.back() << ": " << inspection.error().message;
    }
  }
}

// ---- limits ----

void ExpectBomb(std::string_view bytes, const ArchiveLimits& limits, std::string_view part) {
  auto inspection = InspectText(bytes, limits);
  ASSERT_FALSE(inspection) << part;
  EXPECT_EQ(inspection.error().kind, ErrorKind::kRefused);
  EXPECT_NE(inspection.error().message.find(part), std::string::npos) << inspection.error().message;
}

TEST(ArchiveLimitsTest, RefusesBombs) {
  std::string zeros(3 << 20, '\0');
  ExpectBomb(TarGz({{.name = "main.tf", .content = zeros}}), {}, "200 times");
  ExpectBomb(Zip({{.name = "main.tf", .content = zeros}}), {}, "200 times");
  ExpectBomb(Gzip(std::string(3 << 20, '\0')), {}, "200 times");
  ArchiveLimits small{.unpacked_bytes = 2000, .ratio = 200, .entries = 3};
  std::string k(1500, 'x');
  ExpectBomb(TarGz({{.name = "a.tf", .content = k}, {.name = "b.tf", .content = k}}), small,
             "more than 2000 bytes");
  ExpectBomb(Zip({{.name = "a.tf", .content = k}, {.name = "b.tf", .content = k}}), small,
             "more than 2000 bytes");
  ExpectBomb(TarGz({{.name = "a.tf", .size = "00000010000"}}), small, "is 4096 bytes unpacked");
  ExpectBomb(Zip({{.name = "a.tf", .content = std::string(2001, 'x')}}), small, "is 2001 bytes");
  ArchiveLimits few{.unpacked_bytes = 1 << 20, .ratio = 200, .entries = 3};
  std::vector<std::string> names = {"a.tf", "b.tf", "c.tf"};
  for (const std::string& bytes : BothKinds(names)) EXPECT_TRUE(InspectText(bytes, few));
  names.emplace_back("d/");
  for (const std::string& bytes : BothKinds(names)) ExpectBomb(bytes, few, "more than 3 entries");
}

TEST(ArchiveLimitsTest, CountsHeadersThatStandForNoEntry) {
  std::vector<TarSpec> specs(5,
                             {.name = "g", .content = PaxRecordText("comment", "x"), .type = 'g'});
  specs.push_back({.name = "main.tf"});
  ExpectBomb(TarGz(specs), {.unpacked_bytes = 1 << 20, .ratio = 200, .entries = 3}, "3 entries");
}

TEST(ArchiveLimitsTest, ASmallFileMayPackWell) {
  std::string zeros(1000 << 10, '\0');
  EXPECT_TRUE(InspectText(TarGz({{.name = "main.tf", .content = zeros}})));
  EXPECT_TRUE(InspectText(Zip({{.name = "main.tf", .content = zeros}})));
}

// Long names that differ at their ends only: the worst case for comparing them.
TEST(ArchiveLimitsTest, ManyDeepNamesAreJudgedInTime) {
  std::string deep;
  while (deep.size() < 900) deep += "d/";
  std::vector<ZipSpec> specs;
  for (int i = 0; i < 10'000; ++i) specs.push_back({.name = deep + std::to_string(i), .method = 0});
  specs.push_back({.name = "main.tf", .method = 0});
  // Steps in the square of the names' depth would not end before the test program's time does.
  auto inspection = InspectText(Zip(specs));
  EXPECT_TRUE(inspection) << inspection.error().message;
}

TEST(ArchiveReadTest, AFileShorterThanStatedIsNobodysFault) {
  std::string bytes = TarGz({{.name = "main.tf"}});
  UniqueFd file = FileOf(bytes);
  auto inspection = InspectModule(file.get(), bytes.size() + 1, {});
  ASSERT_FALSE(inspection);
  EXPECT_EQ(inspection.error().kind, ErrorKind::kInternal);
  auto closed = InspectModule(-1, bytes.size(), {});
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().kind, ErrorKind::kInternal);
}

TEST(ArchiveReadTest, TheFileOffsetDoesNotMatter) {
  std::string bytes = TarGz({{.name = "main.tf"}});
  UniqueFd file = FileOf(bytes);
  ASSERT_EQ(::lseek(file.get(), 7, SEEK_SET), 7);
  EXPECT_TRUE(InspectModule(file.get(), bytes.size(), {}));
  EXPECT_EQ(::lseek(file.get(), 0, SEEK_CUR), 7);
}

// ---- repacking ----

TEST(RepackTest, TheSameContentGivesTheSameBytes) {
  std::string wanted = RepackText(TarGz(
      {{.name = "main.tf", .content = "a"}, {.name = "m/x.tf", .content = "bc", .mode = "755"}}));
  const std::vector<std::string> kSame = {
      TarGz({{.name = "./m/x.tf", .content = "bc", .mode = "0104711"},
             {.name = "./main.tf", .content = "a"}}),
      TarGz({{.name = "v/", .type = '5'},
             {.name = "v/m/", .type = '5'},
             {.name = "v/m/x.tf", .content = "bc", .mode = "0000700"},
             {.name = "v/main.tf", .content = "a", .mode = "0000600"}}),
      Zip({{.name = "m/x.tf", .content = "bc", .mode = 0100755},
           {.name = "main.tf", .content = "a"}}),
      Zip({{.name = "__MACOSX/._v", .content = "noise"},
           {.name = "v/main.tf", .content = "a", .descriptor = true},
           {.name = "v/m/x.tf", .content = "bc", .method = 0, .mode = 0100755}}),
      wanted,
  };
  for (const std::string& bytes : kSame) EXPECT_EQ(RepackText(bytes), wanted);
}

// Published archives must be found again by their digests: the bytes may not drift.
TEST(RepackTest, TheBytesAreFixed) {
  std::string repack = RepackText(Zip(
      {{.name = "v/main.tf", .content = "module \"x\" {}\n"},
       {.name = "v/" + std::string(120, 'd') + "/" + std::string(120, 'e'), .content = "long"}}));
  EXPECT_EQ(HexEncode(Sha256(repack)),
            "a06fb407385f1e0f225fd21e342d4faa63fc715b64f2b3a7fe3f3b3a9a89f8b4");
  EXPECT_EQ(repack.substr(0, 10), std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10));
}

TEST(RepackTest, SortsBytewiseAndKeepsContent) {
  std::string repack = RepackText(Zip({{.name = "b.tf", .content = "b"},
                                       {.name = "a/z.tf", .content = "az"},
                                       {.name = "a.tf", .content = "a"},
                                       {.name = "a-b", .content = "a-b"},
                                       {.name = "B.md", .content = "B"},
                                       {.name = "ü", .content = "ü"}}));
  EXPECT_EQ(LibarchiveNames(repack), "B.md\na-b\na.tf\na/z.tf\nb.tf\nü\n");
}

TEST(RepackTest, KeepsLongNames) {
  std::string joined;
  std::vector<std::string> names = {
      "main.tf",
      std::string(100, 'n'),
      std::string(101, 'o'),
      std::string(155, 'p') + "/" + std::string(100, 'q'),
      std::string(156, 'r') + "/s",
      std::string(255, 't') + "/" + std::string(255, 'u') + "/" + std::string(255, 'v') + "/w",
  };
  for (const std::string& name : names) joined += name + "\n";
  for (const std::string& bytes : {RepackText(BothKinds(names)[1])}) {
    EXPECT_EQ(LibarchiveNames(bytes), joined);
    EXPECT_EQ(RepackText(bytes), bytes);
  }
}

// More than one pass can hold, in the worst order, with files larger than the buffer between.
TEST(RepackTest, AnArchiveOfAnySizeAndOrderIsRepacked) {
  std::vector<TarSpec> specs;
  for (int i = 0; i < 12; ++i) {
    std::string name = std::string(1, static_cast<char>('a' + (i * 7) % 12)) + ".tf";
    std::size_t size = i == 5 ? 33 << 20 : i % 2 == 0 ? 1 << 20 : 100;
    specs.push_back({.name = name, .content = std::string(size, static_cast<char>('0' + i))});
  }
  ArchiveLimits limits{.unpacked_bytes = 1 << 30, .ratio = 100'000, .entries = 100};
  std::string unsorted = RepackText(TarGz(specs), limits);
  std::ranges::sort(specs, {}, &TarSpec::name);
  EXPECT_TRUE(unsorted == RepackText(TarGz(specs), limits));
}

TEST(RepackTest, HandsOnWhatTheSinkFailsWith) {
  for (const std::string& bytes : BothKinds({"v/main.tf"})) {
    UniqueFd file = FileOf(bytes);
    auto inspection = InspectModule(file.get(), bytes.size(), {});
    ASSERT_TRUE(inspection);
    ByteSink full = [](std::span<const std::byte>) -> Status {
      return Fail(ErrorKind::kStorageFull, "full");
    };
    Status status = RepackModule(file.get(), bytes.size(), *inspection, {}, full);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::kStorageFull);
  }
}

}  // namespace
}  // namespace koya
