// Module archives of kind .zip: which are accepted, which are rejected, and why.
#include <gtest/gtest.h>

#include "archive/archive_builder_fake.h"
#include "archive/archive_oracle_fake.h"

namespace koya {
namespace {

ZipSpec MainZip() { return {.name = "main.tf", .content = "module"}; }
ZipSpec FolderZip(std::string name) {
  return {.name = std::move(name), .method = 0, .mode = 040755, .dos_attributes = 0x10};
}

struct AcceptedZip {
  std::string_view what;
  std::string bytes;
  std::string top_folder{};
};

std::vector<AcceptedZip> AcceptedZips() {
  return {
      {"one file", Zip({MainZip()})},
      {"stored", Zip({{.name = "main.tf", .content = "module", .method = 0}})},
      {"an empty file", Zip({{.name = "main.tf", .method = 0}})},
      {"an empty file, deflated", Zip({{.name = "main.tf"}})},
      {"folder entries", Zip({FolderZip("a/"), MainZip(), {.name = "a/x.tf", .content = "x"}})},
      {"folder without a mode",
       Zip({{.name = "a/", .method = 0, .system = 0, .mode = 0}, MainZip()})},
      {"made on Windows", Zip({{.name = "main.tf", .content = "x", .system = 0, .mode = 0}})},
      {"made on macOS", Zip({{.name = "main.tf", .content = "x", .system = 19}})},
      {"streamed, with descriptors",
       Zip({{.name = "main.tf", .content = "x", .descriptor = true},
            {.name = "m/x.tf", .content = "yy", .descriptor = true}})},
      {"marked as UTF-8", Zip({MainZip(), {.name = "ü.tf", .content = "x", .flags = 1U << 11}})},
      {"UTF-8 without the mark", Zip({MainZip(), {.name = "ü.tf", .content = "x"}})},
      {"leading ./", Zip({{.name = "./main.tf", .content = "x"}})},
      {"a comment", Zip({MainZip()}, {.comment = "made by hand"})},
      {"zip64 end record", Zip({MainZip()}, {.zip64_end = true})},
      {"unknown extra field", Zip({{.name = "main.tf",
                                    .content = "x",
                                    .central_extra = std::string("\x55\x54\1\0\1", 5)}})},
      {"names in any order",
       Zip({{.name = "z.tf", .content = "z"}, {.name = "a.tf", .content = "a"}})},
      {"single top folder", Zip({FolderZip("v/"), {.name = "v/main.tf", .content = "x"}}), "v"},
      {"top folder beside __MACOSX",
       Zip({{.name = "v/main.tf", .content = "x"},
            {.name = "__MACOSX/v/._main.tf", .content = "y"}}),
       "v"},
      {"module at the root beside __MACOSX",
       Zip({MainZip(), FolderZip("__MACOSX/"), {.name = "__MACOSX/._main.tf", .content = "y"}})},
      {"module at the root beside folders",
       Zip({MainZip(), {.name = "v/main.tf", .content = "x"}})},
  };
}

TEST(ZipInspectionTest, AcceptsWhatEveryClientUnpacks) {
  for (const AcceptedZip& row : AcceptedZips()) {
    auto inspection = InspectText(row.bytes);
    ASSERT_TRUE(inspection) << row.what << ": " << inspection.error().message;
    EXPECT_EQ(inspection->kind, ArchiveKind::kZip) << row.what;
    EXPECT_EQ(inspection->top_folder, row.top_folder) << row.what;
    EXPECT_TRUE(LibzipNames(row.bytes)) << row.what << " is refused by libzip";
    std::string repack = RepackText(row.bytes);
    EXPECT_TRUE(LibarchiveNames(repack)) << row.what;
    EXPECT_EQ(RepackText(repack), repack) << row.what;
  }
}

struct RefusedZip {
  std::string_view what;
  std::string bytes;
  std::string_view message_part;
};

std::vector<RefusedZip> ZipRefusedForms() {
  std::string zip = Zip({MainZip(), {.name = "x.tf", .content = "xx"}});
  std::string commented = Zip({MainZip()}, {.comment = "abc"});
  std::string swapped = zip;
  swapped.replace(zip.find("main.tf"), 7, "mein.tf");
  return {
      {"an empty zip", Zip({}), "empty"},
      {"folders only", Zip({FolderZip("a/")}), "no files"},
      {"cut in the middle", zip.substr(0, zip.size() / 2), "cut off"},
      {"without its last byte", zip.substr(0, zip.size() - 1), "cut off"},
      {"without its end record", zip.substr(0, zip.size() - 22), "cut off"},
      {"bytes after the end", zip + "x", "cut off"},
      {"a cut comment", commented.substr(0, commented.size() - 1), "cut off"},
      {"an end record in the comment",
       Zip({MainZip()}, {.comment = "PK\5\6" + std::string(18, '\1')}), "cut off"},
      {"data in front", Zip({MainZip()}, {.before = "#!/bin/sh\n"}), "neither"},
      {"a zip in front of a zip", Zip({MainZip()}) + zip, "before its zip"},
      {"a shifted zip", Zip({MainZip()}, {.before = "PK\3\4 and more", .shift_offsets = false}),
       "before its zip"},
      {"an entry no directory names", Zip({MainZip()}, {.before = LocalHeader(MainZip(), "", 0)}),
       "before its first entry"},
      {"more entries announced", Zip({MainZip()}, {.extra_entries = 1}), "malformed"},
      {"fewer entries announced", Zip({MainZip(), FolderZip("a/")}, {.extra_entries = -1}),
       "malformed"},
      {"names that differ", swapped, "contradicts"},
      {"a program", "MZ\x90", "self-extracting"},
      {"a part of several", "PK\7\x8PK\3\4", "several parts"},
  };
}

std::vector<RefusedZip> ZipRefusedEntries() {
  auto with = [](ZipSpec spec) { return Zip({MainZip(), std::move(spec)}); };
  ZipSpec x{.name = "x", .content = "0123456789"};
  auto changed = [&](auto change) {
    ZipSpec spec = x;
    change(spec);
    return with(std::move(spec));
  };
  return {
      {"encrypted", changed([](ZipSpec& s) { s.flags = 1; }), "\"x\" is encrypted"},
      {"strongly encrypted", changed([](ZipSpec& s) { s.flags = 0x41; }), "encrypted"},
      {"masked headers", changed([](ZipSpec& s) { s.flags = 1U << 13; }), "encrypted"},
      {"AES", changed([](ZipSpec& s) { s.method = 99; }), "encrypted"},
      {"bzip2 inside", changed([](ZipSpec& s) { s.method = 12; }), "method 12"},
      {"zstd inside", changed([](ZipSpec& s) { s.method = 93; }), "method 93"},
      {"deflate64 inside", changed([](ZipSpec& s) { s.method = 9; }), "method 9"},
      {"symbolic link", with({.name = "l", .content = "main.tf", .method = 0, .mode = 0120777}),
       "\"l\" is a symbolic link"},
      {"symbolic link from an unknown system",
       with({.name = "l", .content = "main.tf", .system = 0, .mode = 0120777}), "symbolic link"},
      {"device", with({.name = "d", .mode = 020644}), "device"},
      {"pipe", with({.name = "p", .mode = 010644}), "pipe"},
      {"socket", with({.name = "s", .mode = 0140644}), "socket"},
      {"folder without /", with({.name = "a", .mode = 040755}), "without \"/\""},
      {"DOS folder without /", with({.name = "a", .system = 0, .mode = 0, .dos_attributes = 0x10}),
       "without \"/\""},
      {"folder with content", with({.name = "a/", .content = "x", .mode = 040755}), "with content"},
      {"a file named ./", with({.name = "."}), "root folder"},
      {"absolute", with({.name = "/x"}), "absolute"},
      {"parent", with({.name = "../x"}), "\"..\""},
      {"backslash", with({.name = "..\\x"}), "backslash"},
      {"drive letter", with({.name = "C:x"}), "drive letter"},
      {"NUL", with({.name = std::string("a\0.tf", 5)}), "control character"},
      {"newline", with({.name = "a\nb"}), "control character"},
      {"not UTF-8", with({.name = "caf\xe9"}), "UTF-8"},
      {"no name", with({.name = ""}), "without a name"},
      {"too long", with({.name = std::string(1025, 'a')}), "at most 1024"},
      {"wrong CRC", changed([](ZipSpec& s) { s.crc_lie = 1; }), "CRC"},
      {"other name in the local header", changed([](ZipSpec& s) { s.local_name = "y"; }),
       "contradicts"},
      {"other size in the local header", changed([](ZipSpec& s) { s.local_size_lie = 1; }),
       "contradicts"},
      {"unpacks to more than announced",
       changed([](ZipSpec& s) { s.local_size_lie = s.central_size_lie = -3; }), "more than it"},
      {"unpacks to less than announced",
       changed([](ZipSpec& s) { s.local_size_lie = s.central_size_lie = 3; }), "not of the size"},
      {"stored with two sizes", changed([](ZipSpec& s) { s.method = 0, s.central_size_lie = 3; }),
       "contradict each other"},
      {"broken deflate", changed([](ZipSpec& s) { s.packed = "\xff\xff\xff\xff"; }), "broken"},
      {"deflate without its end",
       changed([](ZipSpec& s) { s.packed = Deflate(s.content, -15).substr(0, 5); }), "broken"},
      {"bytes after the deflate",
       changed([](ZipSpec& s) { s.packed = Deflate(s.content, -15) + "z"; }), "not of the size"},
      {"bytes between entries", Zip({{.name = "x", .content = "1", .gap = "hidden"}, MainZip()}),
       "belongs to no entry"},
      {"bytes after the last entry", changed([](ZipSpec& s) { s.gap = "hidden"; }),
       "belongs to no entry"},
  };
}

void ExpectRefused(const std::vector<RefusedZip>& rows) {
  for (const RefusedZip& row : rows) {
    auto inspection = InspectText(row.bytes);
    ASSERT_FALSE(inspection) << row.what;
    EXPECT_EQ(inspection.error().kind, ErrorKind::kRefused) << row.what;
    EXPECT_NE(inspection.error().message.find(row.message_part), std::string::npos)
        << row.what << ": " << inspection.error().message;
  }
}

TEST(ZipInspectionTest, RefusesOtherAndDamagedForms) { ExpectRefused(ZipRefusedForms()); }
TEST(ZipInspectionTest, RefusesEntriesThatClientsTreatDifferently) {
  ExpectRefused(ZipRefusedEntries());
}

// Writes `value` over the 32 bits at `offset` of the central record that names `name`.
std::string WithCentralField(std::string zip, std::string_view name, std::size_t offset,
                             std::uint32_t value) {
  std::string bytes;
  PutNumber(bytes, value, 4);
  std::size_t record = zip.rfind("PK\1\2", zip.rfind(name));
  return zip.replace(record + offset, 4, bytes);
}

TEST(ZipInspectionTest, RefusesEntriesThatShareData) {
  std::string zip = Zip({MainZip(), {.name = "x.tf", .content = "xx"}});
  auto overlapping = InspectText(WithCentralField(zip, "x.tf", 42, 0));
  ASSERT_FALSE(overlapping);
  EXPECT_NE(overlapping.error().message.find("shares its data"), std::string::npos)
      << overlapping.error().message;
  EXPECT_FALSE(InspectText(WithCentralField(zip, "x.tf", 42, 1 << 30)));
  EXPECT_FALSE(InspectText(WithCentralField(zip, "x.tf", 42, 0xFFFFFFFF)));
}

TEST(ZipInspectionTest, ReadsZip64SizesAndRefusesMissingOnes) {
  auto inspection = InspectText(Zip({{.name = "main.tf", .content = "module", .zip64 = true}}));
  ASSERT_TRUE(inspection) << inspection.error().message;
  EXPECT_EQ(inspection->unpacked_bytes, 6U);
  EXPECT_FALSE(InspectText(WithCentralField(Zip({MainZip()}), "main.tf", 24, 0xFFFFFFFF)));
}

TEST(ZipInspectionTest, RefusesEveryPrefixOfAnArchive) {
  std::string whole = Zip({MainZip(), {.name = "m/x.tf", .content = std::string(700, 'y')}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(InspectText(whole.substr(0, size))) << size;
  }
}

// No single changed byte may bring the reader down or unpack other content unnoticed.
TEST(ZipInspectionTest, SurvivesEveryChangedByte) {
  std::string whole = Zip({MainZip(), {.name = "m/x.tf", .content = "y", .descriptor = true}});
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (char change : {'\x01', '\x20', '\x80', '\xff'}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ change);
      auto inspection = InspectText(changed);
      if (inspection) {
        EXPECT_EQ(inspection->unpacked_bytes, 7U) << at;
      }
    }
  }
}

}  // namespace
}  // namespace koya
