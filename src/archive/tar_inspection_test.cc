// Module archives of kind .tar.gz: which are accepted, which are rejected, and why.
#include <gtest/gtest.h>

#include "archive/archive_builder_fake.h"
#include "archive/archive_oracle_fake.h"
#include "archive/deflate.h"

namespace koya {
namespace {

const std::string kGnuMagic("ustar  \0", 8);

// A gzip whose header has the parts that `flags` announces, each longer than what a reader sees at
// once.
std::string GzipWithHeader(char flags, std::string_view content) {
  std::string header = Gzip(content);
  const std::string rest = header.substr(10);
  header.resize(10);
  header[3] = flags;
  if ((flags & 4) != 0) header += "\x10\x27" + std::string(10'000, 'e');
  if ((flags & 8) != 0) header += std::string(70'000, 'n') + '\0';
  if ((flags & 16) != 0) header += std::string(3'000, 'c') + '\0';
  if ((flags & 2) != 0)
    PutNumber(header, UpdateCrc(0, std::as_bytes(std::span(header))) & 0xFFFF, 2);
  return header + rest;
}

TarSpec MainTar() { return {.name = "main.tf", .content = "module"}; }
TarSpec Pax(std::string records, char type = 'x') {
  return {.name = "pax", .content = std::move(records), .type = type};
}
TarSpec LongName(std::string name) {
  return {
      .name = "././@LongLink", .content = std::move(name) + '\0', .type = 'L', .magic = kGnuMagic};
}
TarSpec FolderTar(std::string name) {
  return {.name = std::move(name), .type = '5', .mode = "0000755"};
}

struct AcceptedTar {
  std::string_view what;
  std::string bytes;
  std::string top_folder{};
};

std::vector<AcceptedTar> AcceptedTars() {
  std::string halves = Tar({MainTar()});
  std::string deep = std::string(120, 'd') + "/" + std::string(90, 'e') + "/x.tf";
  return {
      {"one file", TarGz({MainTar()})},
      {"leading ./ and a root entry", TarGz({FolderTar("./"), {.name = "./main.tf"}})},
      {"a root entry named .", TarGz({FolderTar("."), MainTar()})},
      {"folders with and without /", TarGz({FolderTar("a/"), FolderTar("b"), MainTar()})},
      {"a file before its folder", TarGz({{.name = "a/x.tf"}, FolderTar("a/"), MainTar()})},
      {"an old tar without magic", TarGz({{.name = "main.tf", .type = '\0', .magic = ""}})},
      {"an old folder", TarGz({{.name = "a/", .type = '\0', .magic = ""}, MainTar()})},
      {"GNU magic", TarGz({{.name = "main.tf", .magic = kGnuMagic}})},
      {"contiguous file", TarGz({{.name = "main.tf", .type = '7'}})},
      {"git archive's global header",
       TarGz({Pax(PaxRecordText("comment", "c0ffee"), 'g'), MainTar()})},
      {"pax times and owners",
       TarGz({Pax(PaxRecordText("mtime", "1.5") + PaxRecordText("uname", "anna")), MainTar()})},
      {"pax name", TarGz({Pax(PaxRecordText("path", deep)), {.name = "short"}, MainTar()})},
      {"pax size", TarGz({Pax(PaxRecordText("size", "6")), MainTar()})},
      {"GNU long name", TarGz({LongName(deep), {.name = "ddd", .magic = kGnuMagic}, MainTar()})},
      {"ustar prefix", TarGz({{.name = "x.tf", .prefix = std::string(120, 'p')}, MainTar()})},
      {"base-256 size", TarGz({{.name = "main.tf",
                                .content = "abc",
                                .size = std::string("\x80\0\0\0\0\0\0\0\0\0\0\3", 12)}})},
      {"size with spaces", TarGz({{.name = "main.tf", .content = "abc", .size = "         3 \0"}})},
      {"set-uid bits", TarGz({{.name = "main.tf", .mode = "0006755"}})},
      {"padding after the end", Gzip(Tar({MainTar()}) + std::string(9216, '\0'))},
      {"several gzip members", Gzip(halves.substr(0, 700)) + Gzip("") + Gzip(halves.substr(700))},
      {"a gzip header with every part", GzipWithHeader('\x1F', halves)},
      {"names outside ASCII", TarGz({MainTar(), {.name = "ü/日本.txt"}})},
      {".tofu", TarGz({{.name = "main.tofu"}})},
      {".tf.json", TarGz({{.name = "main.tf.json"}})},
      {".tofu.json", TarGz({{.name = "main.tofu.json"}})},
      {"single top folder", TarGz({FolderTar("vpc-1.2.3/"), {.name = "vpc-1.2.3/main.tf"}}),
       "vpc-1.2.3"},
      {"top folder without an entry", TarGz({{.name = "v/m/x.tf"}, {.name = "v/main.tf"}}), "v"},
      {"top folder beside macOS noise",
       TarGz({{.name = "._v"}, {.name = "v/main.tf"}, {.name = ".DS_Store"}}), "v"},
  };
}

TEST(TarInspectionTest, AcceptsWhatEveryClientUnpacks) {
  for (const AcceptedTar& row : AcceptedTars()) {
    auto inspection = InspectText(row.bytes);
    ASSERT_TRUE(inspection) << row.what << ": " << inspection.error().message;
    EXPECT_EQ(inspection->kind, ArchiveKind::kTarGz) << row.what;
    EXPECT_EQ(inspection->top_folder, row.top_folder) << row.what;
    EXPECT_TRUE(LibarchiveNames(row.bytes)) << row.what << " is refused by libarchive";
  }
}

TEST(TarInspectionTest, RepacksOfAllAreReadByOthersAndStable) {
  for (const AcceptedTar& row : AcceptedTars()) {
    std::string repack = RepackText(row.bytes);
    EXPECT_TRUE(LibarchiveNames(repack)) << row.what;
    EXPECT_EQ(RepackText(repack), repack) << row.what;
  }
}

struct RefusedTar {
  std::string_view what;
  std::string bytes;
  std::string_view message_part;
};

std::vector<RefusedTar> TarRefusedForms() {
  std::string tar = Tar({MainTar()});
  std::string gz = Gzip(tar);
  std::string flipped = gz;
  flipped[gz.size() - 6] ^= 1;  // the CRC
  std::string other_size = gz;
  other_size[gz.size() - 1] ^= 1;
  std::string other_method = gz;
  other_method[2] = 9;
  std::string other_header = GzipWithHeader('\x1F', tar);
  other_header[40] ^= 1;
  return {
      {"nothing", "", "no bytes"},
      {"text", "resource \"x\" \"y\" {}\n", "neither a .tar.gz nor a .zip"},
      {"a bare tar", tar, "a tar without gzip"},
      {"bzip2", "BZh91AY&SY", "bzip2"},
      {"xz",
       std::string("\xFD"
                   "7zXZ\0\0\4",
                   8),
       "xz"},
      {"zstd", "\x28\xB5\x2F\xFD\x24", "zstd"},
      {"7z", "7z\xBC\xAF\x27\x1C", "7z"},
      {"rar", "Rar!\x1A\x07\x01", "rar"},
      {"a web page", "<!DOCTYPE html><html>", "HTML"},
      {"one byte of gzip", "\x1F", "neither"},
      {"gzip magic alone", "\x1F\x8B", "cut off"},
      {"gzip of nothing", Gzip(""), "cut off"},
      {"gzip of text", Gzip(std::string(2000, 'x')), "has no valid tar"},
      {"gzip of a zip",
       Gzip(Zip({{.name = "main.tf", .content = std::string(600, 'x'), .method = 0}})),
       "has no valid tar"},
      {"gzip of zeros", Gzip(std::string(10240, '\0')), "empty"},
      {"gzip of half a block", Gzip(tar.substr(0, 200)), "cut off"},
      {"gzip cut in the middle", gz.substr(0, gz.size() / 2), "cut off"},
      {"gzip without its last byte", gz.substr(0, gz.size() - 1), "cut off"},
      {"gzip with a wrong CRC", flipped, "damaged"},
      {"gzip with a wrong size", other_size, "damaged"},
      {"gzip without most of its trailer", gz.substr(0, gz.size() - 7), "cut off"},
      {"gzip packed by another method", other_method, "damaged"},
      {"a gzip header with an unknown flag", GzipWithHeader('\x20', tar), "damaged"},
      {"a gzip header with a wrong CRC", other_header, "damaged"},
      {"a gzip header that is cut off", other_header.substr(0, 2000), "cut off"},
      {"text after the gzip", gz + "tail", "after its gzip"},
      {"zeros after the gzip", gz + std::string(512, '\0'), "after its gzip"},
      {"one byte after the gzip", gz + "\x1F", "after its gzip"},
      {"a broken second member", gz + "\x1F\x8Bxx", "gzip data is broken"},
      {"no end marker", Gzip(TarEntry(MainTar())), "end marker"},
      {"half an end marker", Gzip(TarEntry(MainTar()) + std::string(512, '\0')), "end marker"},
      {"cut in the content",
       Gzip(TarEntry({.name = "main.tf", .content = std::string(900, 'x')}).substr(0, 1000)),
       "end marker"},
      {"cut in the padding", Gzip(TarEntry({.name = "main.tf", .content = "abc", .pad = false})),
       "end marker"},
      {"an entry after a zero block", Gzip(std::string(512, '\0') + tar), "end marker"},
      {"two tars in a row", Gzip(tar + tar), "after its tar"},
      {"data after the end", Gzip(tar + "x"), "after its tar"},
      {"wrong checksum", TarGz({{.name = "main.tf", .bad_checksum = true}}), "checksum"},
      {"no files", TarGz({FolderTar("a/")}), "no files"},
      {"an empty tar", Gzip(TarEnd()), "empty"},
  };
}

std::vector<RefusedTar> TarRefusedEntries() {
  auto with = [](TarSpec spec) { return TarGz({MainTar(), std::move(spec)}); };
  return {
      {"symbolic link", with({.name = "l", .type = '2', .link = "main.tf"}), "\"l\" is a symbolic"},
      {"link with a long target",
       TarGz({MainTar(),
              {.name = "x", .content = std::string(200, 't'), .type = 'K'},
              {.name = "l", .type = '2', .link = "t"}}),
       "\"l\" is a symbolic"},
      {"hard link", with({.name = "l", .type = '1', .link = "main.tf"}), "hard link"},
      {"character device", with({.name = "null", .type = '3'}), "device"},
      {"block device", with({.name = "sda", .type = '4'}), "device"},
      {"named pipe", with({.name = "p", .type = '6'}), "named pipe"},
      {"GNU sparse file", with({.name = "s", .type = 'S', .magic = kGnuMagic}), "sparse"},
      {"pax sparse file",
       TarGz({MainTar(), Pax(PaxRecordText("GNU.sparse.major", "1")), {.name = "s"}}), "sparse"},
      {"volume label", with({.name = "v", .type = 'V'}), "neither a file nor a folder"},
      {"multi-volume part", with({.name = "v", .type = 'M'}), "neither a file nor a folder"},
      {"unknown type", with({.name = "v", .type = 'Z'}), "neither a file nor a folder"},
      {"absolute", with({.name = "/etc/x"}), "absolute"},
      {"parent", with({.name = "../x"}), "\"..\""},
      {"parent in the prefix", with({.name = "x", .prefix = ".."}), "\"..\""},
      {"parent in pax", TarGz({MainTar(), Pax(PaxRecordText("path", "a/../../x")), {.name = "x"}}),
       "\"..\""},
      {"parent in a long name", TarGz({MainTar(), LongName("../x"), {.name = "x"}}), "\"..\""},
      {"NUL in pax",
       TarGz({MainTar(), Pax(PaxRecordText("path", std::string_view("a\0b", 3))), {.name = "x"}}),
       "control character"},
      {"empty pax name", TarGz({MainTar(), Pax(PaxRecordText("path", "")), {.name = "x"}}),
       "without a name"},
      {"backslash", with({.name = "a\\b"}), "backslash"},
      {"drive letter", with({.name = "c:x"}), "drive letter"},
      {"newline", with({.name = "a\nb"}), "control character"},
      {"not UTF-8", with({.name = "\xff"}), "UTF-8"},
      {"no name", with({.name = ""}), "without a name"},
      {"a file named ./", TarGz({MainTar(), {.name = "."}}), "root folder"},
      {"a file with a folder's name", with({.name = "a/"}), "folder's name"},
      {"a folder with content", with({.name = "a/", .content = "x", .type = '5'}), "with content"},
      {"negative size", with({.name = "x", .size = std::string(12, '\xff')}), "size is no number"},
      {"size in letters", with({.name = "x", .size = "0000000000g"}), "size is no number"},
      {"huge base-256 size",
       with({.name = "x", .size = std::string("\x80\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 12)}),
       "size is no number"},
      {"huge pax size",
       TarGz({MainTar(), Pax(PaxRecordText("size", "9223372036854775807")), {.name = "x"}}),
       "unpacked"},
      {"star's format",
       with({.name = "x", .prefix = std::string(163, '\0') + std::string("tar\0", 4)}), "star"},
      {"pax record of length 0", TarGz({Pax("0 a=b\n"), MainTar()}), "malformed"},
      {"pax record too long", TarGz({Pax("99 a=b\n"), MainTar()}), "malformed"},
      {"pax record without =", TarGz({Pax("5 ab\n"), MainTar()}), "malformed"},
      {"pax record without newline", TarGz({Pax("6 a=bc"), MainTar()}), "malformed"},
      {"pax size in letters", TarGz({Pax(PaxRecordText("size", "6x")), MainTar()}), "malformed"},
      {"a global header with names", TarGz({Pax(PaxRecordText("path", "x"), 'g'), MainTar()}),
       "global header"},
      {"two pax headers",
       TarGz({Pax(PaxRecordText("path", "a")), Pax(PaxRecordText("path", "b")), MainTar()}),
       "several extended"},
      {"pax and long name", TarGz({LongName("a"), Pax(PaxRecordText("path", "b")), MainTar()}),
       "several extended"},
      {"pax header at the end",
       Gzip(TarEntry(MainTar()) + TarEntry(Pax(PaxRecordText("path", "a"))) + TarEnd()), "cut off"},
      {"pax header of 2 MiB", TarGz({{.name = "pax", .type = 'x', .size = "00010000000"}}),
       "1 MiB"},
  };
}

void ExpectRefused(const std::vector<RefusedTar>& rows) {
  for (const RefusedTar& row : rows) {
    auto inspection = InspectText(row.bytes);
    ASSERT_FALSE(inspection) << row.what;
    EXPECT_EQ(inspection.error().kind, ErrorKind::kRefused) << row.what;
    EXPECT_NE(inspection.error().message.find(row.message_part), std::string::npos)
        << row.what << ": " << inspection.error().message;
  }
}

TEST(TarInspectionTest, RefusesOtherAndDamagedForms) { ExpectRefused(TarRefusedForms()); }
TEST(TarInspectionTest, RefusesEntriesThatClientsTreatDifferently) {
  ExpectRefused(TarRefusedEntries());
}

// Cuts at every byte: nothing that lost its end may be taken.
TEST(TarInspectionTest, RefusesEveryPrefixOfAnArchive) {
  std::string whole = TarGz({MainTar(), {.name = "m/x.tf", .content = std::string(700, 'y')}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(InspectText(whole.substr(0, size))) << size;
  }
}

}  // namespace
}  // namespace koya
