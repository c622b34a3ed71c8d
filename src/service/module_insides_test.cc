#include "service/module_insides.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "archive/archive_builder_fake.h"
#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "base/text_source_fake.h"
#include "blobs/memory/memory_blob_store.h"
#include "catalog/catalog_parts_fake.h"
#include "inspect/contents.h"
#include "inspect/contents_json.h"
#include "service/change_feed.h"
#include "service/index_queue.h"
#include "service/publish_module.h"

namespace koya::service {
namespace {

class ModuleInsidesTest : public ::testing::Test {
 protected:
  ModuleInsidesTest() {
    changes_ = std::make_unique<ChangeFeed>(catalog_);
    insides_ = Anew();
    judge_ = std::make_unique<VersionJudge>(catalog_, *insides_, workers_, SemverRule::kOff);
    publisher_ = std::make_unique<ModulePublisher>(catalog_, blobs_, workers_, *changes_, *insides_,
                                                   *judge_, index_, clock_, PublishOptions{});
  }

  // As of a server that was just started.
  std::unique_ptr<ModuleInsides> Anew() {
    return std::make_unique<ModuleInsides>(catalog_, blobs_, workers_, ArchiveLimits{});
  }

  ModuleArchive Publish(std::string_view version, std::string_view text) {
    TextSource upload(TarGz({{.name = "main.tf", .content = std::string(text)}}));
    ModulePublisher::Request request{
        .publisher = {.name = "ci", .scope = Scope::kAdmin, .namespaces = {}},
        .address = module_,
        .version = *Version::Parse(version),
        .description = ""};
    auto outcome = RunTask(publisher_->Publish(request, upload));
    EXPECT_TRUE(outcome) << outcome.error().message;
    return ArchiveOf(outcome->record);
  }

  SharedContents Find(ModuleInsides& insides, const ModuleArchive& archive) {
    auto contents = RunTask(insides.Find(archive));
    EXPECT_TRUE(contents) << contents.error().message;
    return contents ? *contents : nullptr;
  }

  ManualClock clock_;
  WorkerPool workers_{2};
  MemoryBlobStore blobs_;
  TestCatalog catalog_;
  std::unique_ptr<ChangeFeed> changes_;
  std::unique_ptr<ModuleInsides> insides_;
  std::unique_ptr<VersionJudge> judge_;
  IndexQueue index_;
  std::unique_ptr<ModulePublisher> publisher_;
  ModuleAddress module_ = *ModuleAddress::Parse("acme/vpc/aws");
};

TEST_F(ModuleInsidesTest, WhatWasPublishedOrAskedForLatelyIsInMemory) {
  const ModuleArchive archive = Publish("1.0.0", "variable \"a\" {}\n");
  const SharedContents published = Find(*insides_, archive);
  ASSERT_EQ(published->root.inputs.size(), 1U);
  EXPECT_EQ(Find(*insides_, archive), published);
  auto fresh = Anew();
  const SharedContents read = Find(*fresh, archive);
  EXPECT_EQ(Find(*fresh, archive), read);
  // What was read of the archive, and what was read of the catalog, are the same.
  EXPECT_EQ(inspect::EncodeContents(*read), inspect::EncodeContents(*published));
}

TEST_F(ModuleInsidesTest, EachVersionHasItsOwn) {
  const ModuleArchive first = Publish("1.0.0", "variable \"a\" {}\n");
  const ModuleArchive second = Publish("1.1.0", "variable \"a\" {}\nvariable \"b\" {}\n");
  EXPECT_EQ(Find(*insides_, first)->root.inputs.size(), 1U);
  EXPECT_EQ(Find(*insides_, second)->root.inputs.size(), 2U);
  // The same bytes under another number are another version: some of what is read depends on it.
  const ModuleArchive third = Publish("1.2.0", "variable \"a\" {}\n");
  EXPECT_EQ(third.digest, first.digest);
  EXPECT_NE(Find(*insides_, third), Find(*insides_, first));
}

TEST_F(ModuleInsidesTest, WhatIsLargeIsNotKeptInMemory) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "variable \"v" + std::to_string(i) + "\" {}\n";
  const ModuleArchive archive = Publish("1.0.0", text);
  const SharedContents first = Find(*insides_, archive);
  EXPECT_EQ(first->root.inputs.size(), 10'000U);
  EXPECT_NE(Find(*insides_, archive), first);
}

TEST_F(ModuleInsidesTest, WhatAWorseReaderFoundIsLookedUpAgain) {
  const ModuleArchive archive = Publish("1.0.0", "variable \"a\" {}\n");
  auto fresh = Anew();
  const ContentsRecord worse{.reader = 1, .body = "{}"};
  fresh->Remember(archive, std::make_shared<const inspect::ModuleContents>(), worse);
  EXPECT_EQ(Find(*fresh, archive)->root.inputs.size(), 1U);
}

}  // namespace
}  // namespace koya::service
