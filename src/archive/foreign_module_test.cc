// Third-party archives: where their module is, and how links are handled.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <stop_token>
#include <thread>

#include "archive/archive_builder_fake.h"
#include "archive/archive_oracle_fake.h"
#include "archive/module_package.h"
#include "archive/packed_file.h"
#include "archive/repack_plan.h"
#include "archive/tar_reader.h"

namespace koya {
namespace {

struct Outcome {
  std::map<std::string, std::string> files;
  std::vector<std::string> left_out;
};

std::map<std::string, std::string> FilesIn(std::string_view bytes) {
  UniqueFd descriptor = FileOf(bytes);
  PackedFile file(descriptor.get(), bytes.size());
  ArchiveLimits limits;
  TarReader reader(file, limits);
  std::map<std::string, std::string> files;
  while (true) {
    auto entry = reader.Next();
    EXPECT_TRUE(entry);
    if (!entry || !*entry) return files;
    std::string& content = files[(*entry)->name];
    for (auto part = reader.Content(); part && !part->empty(); part = reader.Content()) {
      content.append(reinterpret_cast<const char*>(part->data()), part->size());
    }
  }
}

Result<Outcome> Repack(std::string_view bytes, std::string_view folder,
                       const ArchiveLimits& limits = {}) {
  UniqueFd file = FileOf(bytes);
  std::string out;
  ByteSink sink = [&](std::span<const std::byte> part) -> Status {
    out.append(reinterpret_cast<const char*>(part.data()), part.size());
    return {};
  };
  ASSIGN_OR_RETURN(ForeignRepack repack,
                   RepackForeignModule(file.get(), bytes.size(), folder, limits, sink));
  Outcome outcome{.files = {}, .left_out = std::move(repack.left_out)};
  outcome.files = FilesIn(out);
  EXPECT_EQ(outcome.files.size(), repack.files);
  EXPECT_TRUE(LibarchiveNames(out));
  return outcome;
}

TarSpec File(std::string name, std::string content = "x") {
  return {.name = std::move(name), .content = std::move(content)};
}
TarSpec Link(std::string name, std::string target, char type = '2') {
  return {.name = std::move(name), .type = type, .link = std::move(target)};
}

// The same archive as a zip, where links are symbolic.
std::string AsZip(const std::vector<TarSpec>& specs) {
  std::vector<ZipSpec> zip;
  for (const TarSpec& spec : specs) {
    bool link = spec.type == '2';
    zip.push_back({.name = spec.name,
                   .content = link ? spec.link : spec.content,
                   .mode = link ? 0120777U : 0100644U});
  }
  return Zip(zip);
}

struct Row {
  std::string_view what;
  std::vector<TarSpec> entries;
  std::string_view folder;
  std::map<std::string, std::string> files;
  std::size_t left_out = 0;
};

TEST(ForeignModuleTest, FindsTheModuleAndFollowsLinks) {
  const std::vector<Row> kRows = {
      {"the root", {File("main.tf"), File("m/a.tf")}, "", {{"main.tf", "x"}, {"m/a.tf", "x"}}},
      {"no configuration at the root",
       {File("README.md"), File("modules/a/main.tf", "a")},
       "",
       {{"README.md", "x"}, {"modules/a/main.tf", "a"}}},
      {"one top folder",
       {File("r-1/main.tf"), File("r-1/m/a.tf", "a")},
       "*",
       {{"main.tf", "x"}, {"m/a.tf", "a"}}},
      {"below it", {File("r-1/main.tf"), File("r-1/m/a.tf", "a")}, "*/m", {{"a.tf", "a"}}},
      {"beside what macOS adds",
       {File("r/main.tf"), File("__MACOSX/r/x"), File("._r")},
       "*",
       {{"main.tf", "x"}}},
      {"a named folder", {File("a/main.tf", "a"), File("b/main.tf", "b")}, "b", {{"main.tf", "b"}}},
      {"a folder far down, by a link to it",
       {File("main.tf"), File("t/u/v/a", "a"), Link("l", "t/u")},
       "",
       {{"main.tf", "x"}, {"t/u/v/a", "a"}, {"l/v/a", "a"}}},
      {"a folder whose name begins as another's",
       {File("main.tf"), File("t/u-v/a", "a"), Link("l", "t/u")},
       "",
       {{"main.tf", "x"}, {"t/u-v/a", "a"}},
       1},
      {"a folder that a link leads to",
       {File("v2/main.tf", "2"), Link("latest", "v2")},
       "latest",
       {{"main.tf", "2"}}},
      {"letter case",
       {File("main.tf", "a"), File("Main.tf", "b")},
       "",
       {{"main.tf", "a"}, {"Main.tf", "b"}}},
      {"a link to a file",
       {File("main.tf"), File("a/LICENSE", "free"), Link("LICENSE", "a/LICENSE")},
       "",
       {{"main.tf", "x"}, {"a/LICENSE", "free"}, {"LICENSE", "free"}}},
      {"up and out of the module's folder",
       {File("shared.tf", "s"), Link("m/shared.tf", "../shared.tf")},
       "m",
       {{"shared.tf", "s"}}},
      {"a link to a link",
       {File("c.tf", "c"), Link("b.tf", "./c.tf"), Link("a.tf", "b.tf")},
       "",
       {{"a.tf", "c"}, {"b.tf", "c"}, {"c.tf", "c"}}},
      {"a link to a folder",
       {File("main.tf"), File("t/a.txt", "a"), File("t/u/b.txt", "b"), Link("l", "t")},
       "",
       {{"main.tf", "x"},
        {"t/a.txt", "a"},
        {"t/u/b.txt", "b"},
        {"l/a.txt", "a"},
        {"l/u/b.txt", "b"}}},
      {"through a linked folder",
       {File("main.tf"), File("t/a", "a"), Link("l", "t"), Link("b", "l/a")},
       "",
       {{"main.tf", "x"}, {"t/a", "a"}, {"l/a", "a"}, {"b", "a"}}},
      {"nowhere", {File("main.tf"), Link("l", "missing")}, "", {{"main.tf", "x"}}, 1},
      {"out of the archive",
       {File("main.tf"), Link("l", "../main.tf"), Link("m/l", "../../etc/passwd")},
       "",
       {{"main.tf", "x"}},
       2},
      {"an absolute path", {File("main.tf"), Link("l", "/etc/passwd")}, "", {{"main.tf", "x"}}, 1},
      {"nothing at all", {File("main.tf"), Link("l", "")}, "", {{"main.tf", "x"}}, 1},
      {"to itself",
       {File("main.tf"), Link("l", "l"), Link("a", "b"), Link("b", "a")},
       "",
       {{"main.tf", "x"}},
       3},
      {"to a folder around it",
       {File("main.tf"), Link("e/l", ".."), Link("e/m", ".")},
       "",
       {{"main.tf", "x"}},
       2},
  };
  for (const Row& row : kRows) {
    for (const std::string& bytes : {TarGz(row.entries), AsZip(row.entries)}) {
      auto outcome = Repack(bytes, row.folder);
      ASSERT_TRUE(outcome) << row.what << ": " << outcome.error().message;
      EXPECT_EQ(outcome->files, row.files) << row.what;
      EXPECT_EQ(outcome->left_out.size(), row.left_out) << row.what;
    }
  }
}

TEST(ForeignModuleTest, RefusesWhatIsNoModule) {
  struct Refused {
    std::string_view expected;
    std::vector<TarSpec> entries;
    std::string_view folder;
  };
  const std::vector<Refused> kRows = {
      {"has no .tf", {File("README.md")}, ""},
      {"has no .tf", {File("main.tf"), File("docs/README.md")}, "docs"},
      {"no folder \"missing\"", {File("main.tf")}, "missing"},
      {"no folder \"main.tf\"", {File("main.tf")}, "main.tf"},
      {"no folder \"..\"", {File("main.tf")}, ".."},
      {"no folder \"r/missing\"", {File("r/main.tf")}, "*/missing"},
      {"no single top folder", {File("a/main.tf"), File("b/main.tf")}, "*"},
      {"no single top folder", {File("a/main.tf"), File("main.tf")}, "*"},
      {"twice", {File("main.tf"), File("main.tf")}, ""},
      {"a file, and a folder too", {File("main.tf"), Link("l", "m"), File("l/x")}, ""},
      {"\"..\"", {File("main.tf"), File("../x")}, ""},
  };
  for (const Refused& row : kRows) {
    for (const std::string& bytes : {TarGz(row.entries), AsZip(row.entries)}) {
      auto outcome = Repack(bytes, row.folder);
      ASSERT_FALSE(outcome) << row.expected;
      EXPECT_EQ(outcome.error().kind, ErrorKind::kRefused);
      EXPECT_NE(outcome.error().message.find(row.expected), std::string::npos)
          << outcome.error().message;
    }
  }
}

TEST(ForeignModuleTest, KnowsHardLinksAndLongTargets) {
  auto hard = Repack(TarGz({File("a/main.tf", "m"), Link("b/main.tf", "a/main.tf", '1')}), "b");
  ASSERT_TRUE(hard) << hard.error().message;
  EXPECT_EQ(hard->files, (std::map<std::string, std::string>{{"main.tf", "m"}}));

  std::string deep(150, 'd');
  TarSpec pax{.name = "x", .content = PaxRecordText("linkpath", deep + "/a.tf"), .type = 'x'};
  TarSpec gnu{.name = "././@LongLink", .content = deep + "/a.tf", .type = 'K'};
  TarSpec name{.name = "x", .content = PaxRecordText("path", deep + "/a.tf"), .type = 'x'};
  for (const TarSpec& before : {pax, gnu}) {
    auto outcome = Repack(TarGz({name, File("cut", "deep"), before, Link("main.tf", "cut")}), "");
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->files["main.tf"], "deep");
  }

  TarSpec loud = Link("l", "main.tf");
  loud.content = "content";
  EXPECT_FALSE(Repack(TarGz({File("main.tf"), loud}), ""));
}

// Folders that contain links to each other could be copied for ever; eight levels of nine links
// each would be 43 million files.
TEST(ForeignModuleTest, CopiesOfCopiesAreBounded) {
  std::vector<TarSpec> specs = {File("main.tf"), File("0/x")};
  for (int level = 1; level <= 8; ++level) {
    for (char link = 'a'; link <= 'i'; ++link) {
      specs.push_back(Link(std::to_string(level) + "/" + link, "../" + std::to_string(level - 1)));
    }
  }
  auto outcome = Repack(TarGz(specs), "");
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message.find("limits.archive_entries"), std::string::npos);

  std::vector<TarSpec> large = {File("main.tf"), File("big", std::string(600, 'b'))};
  for (char link = 'a'; link <= 'd'; ++link) large.push_back(Link(std::string(1, link), "big"));
  EXPECT_TRUE(Repack(TarGz(large), "", {.unpacked_bytes = 20'000}));
  EXPECT_FALSE(Repack(TarGz(large), "", {.unpacked_bytes = 2'000}));
}

TEST(ForeignModuleTest, TheSameFilesGiveTheSameBytes) {
  auto bytes_of = [](std::string_view archive, std::string_view folder) {
    UniqueFd file = FileOf(archive);
    std::string out;
    ByteSink sink = [&](std::span<const std::byte> part) -> Status {
      out.append(reinterpret_cast<const char*>(part.data()), part.size());
      return {};
    };
    EXPECT_TRUE(RepackForeignModule(file.get(), archive.size(), folder, {}, sink));
    return out;
  };
  std::string one =
      bytes_of(TarGz({File("r/main.tf", "m"), Link("r/b", "a"), File("r/a", "a")}), "*");
  std::string other = bytes_of(Zip({{.name = "a", .content = "a"},
                                    {.name = "b", .content = "a"},
                                    {.name = "main.tf", .content = "m"}}),
                               "");
  EXPECT_EQ(one, other);
}

// ---- what links may cost ----

// `levels` folders d0, d1, … of `ways` links each, every one to the next folder, the last nowhere.
std::string LinkBomb(int ways, int levels = 9) {
  std::vector<TarSpec> specs{File("main.tf")};
  for (int level = 0; level < levels; ++level) {
    std::string target = level + 1 < levels ? fmt::format("../d{}", level + 1) : "nowhere";
    for (int way = 0; way < ways; ++way) {
      specs.push_back(Link(fmt::format("d{}/l{}", level, way), target));
    }
  }
  return TarGz(specs);
}

TEST(ForeignModuleTest, LinksToFoldersOfLinksDoNotMultiplyWithoutEnd) {
  for (int ways : {6, 40, 500}) {
    auto repack = Repack(LinkBomb(ways), "", {.entries = 5000});
    ASSERT_FALSE(repack) << ways;
    EXPECT_EQ(repack.error().kind, ErrorKind::kRefused);
    EXPECT_EQ(repack.error().limit.text(), "limits.archive_entries");
  }
  EXPECT_TRUE(Repack(LinkBomb(2, 4), ""));
}

// A link to the folder `depth` up and down again, so that it takes many steps to follow.
ArchiveEntry LongWay(int number, int depth) {
  std::string target;
  for (int i = 0; i < depth; ++i) target += "../a/";
  return {.name = fmt::format("a/l{}", number),
          .link = LinkKind::kSymbolic,
          .target = target + "main.tf"};
}

TEST(ForeignModuleTest, PlanningTakesStepsInProportionToTheEntriesAllowed) {
  for (std::uint64_t entries : {100, 1000, 10'000}) {
    ArchiveLimits limits{.entries = entries};
    std::vector<ArchiveEntry> module{{.name = "a/main.tf"}};
    for (int i = 0; i < 90; ++i) module.push_back(LongWay(i, i % 3));
    auto plan = PlanForeignModule(module, "a", limits);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->files.size(), 91U);
    EXPECT_LE(plan->steps, 16 * 100U);
    // However many ways there are, planning ends after so many steps: more are refused.
    for (int i = 90; i < 99; ++i) module.push_back(LongWay(i, 8 * static_cast<int>(entries)));
    auto refused = PlanForeignModule(module, "a", limits);
    EXPECT_EQ(refused.has_value(), false) << entries;
  }
}

TEST(ForeignModuleTest, ARepackEndsWhenItsTimeIsOver) {
  ArchiveLimits limits{.until = std::chrono::steady_clock::now()};
  auto tar = Repack(TarGz({File("main.tf")}), "", limits);
  ASSERT_FALSE(tar);
  EXPECT_EQ(tar.error().kind, ErrorKind::kTimeout);
  EXPECT_FALSE(tar.error().limit.empty());
  EXPECT_FALSE(Repack(AsZip({File("main.tf")}), "", limits));
}

TEST(ForeignModuleTest, ARepackEndsWhenTheServerStops) {
  std::stop_source stop;
  std::stop_token token = stop.get_token();
  ArchiveLimits limits{.stop = &token};
  EXPECT_TRUE(Repack(TarGz({File("main.tf")}), "", limits));
  stop.request_stop();
  for (const std::string& bytes : {LinkBomb(40), AsZip({File("main.tf")})}) {
    auto repack = Repack(bytes, "", limits);
    ASSERT_FALSE(repack);
    EXPECT_EQ(repack.error().kind, ErrorKind::kUnavailable);
  }
}

// ---- packed data that unpacks to nothing ----

std::string NoiseText(std::size_t size) {
  std::minstd_rand engine(1);
  std::string noise(size, '\0');
  for (char& c : noise) c = static_cast<char>(engine() >> 8);
  return noise;
}

// Deflated: `content`, then `blocks` empty blocks, then `end`.
std::string Hollow(std::string_view content, int blocks, std::string_view end) {
  std::string packed(1, '\0');
  PutNumber(packed, content.size(), 2);
  PutNumber(packed, ~content.size(), 2);
  packed += content;
  for (int i = 0; i < blocks; ++i) packed.append("\0\0\0\xff\xff", 5);
  return packed.append(end);
}
constexpr std::string_view kLastBlock("\1\0\0\xff\xff", 5);

// Repacks a zip and calls `halfway` once its content begins to come out.
Result<ForeignRepack> RepackAndCall(const ZipSpec& file, const ArchiveLimits& limits,
                                    const std::function<void()>& halfway) {
  std::string bytes = Zip({file});
  UniqueFd descriptor = FileOf(bytes);
  int parts = 0;  // the first is gzip's header
  ByteSink sink = [&](std::span<const std::byte>) -> Status {
    if (++parts == 2) halfway();
    return {};
  };
  return RepackForeignModule(descriptor.get(), bytes.size(), "", limits, sink);
}

// What comes next gives no output for long, and at its end is damaged: who reads on sees that.
const std::vector<ZipSpec> kLongNothings = {
    {.name = "main.tf",
     .content = NoiseText(60'000),
     .packed = Hollow(NoiseText(60'000), 200'000, "\7")},
    {.name = "main.tf",
     .content = NoiseText(60'000) + std::string(1 << 20, '\0'),
     .method = 0,
     .crc_lie = 1},
};

TEST(ForeignModuleTest, AStopEndsTheUnpackingOfWhatGivesNoOutput) {
  for (const ZipSpec& file : kLongNothings) {
    std::stop_source stop;
    std::stop_token token = stop.get_token();
    EXPECT_EQ(RepackAndCall(file, {.stop = &token}, [] {}).error().kind, ErrorKind::kRefused);
    auto repack = RepackAndCall(file, {.stop = &token}, [&stop] { stop.request_stop(); });
    EXPECT_EQ(repack.error().kind, ErrorKind::kUnavailable) << repack.error().message;
  }
}

TEST(ForeignModuleTest, TheUnpackingOfWhatGivesNoOutputEndsWithItsTime) {
  for (const ZipSpec& file : kLongNothings) {
    auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    auto repack = RepackAndCall(file, {.until = until}, [until] {
      while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
    });
    EXPECT_EQ(repack.error().kind, ErrorKind::kTimeout) << repack.error().message;
  }
}

// 400 MB that unpack to one byte, with 49,999 links to them, were inflated 50,000 times.
TEST(ForeignModuleTest, CopiesAreBoundedInWhatIsReadForThemToo) {
  std::vector<ZipSpec> specs{
      {.name = "main.tf", .content = "x", .packed = Hollow("x", 40'000, kLastBlock)}};
  for (int link = 0; link < 5; ++link) {
    specs.push_back({.name = fmt::format("l{}", link), .content = "main.tf", .mode = 0120777});
  }
  EXPECT_TRUE(Repack(Zip(specs), "", {.unpacked_bytes = 1'100'000}));
  specs.push_back({.name = "more", .content = "main.tf", .mode = 0120777});
  auto repack = Repack(Zip(specs), "", {.unpacked_bytes = 1'100'000});
  ASSERT_FALSE(repack);
  EXPECT_EQ(repack.error().kind, ErrorKind::kRefused);
  EXPECT_EQ(repack.error().limit.text(), "limits.module_unpacked_bytes");
}

TEST(ForeignModuleTest, TargetsOfLinksInZipsTakeABoundedAmountOfMemoryToo) {
  std::vector<ZipSpec> specs{{.name = "main.tf"}};
  for (int i = 0; i < 17'000; ++i) {
    specs.push_back({.name = fmt::format("l{}", i),
                     .content = std::string(1000, 't'),
                     .method = 0,
                     .mode = 0120777});
  }
  auto repack = Repack(Zip(specs), "");
  ASSERT_FALSE(repack);
  EXPECT_EQ(repack.error().limit.text(), "fixed.archive_name_bytes");
}

TEST(ForeignModuleTest, NamesTakeABoundedAmountOfMemory) {
  std::vector<TarSpec> specs{File("main.tf")};
  std::string target(100'000, 't');
  specs.push_back({.name = "x", .content = target, .type = 'K'});
  specs.push_back(Link("l", "t"));
  EXPECT_FALSE(Repack(TarGz(specs), ""));
  std::vector<TarSpec> many{File("main.tf")};
  for (int i = 0; i < 21'500; ++i) {
    std::string name = fmt::format("{}/{}/{}/{}/{}", std::string(200, 'a'), std::string(200, 'b'),
                                   std::string(200, 'c'), std::string(200, 'd'), i);
    many.push_back({.name = "pax", .content = PaxRecordText("path", name), .type = 'x'});
    many.push_back({.name = "f", .content = ""});
  }
  auto repack = Repack(TarGz(many), "", {.ratio = 1'000'000});
  ASSERT_FALSE(repack);
  EXPECT_EQ(repack.error().limit.text(), "fixed.archive_name_bytes");
}

// The most memory that a process which does `work` has, in KiB.
std::int64_t PeakOf(const std::function<void()>& work) {
  ::malloc_trim(0);
  pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  rusage usage{};
  EXPECT_EQ(::wait4(child, &status, 0, &usage), child);
  EXPECT_EQ(status, 0);
  return usage.ru_maxrss;
}

// 16,384 such names led through 8 million folders, each of which was held: 530 MB.
TEST(ForeignModuleTest, FoldersThatNamesLeadThroughTakeNoMemory) {
  auto growth = [](std::string_view part) {
    std::vector<ArchiveEntry> module{{.name = "main.tf"}};
    for (int i = 0; i < 1000; ++i) {
      std::string name = fmt::format("{:04}", i);
      while (name.size() + part.size() <= 1020) name += part;
      module.push_back({.name = name + "f"});
    }
    EXPECT_EQ(PlanForeignModule(module, "", {}).value().files.size(), 1001U);
    std::int64_t before = PeakOf([] {});
    return PeakOf([&module] { PlanForeignModule(module, "", {}).value(); }) - before;
  };
  EXPECT_LT(growth("/a"), 2 * growth("xx"));
}

}  // namespace
}  // namespace koya
