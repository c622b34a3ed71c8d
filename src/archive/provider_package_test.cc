// Provider packages: accepted ones and their hashes, problems, and rejected ones.
#include "archive/provider_package.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "archive/archive_builder_fake.h"
#include "archive/archive_oracle_fake.h"

namespace koya {
namespace {

ZipSpec Binary() { return {.name = "terraform-provider-demo", .content = "program"}; }
ZipSpec Folder(std::string name) {
  return {.name = std::move(name), .method = 0, .mode = 040755, .dos_attributes = 0x10};
}

using Lines = std::vector<std::string>;

// ---- hashes ----
// The expected values were computed from the definition by another program (Python's hashlib).

constexpr std::string_view kOneFile = "h1:FMHNwrCOJjCKRQnLYGEtCkPyu2eqp8vFlSgYoE0ToSk=";

struct Hashes {
  std::string_view what;
  std::string bytes;
  Lines h1;
};

std::vector<Hashes> PlainPackages() {
  ZipSpec stored = Binary();
  stored.method = 0;
  ZipSpec streamed = Binary();
  streamed.descriptor = true;
  ZipSpec wide = Binary();
  wide.zip64 = true;
  ZipSpec wide_streamed = streamed;
  wide_streamed.zip64 = true;
  ZipSpec wide_stored = stored;
  wide_stored.zip64 = true;
  std::string large;
  for (int i = 0; i < 20'000; ++i) large += "0123456789abcdef";
  std::vector<ZipSpec> many = {Binary()};
  for (std::string name : {"a-b", "a/b", "a.b", "ab", "B", "Z", "ü", "日本", "~"}) {
    many.push_back({.name = name, .content = name});
  }
  return {
      {"deflated", Zip({Binary()}), {std::string(kOneFile)}},
      {"stored", Zip({stored}), {std::string(kOneFile)}},
      {"streamed", Zip({streamed}), {std::string(kOneFile)}},
      {"zip64 sizes", Zip({wide}), {std::string(kOneFile)}},
      {"zip64 sizes, stored", Zip({wide_stored}), {std::string(kOneFile)}},
      {"zip64 sizes, streamed", Zip({wide_streamed}), {std::string(kOneFile)}},
      {"zip64 end record", Zip({Binary()}, {.zip64_end = true}), {std::string(kOneFile)}},
      {"all zip64", Zip({wide_streamed}, {.zip64_end = true}), {std::string(kOneFile)}},
      {"a comment", Zip({Binary()}, {.comment = "built"}), {std::string(kOneFile)}},
      {"empty files",
       Zip({{.name = "terraform-provider-demo", .method = 0}, {.name = "x"}}),
       {"h1:Pus7CP1XtGxmxvu6ZUNxprPQ0v46jJJ2m0wqw4Vqh2s="}},
      {"more than a buffer",
       Zip({{.name = "terraform-provider-demo", .content = large}}),
       {"h1:MSUq3G4j5jniq2oF7Ybv9jhxEbI0P2cCwlZpC0AllPg="}},
      {"nested folders",
       Zip({Binary(),
            {.name = "docs/a/index.md", .content = "doc"},
            {.name = "LICENSE", .content = "mit"}}),
       {"h1:Pf/8q7r6XnBS2gDb1xVwAY+XIysfG6P4n26dNFrtbGY="}},
      {"names that sort bytewise", Zip(many), {"h1:9UWWwYnFItgdI544QfxjNVhAL1s1ms/NiKXAQeHIr/Y="}},
  };
}

TEST(ProviderPackageTest, HashesAsClientsDo) {
  for (const Hashes& row : PlainPackages()) {
    auto inspection = InspectProviderText(row.bytes);
    ASSERT_TRUE(inspection) << row.what << ": " << inspection.error().message;
    EXPECT_EQ(inspection->h1, row.h1) << row.what;
    EXPECT_EQ(inspection->problems, Lines()) << row.what;
    EXPECT_EQ(inspection->binary, "terraform-provider-demo") << row.what;
    EXPECT_TRUE(LibzipNames(row.bytes)) << row.what << " is refused by libzip";
  }
}

TEST(ProviderPackageTest, CountsEntriesAndBytes) {
  auto inspection =
      InspectProviderText(Zip({Binary(), Folder("docs/"), {.name = "x", .content = "123"}}));
  ASSERT_TRUE(inspection) << inspection.error().message;
  EXPECT_EQ(inspection->entries, 3U);
  EXPECT_EQ(inspection->unpacked_bytes, 10U);
}

TEST(ProviderPackageTest, TheFileOffsetDoesNotMatter) {
  std::string bytes = Zip({Binary()});
  UniqueFd file = FileOf(bytes);
  ASSERT_EQ(::lseek(file.get(), 7, SEEK_SET), 7);
  auto inspection = InspectProviderPackage(file.get(), bytes.size(), "demo", {});
  ASSERT_TRUE(inspection) << inspection.error().message;
  EXPECT_EQ(inspection->h1, Lines({std::string(kOneFile)}));
}

// ---- what clients hash in two ways ----

TEST(ProviderPackageTest, FolderEntriesAreAProblemAndGiveTwoHashes) {
  auto inspection = InspectProviderText(
      Zip({Binary(), Folder("docs/"), {.name = "docs/x.md", .content = "doc"}}));
  ASSERT_TRUE(inspection) << inspection.error().message;
  EXPECT_EQ(inspection->h1, Lines({"h1:o8RyhUzhlCMn3f24Bdcywja6P4o54YtWGLCGcSZh3Zc=",
                                   "h1:pEy+RhL8qaPsXPhYPaose2OtiymQ+ZmL4xJMaVkiU38="}));
  EXPECT_EQ(inspection->problems,
            Lines({"the zip has an entry for a folder (\"docs/\"), which clients count in one "
                   "checksum and not in another, so that later runs fail; pack files only: zip -D "
                   "(--no-dir-entries), or GoReleaser"}));
  auto several = InspectProviderText(Zip({Binary(), Folder("b/"), Folder("a/"), Folder("a/c/")}));
  ASSERT_TRUE(several) << several.error().message;
  ASSERT_EQ(several->problems.size(), 1U);
  EXPECT_TRUE(several->problems[0].starts_with("the zip has 3 entries for folders (\"b/\", …), "))
      << several->problems[0];
}

TEST(ProviderPackageTest, LeadingDotSlashIsAProblemAndGivesTwoHashes) {
  auto inspection = InspectProviderText(Zip({Binary(), {.name = "./x", .content = "doc"}}));
  ASSERT_TRUE(inspection) << inspection.error().message;
  EXPECT_EQ(inspection->h1, Lines({"h1:KEul0liuxe9E35ZGxvThJmrPQzHKFZAKlxscNOQJT2A=",
                                   "h1:mafhoT9W6wWQk9Q5ArcAu1+1oOm+fBLCYv4uVLNbD8M="}));
  ASSERT_EQ(inspection->problems.size(), 1U);
  EXPECT_TRUE(inspection->problems[0].starts_with("entry \"./x\" begins with \"./\", which"))
      << inspection->problems[0];
}

// Clients keep the last one of the directory, whichever lies first in the file.
TEST(ProviderPackageTest, OfTwoFilesWithOneNameTheLastCounts) {
  ZipSpec old_x{.name = "x", .content = "old"};
  ZipSpec new_x{.name = "x", .content = "new"};
  for (const std::string& bytes : {Zip({Binary(), old_x, new_x}),
                                   Zip({new_x, old_x, Binary()}, {.reverse_directory = true})}) {
    auto inspection = InspectProviderText(bytes);
    ASSERT_TRUE(inspection) << inspection.error().message;
    EXPECT_EQ(inspection->h1, Lines({"h1:ytBHTW8euu/cgthq5AnRX6fAcyHX2XhZOuk1mjziGSo=",
                                     "h1:flBcC9qqNVe3lJR8p+j7DNLgPXLFX0sPXSa4AWWPZSY="}));
    EXPECT_EQ(inspection->problems, Lines({"entry \"x\" is in the archive twice; pack it again"}));
  }
}

// ---- the program ----

struct Named {
  Lines files;
  std::string binary;
  std::string problem{};  // a part of it; "": there is none
};

TEST(ProviderPackageTest, FindsTheProgramThatClientsRun) {
  const std::vector<Named> kRows = {
      {{"terraform-provider-demo"}, "terraform-provider-demo"},
      {{"terraform-provider-demo.exe"}, "terraform-provider-demo.exe"},
      {{"LICENSE", "terraform-provider-demo_v1.0.0", "README.md"},
       "terraform-provider-demo_v1.0.0"},
      {{"terraform-provider-demo_v1.0.0_x5.exe"}, "terraform-provider-demo_v1.0.0_x5.exe"},
      {{"terraform-provider-demo_", "terraform-provider-demo2", "terraform-provider-demo-x"},
       "terraform-provider-demo_"},
      {{"terraform-provider-demo_v1", "bin/terraform-provider-demo_v1"},
       "terraform-provider-demo_v1"},
      {{"README.md"},
       "",
       "no file at the root of the zip is named \"terraform-provider-demo\" or "
       "\"terraform-provider-demo_…\", which is what clients run; there is \"README.md\""},
      {{"f", "e", "d", "c", "b", "a"}, "", "there is \"a\", \"b\", \"c\", \"d\" and 2 more: build"},
      {{"Terraform-Provider-Demo"}, "", "there is \"Terraform-Provider-Demo\""},
      {{"docs/x"}, "", "pack the program at the root"},
      {{"LICENSE", "terraform-provider-other_v1.0.0"},
       "",
       "\"terraform-provider-other_v1.0.0\" is named for another provider"},
      {{"terraform-provider-demo2"}, "", "\"terraform-provider-demo2\" is named for another"},
      {{"LICENSE", "dist/terraform-provider-demo_v1.0.0"},
       "",
       "the program \"dist/terraform-provider-demo_v1.0.0\" lies in a folder"},
      {{"terraform-provider-demo", "terraform-provider-demo_v1.0.0"},
       "terraform-provider-demo",
       "\"terraform-provider-demo\", \"terraform-provider-demo_v1.0.0\" are all named as the"},
      {{"terraform-provider-demo_v1.0.0", "terraform-provider-demo.md"},
       "terraform-provider-demo.md",
       "of which clients run the first"},
      {{"terraform-provider-demo.md"},
       "terraform-provider-demo.md",
       "\"terraform-provider-demo.md\" is what clients would run, as nothing else"},
  };
  for (const Named& row : kRows) {
    std::vector<ZipSpec> specs;
    for (const std::string& name : row.files) specs.push_back({.name = name, .content = "x"});
    auto inspection = InspectProviderText(Zip(specs));
    ASSERT_TRUE(inspection) << row.files[0] << ": " << inspection.error().message;
    EXPECT_EQ(inspection->binary, row.binary) << row.files[0];
    ASSERT_EQ(inspection->problems.size(), row.problem.empty() ? 0U : 1U) << row.files[0];
    if (row.problem.empty()) continue;
    EXPECT_NE(inspection->problems[0].find(row.problem), std::string::npos)
        << inspection->problems[0];
  }
}

TEST(ProviderPackageTest, AFolderNamedAsTheProgramIsNone) {
  auto inspection = InspectProviderText(Zip({Folder("terraform-provider-demo/")}));
  ASSERT_TRUE(inspection) << inspection.error().message;
  EXPECT_EQ(inspection->binary, "");
  EXPECT_EQ(inspection->problems.size(), 2U);
}

TEST(ProviderPackageTest, TypesMayBeOfAnyLetters) {
  std::string bytes = Zip({{.name = "terraform-provider-日本_v1", .content = "x"}});
  UniqueFd file = FileOf(bytes);
  auto inspection = InspectProviderPackage(file.get(), bytes.size(), "日本", {});
  ASSERT_TRUE(inspection) << inspection.error().message;
  EXPECT_EQ(inspection->binary, "terraform-provider-日本_v1");
  EXPECT_EQ(inspection->problems, Lines());
}

// ---- names ----

TEST(ProviderPackageTest, NamesThatCollideSomewhereAreProblems) {
  auto inspection = InspectProviderText(Zip(
      {Binary(), {.name = "docs/x"}, {.name = "Docs/y"}, {.name = "README"}, {.name = "readme"}}));
  ASSERT_TRUE(inspection) << inspection.error().message;
  EXPECT_EQ(inspection->h1.size(), 1U);
  ASSERT_EQ(inspection->problems.size(), 2U);
  EXPECT_NE(inspection->problems[0].find("\"docs/x\" and \"Docs/y\" differ only in letter case"),
            std::string::npos)
      << inspection->problems[0];
  EXPECT_NE(inspection->problems[1].find("\"README\" and \"readme\" differ only"),
            std::string::npos)
      << inspection->problems[1];
}

TEST(ProviderPackageTest, AThousandProblemsAreNotAThousandSentences) {
  std::vector<ZipSpec> specs = {Binary()};
  for (int i = 0; i < 1000; ++i) specs.push_back({.name = "x", .method = 0});
  auto inspection = InspectProviderText(Zip(specs));
  ASSERT_TRUE(inspection) << inspection.error().message;
  ASSERT_EQ(inspection->problems.size(), 9U);
  EXPECT_EQ(inspection->problems[8], "991 more names are like that");
}

// ---- refusals ----

struct RefusedPackage {
  std::string_view what;
  std::string bytes;
  std::string_view message_part;
};

std::vector<RefusedPackage> RefusedForms() {
  std::string zip = Zip({Binary()});
  return {
      {"no bytes", "", "is empty: it has no bytes"},
      {"an empty zip", Zip({}), "is empty: it has no files"},
      {"a tar.gz", TarGz({{.name = "terraform-provider-demo"}}), "looks like gzip (.tar.gz)"},
      {"the program itself",
       "\x7F"
       "ELF and so on",
       "looks like a Linux program"},
      {"an HTML page", "<!DOCTYPE html>", "looks like an HTML page"},
      {"something", "something", "is not a .zip, despite its name"},
      {"cut off", zip.substr(0, zip.size() - 1), "cut off"},
      {"bytes after the end", zip + "x", "cut off"},
      {"a zip in front of a zip", zip + zip, "before its zip"},
      {"more entries announced", Zip({Binary()}, {.extra_entries = 1}), "malformed"},
  };
}

std::vector<RefusedPackage> RefusedEntries() {
  auto with = [](ZipSpec spec) { return Zip({Binary(), std::move(spec)}); };
  auto changed = [&](auto change) {
    ZipSpec spec{.name = "x", .content = "0123456789"};
    change(spec);
    return with(std::move(spec));
  };
  return {
      {"symbolic link", with({.name = "l", .content = "x", .method = 0, .mode = 0120777}),
       "\"l\" is a symbolic link"},
      {"device", with({.name = "d", .mode = 020644}), "device"},
      {"parent", with({.name = "../x"}), "leaves the archive through \"..\""},
      {"parent inside", with({.name = "docs/../../x"}), "\"..\""},
      {"absolute", with({.name = "/etc/x"}), "absolute"},
      {"backslash", with({.name = "..\\x"}), "backslash"},
      {"drive letter", with({.name = "C:x"}), "drive letter"},
      {"line feed", with({.name = "a\nb"}), "control character"},
      {"not UTF-8", with({.name = "caf\xe9"}), "UTF-8"},
      {"encrypted", changed([](ZipSpec& s) { s.flags = 1; }), "\"x\" is encrypted"},
      {"zstd inside", changed([](ZipSpec& s) { s.method = 93; }), "method 93"},
      {"wrong CRC", changed([](ZipSpec& s) { s.crc_lie = 1; }), "CRC"},
      {"other name in the local header", changed([](ZipSpec& s) { s.local_name = "y"; }),
       "contradicts"},
      {"unpacks to more than announced",
       changed([](ZipSpec& s) { s.local_size_lie = s.central_size_lie = -3; }), "more than it"},
      {"broken deflate", changed([](ZipSpec& s) { s.packed = "\xff\xff\xff\xff"; }), "broken"},
      {"hidden bytes", changed([](ZipSpec& s) { s.gap = "hidden"; }), "belongs to no entry"},
      {"a file and a folder", Zip({Binary(), {.name = "a"}, {.name = "a/b"}}),
       "\"a\" is a file, and a folder too"},
      {"a file and a folder entry", Zip({Binary(), {.name = "a"}, Folder("a/")}),
       "as a file and as a folder"},
      {"a file and a folder beside other cases",
       Zip({Binary(), {.name = "A"}, {.name = "a"}, {.name = "A/b"}}), "a folder too"},
  };
}

void ExpectRefused(const std::vector<RefusedPackage>& rows, const ArchiveLimits& limits = {}) {
  for (const RefusedPackage& row : rows) {
    auto inspection = InspectProviderText(row.bytes, limits);
    ASSERT_FALSE(inspection) << row.what;
    EXPECT_EQ(inspection.error().kind, ErrorKind::kRefused) << row.what;
    const std::string& message = inspection.error().message;
    EXPECT_NE(message.find(row.message_part), std::string::npos) << row.what << ": " << message;
    EXPECT_EQ(message.find("the module"), std::string::npos) << message;
  }
}

TEST(ProviderPackageTest, RefusesWhatIsNoWholeZip) { ExpectRefused(RefusedForms()); }
TEST(ProviderPackageTest, RefusesWhatClientsCannotUnpackOrShouldNot) {
  ExpectRefused(RefusedEntries());
}

TEST(ProviderPackageTest, RefusesBombsBeforeUnpackingThem) {
  const ArchiveLimits kLimits{.unpacked_bytes = 4ULL << 20, .ratio = 200, .entries = 3};
  ZipSpec zeros{.name = "x", .content = std::string(3 << 20, '\0')};
  ExpectRefused(
      {
          {"ratio", Zip({Binary(), zeros}), "more than 200 times"},
          {"one file", Zip({Binary(), {.name = "x", .content = std::string((4 << 20) + 1, 'x')}}),
           "the limit is 4194304"},
          {"total", Zip({zeros, {.name = "y", .content = zeros.content, .method = 0}}),
           "unpacks to more than 4194304 bytes"},
          {"entries", Zip({Binary(), {.name = "x"}, {.name = "y"}, {.name = "z"}}),
           "more than 3 entries"},
      },
      kLimits);
  // The sizes alone condemn it: the packed data is not deflate at all.
  ZipSpec announced{.name = "x", .packed = "not deflate"};
  announced.local_size_lie = announced.central_size_lie = 1LL << 31;
  ExpectRefused({{"announced", Zip({Binary(), announced}), "the limit is"}}, kLimits);
  EXPECT_TRUE(InspectProviderText(
      Zip({Binary(), {.name = "x", .content = std::string(1000 << 10, '\0')}}), kLimits));
}

TEST(ProviderPackageTest, ZipsOfEmptyFilesAndManyNamesEnd) {
  std::vector<ZipSpec> specs = {{.name = "terraform-provider-demo", .method = 0}};
  for (int i = 0; i < 10'000; ++i) {
    specs.push_back({.name = "docs/" + std::to_string(i), .method = 0});
  }
  auto begin = std::chrono::steady_clock::now();
  auto inspection = InspectProviderText(Zip(specs));
  ASSERT_TRUE(inspection) << inspection.error().message;
  EXPECT_EQ(inspection->unpacked_bytes, 0U);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(ProviderPackageTest, NamesAreBoundedInAll) {
  std::vector<ZipSpec> specs = {Binary()};
  std::string folder;
  while (folder.size() < 1000) folder += "d/";
  for (int i = 0; i < 17'000; ++i) {
    specs.push_back({.name = folder + std::to_string(i), .method = 0});
  }
  ExpectRefused({{"names", Zip(specs), "more than 16 MiB of names"}});
}

TEST(ProviderPackageTest, AFileThatCannotBeReadIsNobodysFault) {
  std::string bytes = Zip({Binary()});
  UniqueFd file = FileOf(bytes);
  auto longer = InspectProviderPackage(file.get(), bytes.size() + 1, "demo", {});
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().kind, ErrorKind::kInternal);
  auto closed = InspectProviderPackage(-1, bytes.size(), "demo", {});
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().kind, ErrorKind::kInternal);
}

TEST(ProviderPackageTest, RefusesEveryPrefix) {
  std::string whole = Zip({Binary(), {.name = "docs/x", .content = "y", .descriptor = true}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(InspectProviderText(whole.substr(0, size))) << size;
  }
}

// A changed byte is noticed, or changes what clients do not hash either.
TEST(ProviderPackageTest, EveryChangedByteIsRefusedOrLeavesTheHash) {
  ZipSpec wide{.name = "docs/x", .content = "y", .descriptor = true, .zip64 = true};
  std::string whole = Zip({Binary(), wide});
  auto original = InspectProviderText(whole);
  ASSERT_TRUE(original) << original.error().message;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (char change : {'\x01', '\x20', '\x80', '\xff'}) {
      std::string other = whole;
      other[at] = static_cast<char>(other[at] ^ change);
      auto inspection = InspectProviderText(other);
      if (inspection) {
        EXPECT_EQ(inspection->h1, original->h1) << at;
      }
    }
  }
}

// The expected values were computed from the definition by another program (Python's hashlib).

struct HashedFile {
  std::string name;
  std::string content;
};

std::string HashOf(const std::vector<HashedFile>& files) {
  DirHash hash;
  for (const HashedFile& file : files) hash.Add(file.name, Sha256(file.content));
  return hash.Finish();
}

TEST(DirHashTest, MatchesTheDefinition) {
  EXPECT_EQ(HashOf({}), "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(HashOf({{"terraform-provider-demo", "program"}}),
            "h1:FMHNwrCOJjCKRQnLYGEtCkPyu2eqp8vFlSgYoE0ToSk=");
  EXPECT_EQ(HashOf({{"terraform-provider-demo", ""}, {"x", ""}}),
            "h1:Pus7CP1XtGxmxvu6ZUNxprPQ0v46jJJ2m0wqw4Vqh2s=");
  EXPECT_EQ(
      HashOf(
          {{"terraform-provider-demo", "program"}, {"docs/a/index.md", "doc"}, {"LICENSE", "mit"}}),
      "h1:Pf/8q7r6XnBS2gDb1xVwAY+XIysfG6P4n26dNFrtbGY=");
}

TEST(DirHashTest, SortsBytewiseWhateverTheOrderOfAdditions) {
  std::vector<HashedFile> files;
  for (std::string name : {"a-b", "a/b", "a.b", "ab", "AB", "a", "Z", "ü", "日本", "~"}) {
    files.push_back({name, name});
  }
  for (int turn = 0; turn < 20; ++turn) {
    EXPECT_EQ(HashOf(files), "h1:7jXA3Oojjaeyx7YNsLxpwZ3ipIzlJAxJElxiIN73x2Q=");
    std::ranges::rotate(files, files.begin() + 1 + turn % 7);
  }
}

TEST(DirHashTest, NamesContentsAndRepetitionsAllCount) {
  std::string one = HashOf({{"a", "x"}});
  EXPECT_NE(HashOf({{"b", "x"}}), one);
  EXPECT_NE(HashOf({{"a", "y"}}), one);
  EXPECT_NE(HashOf({{"a", "x"}, {"a", "x"}}), one);
  EXPECT_NE(HashOf({{"a", "x"}, {"b", "y"}}), HashOf({{"a", "y"}, {"b", "x"}}));
}

TEST(DirHashTest, FinishLeavesTheCollectionAsItIs) {
  DirHash hash;
  hash.Add("b", Sha256("2"));
  hash.Add("a", Sha256("1"));
  std::string first = hash.Finish();
  EXPECT_EQ(hash.Finish(), first);
  EXPECT_EQ(first, HashOf({{"a", "1"}, {"b", "2"}}));
}

}  // namespace

}  // namespace koya
