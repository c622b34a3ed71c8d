#include "service/modules/module_metadata.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_builder_fake.h"
#include "base/byte_budget.h"
#include "base/manual_clock_fake.h"
#include "base/offload.h"
#include "base/run_task.h"
#include "base/text_source_fake.h"
#include "blobs/memory/memory_blob_store.h"
#include "catalog/catalog_parts_fake.h"
#include "inspect/contents.h"
#include "service/common/change_feed.h"
#include "service/common/reading.h"
#include "service/modules/publish_module.h"
#include "service/search/index_queue.h"

namespace koya::service {
namespace {

class ModuleInsidesTest : public ::testing::Test {
 protected:
  ModuleInsidesTest() {
    changes_ = std::make_unique<ChangeFeed>(catalog_);
    insides_ = Anew();
    judge_ = std::make_unique<SemverCheck>(catalog_, *insides_, workers_, SemverRule::kOff);
    publisher_ = std::make_unique<ModulePublisher>(catalog_, blobs_, workers_, *changes_, *insides_,
                                                   *judge_, index_, clock_, PublishOptions{});
  }

  // As of a server that was just started.
  std::unique_ptr<ModuleMetadata> Anew() {
    return std::make_unique<ModuleMetadata>(catalog_, blobs_, workers_, ArchiveLimits{});
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

  SharedContents Find(ModuleMetadata& insides, const ModuleArchive& archive) {
    auto contents = RunTask(insides.FindContents(archive, Reader()));
    EXPECT_TRUE(contents) << contents.error().message;
    return contents ? *contents : nullptr;
  }

  Reading Reader() { return {room_, "192.0.2.1", nullptr}; }

  ManualClock clock_;
  WorkerPool workers_{2};
  ByteBudget budget_{{.patience = std::chrono::milliseconds(0)}};
  ReadingBudget room_{budget_, workers_, workers_};
  MemoryBlobStore blobs_;
  TestCatalog catalog_;
  std::unique_ptr<ChangeFeed> changes_;
  std::unique_ptr<ModuleMetadata> insides_;
  std::unique_ptr<SemverCheck> judge_;
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
  // Contents from the archive equal those from the catalog.
  EXPECT_EQ(inspect::EncodeContents(*read), inspect::EncodeContents(*published));
}

TEST_F(ModuleInsidesTest, EachVersionHasItsOwn) {
  const ModuleArchive first = Publish("1.0.0", "variable \"a\" {}\n");
  const ModuleArchive second = Publish("1.1.0", "variable \"a\" {}\nvariable \"b\" {}\n");
  EXPECT_EQ(Find(*insides_, first)->root.inputs.size(), 1U);
  EXPECT_EQ(Find(*insides_, second)->root.inputs.size(), 2U);
  // The same bytes under another number are another version: some contents depend on the number.
  const ModuleArchive third = Publish("1.2.0", "variable \"a\" {}\n");
  EXPECT_EQ(third.digest, first.digest);
  EXPECT_NE(Find(*insides_, third), Find(*insides_, first));
}

// A published version stays, so its author is the first to know.
TEST_F(ModuleInsidesTest, FilesThatSeemToHoldSecretsAreToldOrRefused) {
  const std::string upload =
      TarGz({{.name = "v/main.tf", .content = "variable \"a\" {\n  type =\n}\n"},
             {.name = "v/examples/one/terraform.tfvars"},
             {.name = "v/modules/a/.env"},
             {.name = "v/terraform.tfstate"}});
  int minor = 0;
  const auto publish = [&](SemverRule secrets, std::string_view bytes, bool dry_run) {
    ModulePublisher publisher(catalog_, blobs_, workers_, *changes_, *insides_, *judge_, index_,
                              clock_, PublishOptions{.secrets = secrets});
    ModulePublisher::Request request{
        .publisher = {.name = "ci", .scope = Scope::kAdmin, .namespaces = {}},
        .address = module_,
        .version = *Version::Parse(fmt::format("1.{}.0", minor++)),
        .description = "",
        .dry_run = dry_run};
    TextSource source{std::string(bytes)};
    return RunTask(publisher.Publish(request, source));
  };
  for (bool dry_run : {true, false}) {
    auto told = publish(SemverRule::kWarn, upload, dry_run);
    ASSERT_TRUE(told) << told.error().message;
    ASSERT_EQ(told->warnings.size(), 3U);
    EXPECT_EQ(told->warnings[0].file, "modules/a/.env");
    EXPECT_EQ(told->warnings[1].file, "terraform.tfstate");
    EXPECT_NE(told->warnings[1].text.find("the state"), std::string::npos);
    EXPECT_EQ(told->warnings[2].file, "main.tf");
    // Not part of the stored contents, which everyone may read.
    if (!dry_run) EXPECT_EQ(Find(*insides_, ArchiveOf(told->record))->warnings.size(), 1U);
    EXPECT_EQ(publish(SemverRule::kOff, upload, dry_run)->warnings.size(), 1U);
    auto refused = publish(SemverRule::kRefuse, upload, dry_run);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::kRefused);
    for (const char* part : {"modules/a/.env: ", "; terraform.tfstate: ", ".terraformignore"}) {
      EXPECT_NE(refused.error().message.find(part), std::string::npos) << refused.error().message;
    }
    EXPECT_TRUE(publish(SemverRule::kRefuse, TarGz({{.name = "main.tf"}}), dry_run));
  }
}

std::string ManyInputs() {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "variable \"v" + std::to_string(i) + "\" {}\n";
  return text;
}

TEST_F(ModuleInsidesTest, WhatIsLargeIsInMemoryWhileSomebodyHasIt) {
  const ModuleArchive archive = Publish("1.0.0", ManyInputs());
  SharedContents first = Find(*insides_, archive);
  EXPECT_EQ(first->root.inputs.size(), 10'000U);
  EXPECT_EQ(Find(*insides_, archive), first) << "readers share it";
  const std::weak_ptr<const inspect::ModuleContents> gone = first;
  first.reset();
  EXPECT_TRUE(gone.expired());
  EXPECT_EQ(Find(*insides_, archive)->root.inputs.size(), 10'000U);
}

// The row is measured before it is read.
TEST_F(ModuleInsidesTest, AReadingClaimsBeforeAnythingIsUnfolded) {
  const ModuleArchive archive = Publish("1.0.0", ManyInputs());
  const std::uint64_t page = RunTask(insides_->Measure(archive, {})).value();
  const std::uint64_t document =
      RunTask(insides_->Measure(archive, {.making = ContentsRequest::Making::kDocument})).value();
  EXPECT_GT(page, 10'000'000U);
  EXPECT_GT(document, page);
  {
    const Reading reader = Reader();
    auto contents = RunTask(insides_->FindContents(archive, reader));
    ASSERT_TRUE(contents);
    EXPECT_EQ(budget_.held(), page);
    EXPECT_EQ(reader.claimed(), page);
    auto older = RunTask(insides_->FindContents(archive, reader, {.beside = page}));
    EXPECT_EQ(budget_.held(), 2 * page) << "one more beside it";
  }
  EXPECT_EQ(budget_.held(), 0U);
  auto others = RunTask(budget_.ClaimBytes("other", 250U << 20U));
  auto refused = RunTask(insides_->FindContents(archive, Reader()));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(IsTurnedAway(refused.error()));
  EXPECT_GT(refused.error().retry_after, 0U);
  EXPECT_TRUE(RunTask(insides_->FindContents(archive, insides_->OwnReading())))
      << "the server's own work claims nothing";
}

TEST_F(ModuleInsidesTest, FilesAreClaimedBesideTheContents) {
  const ModuleArchive archive = Publish("1.0.0", "variable \"a\" {}\n");
  const Reading reader = Reader();
  ASSERT_TRUE(RunTask(reader.Claim(1000)));
  auto files = RunTask(insides_->ReadFiles(archive, reader, {"main.tf", "other.tf"}, 500));
  ASSERT_TRUE(files);
  EXPECT_EQ(files->size(), 1U);
  EXPECT_EQ(budget_.held(), 2000U);
}

// Of two who wait for the same contents, one decodes; both have the same when it is done.
TEST_F(ModuleInsidesTest, ThoseWhoAskAtOnceShareOneDecoding) {
  const ModuleArchive archive = Publish("1.0.0", ManyInputs());
  boost::asio::io_context loop(1);
  std::vector<SharedContents> found;
  auto ask = [&](int client) -> Awaitable<void> {
    const Reading reader(room_, std::to_string(client), nullptr);
    Result<SharedContents> contents = co_await insides_->FindContents(archive, reader);
    if (contents) found.push_back(*contents);
  };
  for (int i = 0; i < 5; ++i) boost::asio::co_spawn(loop, ask(i), boost::asio::detached);
  loop.run();
  ASSERT_EQ(found.size(), 5U);
  for (const SharedContents& each : found) EXPECT_EQ(each, found.front());
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
