#include "service/modules/module_comparison.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <vector>

#include "archive/archive_builder_fake.h"
#include "base/byte_budget.h"
#include "base/manual_clock_fake.h"
#include "base/offload.h"
#include "base/run_task.h"
#include "base/text_source_fake.h"
#include "blobs/memory/memory_blob_store.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/module_catalog.h"
#include "service/common/change_feed.h"
#include "service/common/reading.h"
#include "service/modules/module_metadata.h"
#include "service/modules/publish_module.h"
#include "service/search/index_queue.h"
#include "wire/comparison.h"

namespace koya::service {
namespace {

class ModuleComparisonTest : public ::testing::Test {
 protected:
  ModuleComparisonTest() {
    changes_ = std::make_unique<ChangeFeed>(catalog_);
    insides_ = std::make_unique<ModuleMetadata>(catalog_, blobs_, workers_, ArchiveLimits{});
    judge_ = std::make_unique<SemverCheck>(catalog_, *insides_, workers_, SemverRule::kOff);
    publisher_ = std::make_unique<ModulePublisher>(catalog_, blobs_, workers_, *changes_, *insides_,
                                                   *judge_, index_, clock_, PublishOptions{});
    Publish("1.0.0", "variable \"a\" {}\n");
    Publish("1.1.0", "");
  }

  void Publish(std::string_view version, std::string_view text) {
    TextSource upload(TarGz({{.name = "main.tf", .content = std::string(text)}}));
    ModulePublisher::Request request{
        .publisher = {.name = "ci", .scope = Scope::kAdmin, .namespaces = {}},
        .address = module_,
        .version = *Version::Parse(version),
        .description = ""};
    auto outcome = RunTask(publisher_->Publish(request, upload));
    ASSERT_TRUE(outcome) << outcome.error().message;
  }

  void PublishFiles(std::string_view version, const std::vector<TarSpec>& files) {
    TextSource upload(TarGz(files));
    ModulePublisher::Request request{
        .publisher = {.name = "ci", .scope = Scope::kAdmin, .namespaces = {}},
        .address = module_,
        .version = *Version::Parse(version),
        .description = ""};
    auto outcome = RunTask(publisher_->Publish(request, upload));
    ASSERT_TRUE(outcome) << outcome.error().message;
  }
  // "changed main.tf +1 -0: -a|+b", of each file; "…" at the end when something is missing.
  std::vector<std::string> Sources(std::string_view from, std::string_view to) {
    ModuleComparison comparison(catalog_, *insides_);
    auto diff = RunTask(comparison.CompareSources(module_, *Version::Parse(from),
                                                  *Version::Parse(to), insides_->OwnReading()));
    if (!diff) return {diff.error().message};
    std::vector<std::string> texts;
    for (const wire::FileDiff& file : (*diff)->files) {
      std::string text =
          fmt::format("{} {} +{} -{}:", file.status, file.path, file.added, file.removed);
      if (file.binary) text += " binary";
      if (file.cut) text += " cut";
      if (file.added + file.removed < 10) {
        for (const wire::DiffHunk& hunk : file.hunks) {
          for (const wire::DiffLine& line : hunk.lines) text += " " + line.op + line.text;
        }
      }
      texts.push_back(std::move(text));
    }
    if ((*diff)->cut) texts.emplace_back("…");
    encoded_ = wire::Encode(**diff).size();
    return texts;
  }

  Result<SharedComparison> Compare(std::string_view from, std::string_view to,
                                   ComparisonLimits bounds = {}) {
    ModuleComparison comparison(catalog_, *insides_, bounds);
    return RunTask(comparison.Compare(module_, *Version::Parse(from), *Version::Parse(to),
                                      insides_->OwnReading()));
  }

  std::size_t encoded_ = 0;  // bytes of the last document of Sources()
  ManualClock clock_;
  WorkerPool workers_{2};
  MemoryBlobStore blobs_;
  TestCatalog catalog_;
  std::unique_ptr<ChangeFeed> changes_;
  std::unique_ptr<ModuleMetadata> insides_;
  std::unique_ptr<SemverCheck> judge_;
  IndexQueue index_;
  std::unique_ptr<ModulePublisher> publisher_;
  ModuleAddress module_ = *ModuleAddress::Parse("acme/vpc/aws");
};

TEST_F(ModuleComparisonTest, ComparesInBothDirections) {
  auto there = Compare("1.0.0", "1.1.0");
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_EQ((*there)->verdict, "major");
  EXPECT_EQ((*there)->given, "minor");
  EXPECT_FALSE((*there)->agrees);
  EXPECT_EQ((*there)->wanted, "2.0.0");
  ASSERT_EQ((*there)->changes.size(), 1U);
  EXPECT_EQ((*there)->changes.front().kind, "removed");
  auto back = Compare("1.1.0", "1.0.0");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_TRUE((*back)->agrees);
  EXPECT_EQ((*back)->changes.front().kind, "added");
}

TEST_F(ModuleComparisonTest, NamesTheVersionThatIsNotThere) {
  for (auto [from, to] : {std::pair{"9.9.9", "1.0.0"}, {"1.0.0", "9.9.9"}}) {
    auto compared = Compare(from, to);
    ASSERT_FALSE(compared);
    EXPECT_EQ(compared.error().kind, ErrorKind::kNotFound);
    EXPECT_NE(compared.error().message.find("9.9.9"), std::string::npos)
        << compared.error().message;
  }
}

TEST_F(ModuleComparisonTest, IsBounded) {
  auto busy = Compare("1.0.0", "1.1.0", {.at_once = 0});
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().kind, ErrorKind::kUnavailable);
  EXPECT_GT(busy.error().retry_after, 0U);
}

// Both versions at once, whatever the reader has besides; the claim ends with the work.
TEST_F(ModuleComparisonTest, ClaimsForBothVersions) {
  ByteBudget budget({.patience = std::chrono::milliseconds(0)});
  ReadingBudget room{budget, workers_, workers_};
  ModuleComparison comparison(catalog_, *insides_);
  auto compare = [&] {
    return RunTask(comparison.Compare(module_, *Version::Parse("1.0.0"), *Version::Parse("1.1.0"),
                                      Reading(room, "192.0.2.1", nullptr)));
  };
  EXPECT_TRUE(compare());
  EXPECT_EQ(budget.held(), 0U);
  auto others = RunTask(budget.ClaimBytes("other", 1U << 20U));
  std::vector<std::shared_ptr<ByteBudget::Claim>> small;
  while (auto claim = RunTask(budget.ClaimBytes(std::to_string(small.size()), 1U << 20U))) {
    small.push_back(*claim);
  }
  auto refused = compare();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(IsTurnedAway(refused.error()));
}

// A caller whose timeout expires gets an error, and the work ends in the background.
TEST_F(ModuleComparisonTest, NobodyWaitsForLong) {
  std::promise<void> hold;
  std::shared_future<void> held = hold.get_future().share();
  workers_.Post([held] { held.wait(); });
  workers_.Post([held] { held.wait(); });
  ModuleComparison comparison(catalog_, *insides_, {.patience = std::chrono::milliseconds(50)});
  auto late = RunTask(comparison.Compare(module_, *Version::Parse("1.0.0"),
                                         *Version::Parse("1.1.0"), insides_->OwnReading()));
  hold.set_value();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::kUnavailable);
  EXPECT_GT(late.error().retry_after, 0U);
}

// Nothing of it is kept, as of versions that were published before there was a reader.
TEST_F(ModuleComparisonTest, ALostArchiveIsNoMissingVersion) {
  ModuleVersionRecord lost{.address = module_,
                           .version = *Version::Parse("1.2.0"),
                           .kind = ArchiveKind::kTarGz,
                           .digest = Digest::Of("lost"),
                           .size = 4,
                           .upload_digest = Digest::Of("lost"),
                           .description = "",
                           .published_by = "ci"};
  ASSERT_TRUE(RunTask(catalog_.modules().AddVersion(Actor::Server(), lost, VersionExtras{})));
  auto compared = Compare("1.0.0", "1.2.0");
  ASSERT_FALSE(compared);
  EXPECT_EQ(compared.error().kind, ErrorKind::kCorrupt) << compared.error().message;
  EXPECT_NE(compared.error().message.find("acme/vpc/aws 1.2.0"), std::string::npos)
      << compared.error().message;
}

TEST_F(ModuleComparisonTest, SourcesAreComparedFileByFile) {
  const std::string binary("\0\1", 2);
  PublishFiles("2.0.0", {{.name = "main.tf", .content = "a\nb\nc\n"},
                         {.name = "gone.tf", .content = "x\n"},
                         {.name = "same.tf", .content = "y\n"},
                         {.name = "logo.png", .content = binary}});
  PublishFiles("2.1.0", {{.name = "main.tf", .content = "a\nB\nc"},
                         {.name = "same.tf", .content = "y\n"},
                         {.name = "new/x.tf", .content = "z\n"},
                         {.name = "logo.png", .content = binary + "2"}});
  using Texts = std::vector<std::string>;
  EXPECT_EQ(Sources("2.0.0", "2.1.0"),
            (Texts{"removed gone.tf +0 -1: -x", "changed logo.png +0 -0: binary",
                   "changed main.tf +2 -2:  a -b -c +B +c \\ No newline at end of file",
                   "added new/x.tf +1 -0: +z"}));
  EXPECT_EQ(Sources("2.1.0", "2.1.0"), Texts{});
  EXPECT_TRUE(Sources("2.1.0", "9.0.0")[0].contains("9.0.0"));
}

TEST_F(ModuleComparisonTest, SourcesWithoutACommonFileAreAllAddedAndRemoved) {
  PublishFiles("2.0.0", {{.name = "a.tf", .content = "a\n"}});
  PublishFiles("2.1.0", {{.name = "b.tf", .content = "a\n"}});
  EXPECT_EQ(Sources("2.0.0", "2.1.0"),
            (std::vector<std::string>{"removed a.tf +0 -1: -a", "added b.tf +1 -0: +a"}));
}

TEST_F(ModuleComparisonTest, LargeSourcesAreCutAndSaySo) {
  std::string before;
  std::string after;
  for (int i = 0; i < 100'000; ++i) {
    before += fmt::format("{}\n", i);
    after += fmt::format("{}\n", i + 100'000);
  }
  std::string noise;  // its archive may not be a bomb
  for (std::uint32_t i = 0, seed = 7; i < 12'000'000; ++i) {
    seed = seed * 1664525 + 1013904223;
    noise += static_cast<char>('a' + (seed >> 27U));
  }
  PublishFiles("2.0.0", {{.name = "lines.tf", .content = before},
                         {.name = "main.tf", .content = ""},
                         {.name = "noise.txt", .content = noise}});
  noise.back() = '!';
  PublishFiles("2.1.0", {{.name = "lines.tf", .content = after},
                         {.name = "main.tf", .content = "a\n"},
                         {.name = "noise.txt", .content = noise}});
  EXPECT_EQ(
      Sources("2.0.0", "2.1.0"),
      (std::vector<std::string>{"changed lines.tf +100000 -100000: cut",
                                "changed main.tf +1 -0: +a", "changed noise.txt +0 -0: cut", "…"}))
      << "the last byte of a long file counts, too";
  EXPECT_LT(encoded_, 500'000U);
}

TEST_F(ModuleComparisonTest, ManyChangedFilesStayWithinTheLimitOfADocument) {
  std::vector<TarSpec> before{{.name = "main.tf", .content = "x\n"}};
  std::vector<TarSpec> after = before;
  for (int i = 0; i < 5'100; ++i) {
    const std::string name = fmt::format("files/{:0>40}.tf", i);
    std::string text;
    for (int line = 0; line < 12; ++line) text += fmt::format("\"{}\" {}\n", i, line);
    after.push_back({.name = name, .content = text});
  }
  PublishFiles("2.0.0", before);
  PublishFiles("2.1.0", after);
  const std::vector<std::string> texts = Sources("2.0.0", "2.1.0");
  EXPECT_GT(texts.size(), 3'000U);
  EXPECT_EQ(texts.back(), "…");
  EXPECT_LT(encoded_, 2'000'000U);
  EXPECT_GT(encoded_, 1'000'000U);
}

}  // namespace
}  // namespace koya::service
