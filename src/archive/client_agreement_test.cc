// Archives that clients' reader and another one may see differently: each is rejected, or clients
// unpack exactly the inspected files.
#include <gtest/gtest.h>

#include "archive/archive_builder_fake.h"
#include "archive/client_agreement_fake.h"

namespace koya {
namespace {

using ::std::string_literals::operator""s;

const std::string kGnuHeaderMagic("ustar  \0", 8);
constexpr std::string_view kSeen = "output \"who\" { value = \"inspected\" }\n";
constexpr std::string_view kHidden = "output \"who\" { value = \"HIDDEN\" }\n";

std::string Entry(std::string name, std::string_view content) {
  return TarEntry({.name = std::move(name), .content = std::string(content)});
}

std::string PaxEntry(std::string records, char type) {
  return TarEntry({.name = "pax", .content = std::move(records), .type = type});
}

bool ClientSeesHidden(const std::optional<ClientFiles>& files) {
  return files && std::ranges::any_of(*files, [](const ClientFile& file) {
           return file.content == kHidden || file.name.find("folder-of-go") != std::string::npos ||
                  (file.folder && file.name == "main.tf");
         });
}

void ExpectHiddenAndRefused(const std::string& bytes, std::string_view part) {
  EXPECT_TRUE(ClientSeesHidden(bytes.starts_with("PK") ? ReadZipAsClient(bytes)
                                                       : ReadTarGzAsClient(bytes)));
  auto inspection = InspectText(bytes);
  ASSERT_FALSE(inspection) << part;
  EXPECT_EQ(inspection.error().kind, ErrorKind::kRefused);
  EXPECT_NE(inspection.error().message.find(part), std::string::npos) << inspection.error().message;
}

TEST(ClientAgreementTest, ASizeWithANulBeforeItsDigitsHidesAnArchiveFromReadersThatStopThere) {
  // To a reader that stops at the NUL the size is 0 and the next block a header; to clients that
  // block is content, and what "main.tf" holds are the entries.
  std::string hidden = TarEntry({.name = "zz.txt", .size = std::string("\0000000001000", 12)}) +
                       Entry("main.tf", Entry("main.tf", kHidden) + Entry("x.tf", kHidden));
  ExpectHiddenAndRefused(Gzip(hidden + TarEnd()), "size is no number");
}

TEST(ClientAgreementTest, AGlobalHeaderMakesClientsForgetTheOneBeforeIt) {
  std::string inner = Entry("main.tf", kHidden) + Entry("nested/other.tf", kHidden);
  std::string local = PaxEntry(
      PaxRecordText("size", std::to_string(512 + inner.size())) + PaxRecordText("path", "main.tf"),
      'x');
  std::string global = PaxEntry(PaxRecordText("comment", "c0ffee"), 'g');
  ExpectHiddenAndRefused(Gzip(local + global + Entry("readme.txt", kSeen) + inner + TarEnd()),
                         "a global header between");
  std::string long_name = TarEntry(
      {.name = "././@LongLink", .content = "other.tf\0"s, .type = 'L', .magic = kGnuHeaderMagic});
  EXPECT_FALSE(InspectText(Gzip(long_name + global + Entry("main.tf", kSeen) + TarEnd())));
  std::string long_link = TarEntry(
      {.name = "././@LongLink", .content = "other.tf\0"s, .type = 'K', .magic = kGnuHeaderMagic});
  EXPECT_FALSE(InspectText(Gzip(long_link + global + Entry("main.tf", kSeen) + TarEnd())));
  EXPECT_TRUE(InspectText(Gzip(global + Entry("main.tf", kSeen) + TarEnd())));
}

TEST(ClientAgreementTest, GnuTimesThatAreNoNumbersAreAFolderToClients) {
  ExpectHiddenAndRefused(
      TarGz({{.name = "main.tf", .content = std::string(kSeen)},
             {.name = "second.tf", .magic = kGnuHeaderMagic, .prefix = "folder-of-go"}}),
      "its times are no numbers");
  EXPECT_TRUE(InspectText(TarGz(
      {{.name = "main.tf", .magic = kGnuHeaderMagic, .prefix = "14371573625\00014371573625\0"s}})));
}

TEST(ClientAgreementTest, AFileWhoseModeSaysFolderIsAFolderToClients) {
  ExpectHiddenAndRefused(
      TarGz({{.name = "main.tf", .content = std::string(kSeen), .mode = "0040755"},
             {.name = "x.tf"}}),
      "a mode that contradicts its type");
  EXPECT_TRUE(InspectText(TarGz({{.name = "main.tf", .mode = "0100644"}})));
  EXPECT_FALSE(
      InspectText(TarGz({{.name = "a/", .type = '5', .mode = "0100755"}, {.name = "m.tf"}})));
  EXPECT_TRUE(
      InspectText(TarGz({{.name = "a/", .type = '5', .mode = "0040755"}, {.name = "m.tf"}})));
}

// ---- zips with two directories ----

struct TwoDirectories {
  std::string carrier = "data.bin";
  std::string seen = "main.tf";
  std::vector<std::string> hidden = {"main.tf", "nested/other.tf"};
};

// The directory has exactly 65,535 bytes, and the comment of its last record ends in a zip64
// locator that leads to another directory, inside the first entry.
std::string ZipOfTwo(const TwoDirectories& names) {
  std::string inner;
  std::string directory;
  const std::size_t head = 30 + names.carrier.size();
  auto crc = [](std::string_view bytes) {
    return static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  };
  auto spec = [](const std::string& name, std::string_view content) {
    return ZipSpec{.name = name, .content = std::string(content), .method = 0, .mode = 0100755};
  };
  auto add = [&](std::string& out, std::string& records, const ZipSpec& entry, std::size_t before) {
    records +=
        CentralRecordText(entry, entry.content.size(), crc(entry.content), before + out.size());
    out += LocalHeader(entry, entry.content, crc(entry.content)) + entry.content;
  };
  for (const std::string& name : names.hidden) add(inner, directory, spec(name, kHidden), head);
  std::size_t start = head + inner.size();
  std::string end64 = EndRecord(names.hidden.size(), directory.size(), start, {.zip64_end = true});
  inner += directory;
  std::size_t place = head + inner.size();
  inner += end64.substr(0, 56);
  std::string locator = end64.substr(56, 20);

  std::string out;
  std::string records;
  add(out, records, spec(names.carrier, inner), 0);
  add(out, records, spec(names.seen, kSeen), 0);
  const std::size_t comment = 0xFFFF - records.size();
  std::size_t last = records.size() - 46 - names.seen.size();
  records[last + 32] = static_cast<char>(comment & 0xFF);
  records[last + 33] = static_cast<char>(comment >> 8);
  records += std::string(comment - locator.size(), 'C');
  std::string right;
  PutNumber(right, 0x07064B50, 4);
  PutNumber(right, 0, 4);
  PutNumber(right, place, 8);
  PutNumber(right, 1, 4);
  records += right;
  EXPECT_EQ(records.size(), 0xFFFFU);
  std::size_t offset = out.size();
  return out + records + EndRecord(2, records.size(), offset, {});
}

TEST(ClientAgreementTest, ASecondDirectoryForClientsOnlyIsRefused) {
  ExpectHiddenAndRefused(ZipOfTwo({}), "directory");
}

TEST(ClientAgreementTest, AProviderPackageWithASecondDirectoryIsRefused) {
  std::string program = "terraform-provider-demo_v1.0.0";
  std::string bytes =
      ZipOfTwo({.carrier = "LICENSE", .seen = program, .hidden = {program, "also/hidden.txt"}});
  EXPECT_TRUE(ClientSeesHidden(ReadZipAsClient(bytes)));
  auto inspection = InspectProviderText(bytes);
  ASSERT_FALSE(inspection);
  EXPECT_EQ(inspection.error().kind, ErrorKind::kRefused);
}

// The end record and its zip64 companion, with fields as given.
struct EndFields {
  std::string_view what;
  std::uint16_t entries;
  std::uint32_t size;
  std::uint32_t offset;
  bool accepted;
};

TEST(ClientAgreementTest, AZip64LocatorIsFollowedByAllReadersOrRefused) {
  std::vector<ZipSpec> specs{{.name = "main.tf", .content = std::string(kSeen), .method = 0}};
  const std::string plain = Zip(specs);
  const std::string wide = Zip(specs, {.zip64_end = true});
  const auto offset = static_cast<std::uint32_t>(30 + 7 + kSeen.size());
  const std::uint32_t size = 46 + 7;
  for (const EndFields& row : {
           EndFields{"all say zip64", 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, true},
           EndFields{"all say the same as zip64", 1, size, offset, true},
           EndFields{"only the number says zip64", 0xFFFF, size, offset, true},
           EndFields{"only the offset says zip64", 1, size, 0xFFFFFFFF, true},
           EndFields{"only the size says zip64", 1, 0xFFFFFFFF, offset, false},
           EndFields{"the size that clients take for zip64", 0xFFFF, 0xFFFF, 0xFFFFFFFF, false},
           EndFields{"another number", 2, size, offset, false},
           EndFields{"another size", 0xFFFF, size + 1, offset, false},
           EndFields{"another offset", 0xFFFF, size, offset - 1, false},
       }) {
    std::string fields;
    PutNumber(fields, row.entries, 2);
    PutNumber(fields, row.entries, 2);
    PutNumber(fields, row.size, 4);
    PutNumber(fields, row.offset, 4);
    std::string bytes = wide;
    bytes.replace(bytes.size() - 14, fields.size(), fields);
    auto inspection = InspectText(bytes);
    EXPECT_EQ(inspection.has_value(), row.accepted) << row.what;
    if (row.accepted) EXPECT_EQ(ReadZipAsClient(bytes), ReadZipAsClient(plain)) << row.what;
  }
}

// ---- archives served unchanged ----

std::string DisagreementIn(const std::string& bytes) {
  UniqueFd file = FileOf(bytes);
  return Disagreement(file.get(), bytes, {});
}

struct ServedTar {
  std::string_view what;
  std::string bytes;
  bool as_it_is;
};

TEST(ClientAgreementTest, OnlyThePlainSubsetOfTarIsServedAsItIs) {
  TarSpec main{.name = "main.tf", .content = "m"};
  auto pax = [](std::string records, char type = 'x') {
    return TarSpec{.name = "pax", .content = std::move(records), .type = type};
  };
  std::string tar = Tar({main});
  std::string named = Gzip(tar);
  named[3] = '\x08';
  named.insert(10, "module.tar\0"s);
  for (const ServedTar& row : {
           ServedTar{"files and folders", TarGz({{.name = "a/", .type = '5'}, main}), true},
           ServedTar{"a prefix", TarGz({main, {.name = "x", .prefix = "p"}}), true},
           ServedTar{"pax names, sizes and times",
                     TarGz({pax(PaxRecordText("path", "a/main.tf") + PaxRecordText("size", "1") +
                                PaxRecordText("mtime", "1700000000.5") + PaxRecordText("uid", "7") +
                                PaxRecordText("uname", "anna")),
                            main,
                            {.name = "m.tf"}}),
                     true},
           ServedTar{"gzip with a file's name", named, true},
           ServedTar{"GNU's format", TarGz({{.name = "main.tf", .magic = kGnuHeaderMagic}}), false},
           ServedTar{"an old tar", TarGz({{.name = "main.tf", .type = '\0', .magic = ""}}), false},
           ServedTar{"a contiguous file", TarGz({{.name = "main.tf", .type = '7'}}), false},
           ServedTar{"a global header", TarGz({pax(PaxRecordText("comment", "c"), 'g'), main}),
                     false},
           ServedTar{"an unknown record", TarGz({pax(PaxRecordText("SCHILY.dev", "1")), main}),
                     false},
           ServedTar{"a time before 1970", TarGz({pax(PaxRecordText("mtime", "-1")), main}), false},
           ServedTar{"an owner that is no number", TarGz({pax(PaxRecordText("uid", "anna")), main}),
                     false},
           ServedTar{"a mode that is no number", TarGz({{.name = "main.tf", .mode = "rwxr-xr"}}),
                     false},
           ServedTar{"base-256 numbers",
                     TarGz({{.name = "main.tf",
                             .content = "m",
                             .size = std::string("\x80\0\0\0\0\0\0\0\0\0\0\1", 12)}}),
                     false},
           ServedTar{"two gzip members", Gzip(tar.substr(0, 512)) + Gzip(tar.substr(512)), false},
       }) {
    auto inspection = InspectText(row.bytes);
    ASSERT_TRUE(inspection) << row.what << ": " << inspection.error().message;
    EXPECT_EQ(inspection->MayBeServed(), row.as_it_is) << row.what;
    EXPECT_EQ(DisagreementIn(row.bytes), "") << row.what;
    // The repack served instead is plain, and clients see the same files in it.
    std::string repack = RepackText(row.bytes);
    auto again = InspectText(repack);
    ASSERT_TRUE(again) << row.what;
    EXPECT_TRUE(again->MayBeServed()) << row.what;
    EXPECT_EQ(DisagreementIn(repack), "") << row.what;
    EXPECT_TRUE(ReadTarGzAsClient(repack)) << row.what;
  }
}

TEST(ClientAgreementTest, ZipsAreReadAsClientsReadThem) {
  for (const std::string& bytes : {
           Zip({{.name = "d/", .mode = 040755}, {.name = "d/main.tf"}, {.name = "main.tf"}}),
           Zip({{.name = "main.tf", .content = "x", .descriptor = true}}),
           Zip({{.name = "main.tf", .content = "x", .descriptor = true, .zip64 = true}}),
           Zip({{.name = "main.tf"}, {.name = "b.tf"}}, {.reverse_directory = true}),
           Zip({{.name = "main.tf"}}, {.comment = "a comment", .zip64_end = true}),
       }) {
    EXPECT_TRUE(InspectText(bytes));
    EXPECT_EQ(DisagreementIn(bytes), "");
  }
}

}  // namespace
}  // namespace koya
