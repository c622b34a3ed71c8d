#include "service/modules/module_comparison.h"

#include <gtest/gtest.h>

#include <future>
#include <string>

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

  Result<SharedComparison> Compare(std::string_view from, std::string_view to,
                                   ComparisonLimits bounds = {}) {
    ModuleComparison comparison(catalog_, *insides_, bounds);
    return RunTask(comparison.Compare(module_, *Version::Parse(from), *Version::Parse(to),
                                      insides_->OwnReading()));
  }

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

}  // namespace
}  // namespace koya::service
