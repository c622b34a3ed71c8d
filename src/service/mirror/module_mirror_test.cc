// The module mirror over a real catalog, with an upstream that does what the test says.
#include "service/mirror/module_mirror.h"
#include "base/manual_clock_fake.h"
#include "service/mirror/gate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "base/run_task.h"
#include "base/temp_folder_fake.h"
#include "blobs/memory/memory_blob_store.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/replica_catalog.h"
#include "catalog/upstream_catalog.h"
#include "domain/audit_record.h"
#include "domain/replica_record.h"
#include "obs/line_writer.h"
#include "obs/log.h"
#include "service/common/change_feed.h"
#include "service/common/last_used_tracker.h"
#include "service/common/refused_updates_fake.h"
#include "service/mirror/cached_index.h"
#include "service/mirror/mirror.h"
#include "service/mirror/mirror_setup.h"
#include "service/mirror/upstream_fake.h"

namespace koya::service {
namespace {

class ModuleMirrorTest : public ::testing::Test {
 protected:
  ModuleMirrorTest() {
    changes_ = std::make_unique<ChangeFeed>(catalog_);
    uses_ = std::make_unique<LastUsedTracker>(catalog_, log_);
    Make({});
  }

  // A new mirror without state in memory, after running fetches have been stored. `hosts`: the
  // hosts that may be pulled from.
  void Make(ModuleMirrorOptions options,
            std::vector<HostName> hosts = {Vpc("registry.example.org").host}) {
    mirror_.reset();
    mirror_ = std::make_unique<Mirror>(
        MirrorDependencies{catalog_, blobs_, *changes_, clock_, *uses_, log_, providers_,
                           upstream_},
        MirrorSetup{.policy = PullPolicy::Make({}, {}, std::move(hosts)).value(),
                    .module_fetch = {.scratch_folder = folder_.path(), .room = room_},
                    .modules = options});
  }
  static std::optional<DiskSpace> LooksEmpty(const std::filesystem::path&) {
    return DiskSpace{.blocks = 1ULL << 40, .free_blocks = 1ULL << 40};
  }
  static UpstreamModule Vpc(std::string_view host = "registry.example.org") {
    return {*HostName::Parse(host), *ModuleAddress::Parse("acme/vpc/aws")};
  }
  static Version One() { return *Version::Parse("1.0.0"); }
  Result<MirroredModuleVersions> List() { return RunTask(mirror_->modules.ListVersions(Vpc())); }
  Result<UpstreamModuleVersion> Find() {
    return RunTask(mirror_->modules.FindVersion(Vpc(), One()));
  }
  Result<OpenMirroredModule> Open() {
    return RunTask(mirror_->modules.OpenArchive(Vpc(), One(), ArchiveKind::kTarGz));
  }
  static std::string BytesOf(Blob& blob) {
    std::string text(blob.size(), '\0');
    EXPECT_EQ(RunTask(blob.ReadAt(0, std::as_writable_bytes(std::span(text)))).value(),
              text.size());
    return text;
  }
  void ExpectFailure(const Error& error, ErrorKind kind, std::string_view part) {
    EXPECT_EQ(error.kind, kind) << error.message;
    EXPECT_NE(error.message.find(part), std::string::npos) << error.message;
  }

  TempFolder folder_;
  ManualClock clock_;
  LineWriter lines_{{.descriptor = -1}};
  Logger log_{lines_, LogLevel::kInfo};
  MemoryBlobStore blobs_;
  FakeModules upstream_;
  FakeUpstream providers_;
  DiskQuota room_{.folder = "/", .least_percent = 50, .look_every = 1, .look = LooksEmpty};
  TestCatalog catalog_;
  std::unique_ptr<ChangeFeed> changes_;
  std::unique_ptr<LastUsedTracker> uses_;
  std::unique_ptr<Mirror> mirror_;
};

const Error kDown{ErrorKind::kBadUpstream, "registry.example.org answered 503", {}};

TEST_F(ModuleMirrorTest, AsksForAListAgainWhenItIsNoLongerFresh) {
  auto list = List();
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->versions, (std::vector<std::string>{"1.1.0", "1.0.0"}));
  ASSERT_TRUE(List());
  EXPECT_EQ(upstream_.asked_versions, 1);
  clock_.now += 301;
  upstream_.unchanged = true;
  ASSERT_TRUE(List());  // confirmed by a 304
  EXPECT_EQ(upstream_.asked_versions, 2);
  clock_.now += 301;
  upstream_.unchanged = false;
  upstream_.versions.emplace_back("2.0.0");
  EXPECT_EQ(List()->versions.size(), 3U);
  clock_.now += 301;
  upstream_.failure = kDown;
  list = List();
  ASSERT_TRUE(list);
  EXPECT_TRUE(list->stale);
  EXPECT_EQ(list->versions.size(), 3U);
  EXPECT_EQ(mirror_->modules.list_counters().stale, 1U);
  EXPECT_EQ(mirror_->modules.list_counters().failures, 1U);
}

TEST_F(ModuleMirrorTest, ReleaseTimesAreKeptAndAskedForOnce) {
  upstream_.discovered["1.1.0"] = "2026-04-07T10:11:12Z";
  upstream_.published["1.0.0"] = "2025-04-07T10:11:12+02:00";
  upstream_.details_source = "git@github.com:acme/vpc.git";
  auto list = List();
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->times.FindTime("1.1.0"), ParseTimestamp("2026-04-07T10:11:12Z"));
  EXPECT_EQ(list->times.FindTime("1.0.0"), std::nullopt);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(Find());
  Make({});  // waits for the details
  EXPECT_EQ(upstream_.asked_details, 1);
  EXPECT_EQ(List()->times.FindTime("1.0.0"), ParseTimestamp("2025-04-07T08:11:12Z"));
  ASSERT_TRUE(List()->source);
  EXPECT_EQ(List()->source->url(), "https://github.com/acme/vpc");
  upstream_.versions.emplace_back("1.2.0");
  upstream_.discovered["1.1.0"] = "2020-04-07T10:11:12Z";
  clock_.now += 1000;
  list = List();
  EXPECT_EQ(list->times.FindTime("1.2.0"), std::optional<UnixSeconds>(clock_.now));
  EXPECT_EQ(list->times.FindTime("1.1.0"), ParseTimestamp("2026-04-07T10:11:12Z"));
}

TEST_F(ModuleMirrorTest, BringsAModuleOnceAndKeepsIt) {
  auto found = Find();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(found->held);
  EXPECT_EQ(found->source, "https://git.example/vpc?ref=v1.0.0");
  upstream_.failure = kDown;
  EXPECT_EQ(Find()->digest, found->digest);
  auto open = Open();
  ASSERT_TRUE(open) << open.error().message;
  std::string bytes = BytesOf(*open->blob);
  EXPECT_EQ(Digest::Of(bytes), found->digest);
  auto inspection = InspectText(bytes);  // it could be published: the module is at its root
  ASSERT_TRUE(inspection) << inspection.error().message;
  EXPECT_TRUE(inspection->top_folder.empty());
  EXPECT_EQ(inspection->entries, 3U);
  EXPECT_EQ(upstream_.asked_packages, 1);
}

TEST_F(ModuleMirrorTest, AModuleWhoseUseCannotBeNotedIsServedAllTheSame) {
  ASSERT_TRUE(Find());
  clock_.now += 7200;
  RefuseUpdates(catalog_.file(), "held_blob", "used_at");
  auto open = Open();
  ASSERT_TRUE(open) << open.error().message;
  EXPECT_EQ(Digest::Of(BytesOf(*open->blob)), open->record.digest);
  RunTask(uses_->Write());
  EXPECT_TRUE(Open());
}

TEST_F(ModuleMirrorTest, WhatWasSeenFirstStays) {
  Digest first = Find()->digest;
  ASSERT_TRUE(RunTask(catalog_.upstream_holdings().ReleaseHeld(Actor::Server(), first, "damaged")));
  upstream_.salt = "another";
  EXPECT_EQ(Find()->digest, first);  // the document comes from the pin
  auto open = Open();
  ASSERT_FALSE(open);
  ExpectFailure(open.error(), ErrorKind::kBadUpstream, "has changed upstream");
  EXPECT_EQ(mirror_->module_fetch.counters().changed, 1U);
  upstream_.salt.clear();
  ASSERT_TRUE(Open());
  EXPECT_EQ(Open()->record.digest, first);
  EXPECT_TRUE(Find()->held);
}

TEST_F(ModuleMirrorTest, ManyAskAndUpstreamIsAskedOnce) {
  std::promise<void> release;
  std::shared_future<void> go = release.get_future().share();
  upstream_.before_fetch = [go] { go.wait(); };
  std::atomic<int> served = 0;
  {
    std::vector<std::jthread> clients;
    for (int i = 0; i < 10; ++i) clients.emplace_back([&] { served += Find() ? 1 : 0; });
    release.set_value();
  }
  EXPECT_EQ(served, 10);
  EXPECT_EQ(upstream_.asked_packages, 1);
}

TEST_F(ModuleMirrorTest, AServerThatIsAloneTakesNoLease) {
  upstream_.before_fetch = [this] {
    EXPECT_TRUE(RunTask(catalog_.leases().ListLeases()).value().empty());
  };
  EXPECT_TRUE(Find());
  EXPECT_EQ(upstream_.asked_packages, 1);
}

TEST_F(ModuleMirrorTest, TellsThoseWhoCannotWaitToComeBack) {
  Make({.patience = std::chrono::milliseconds(10), .retry_after = 7});
  std::promise<void> release;
  std::shared_future<void> go = release.get_future().share();
  upstream_.before_fetch = [go] { go.wait(); };
  auto found = Find();
  ASSERT_FALSE(found);
  ExpectFailure(found.error(), ErrorKind::kUnavailable, "still being fetched");
  EXPECT_EQ(found.error().retry_after, 7U);
  release.set_value();
  ASSERT_TRUE(Open());  // waits for the same fetch
  ASSERT_TRUE(Find());
  EXPECT_EQ(upstream_.asked_packages, 1);
}

TEST_F(ModuleMirrorTest, SaysWhyThereIsNothing) {
  auto elsewhere = RunTask(mirror_->modules.FindVersion(Vpc("other.example.org"), One()));
  ExpectFailure(elsewhere.error(), ErrorKind::kNotFound, "upstream.hosts");
  ExpectFailure(RunTask(mirror_->modules.ListVersions(Vpc("other.example.org"))).error(),
                ErrorKind::kNotFound, "upstream.hosts");
  upstream_.failure = kDown;
  ExpectFailure(List().error(), ErrorKind::kBadUpstream, "503");
  ExpectFailure(Find().error(), ErrorKind::kBadUpstream, "503");
  EXPECT_EQ(mirror_->module_fetch.counters().failures, 1U);
  upstream_.failure = Error{ErrorKind::kNotFound, "no such version", {}};
  ExpectFailure(Find().error(), ErrorKind::kNotFound, "no such version");
  EXPECT_EQ(mirror_->module_fetch.counters().failures, 1U);
  upstream_.failure.reset();
  mirror_->policy = *PullPolicy::Make({}, {"*/acme/*/*"}, {Vpc().host});
  mirror_->gate.Invalidate("");
  ExpectFailure(Find().error(), ErrorKind::kForbidden, "policy.deny");
  ExpectFailure(Open().error(), ErrorKind::kForbidden, "policy.deny");
  ExpectFailure(List().error(), ErrorKind::kForbidden, "policy.deny");
  Make({.enabled = false});
  ExpectFailure(Find().error(), ErrorKind::kNotFound, "mirror.modules");
  EXPECT_EQ(upstream_.asked_packages, 2);
}

TEST_F(ModuleMirrorTest, AVersionThatIsPinnedIsNeverNotFoundBecauseUpstreamRemovedIt) {
  Digest digest = Find()->digest;
  ASSERT_TRUE(
      RunTask(catalog_.upstream_holdings().ReleaseHeld(Actor::Server(), digest, "damaged")));
  upstream_.failure = Error{ErrorKind::kNotFound, "no such version", {}};
  ExpectFailure(Open().error(), ErrorKind::kBadUpstream, "no such version");
  Make({}, {});
  ExpectFailure(Open().error(), ErrorKind::kNotFound, "upstream.hosts");
}

TEST_F(ModuleMirrorTest, AVersionThatUpstreamRemovedStaysListedWhileItIsHeld) {
  ASSERT_TRUE(Find());
  upstream_.versions = {"1.1.0"};
  auto list = List();
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->versions, (std::vector<std::string>{"1.1.0", "1.0.0"}));
  ASSERT_TRUE(RunTask(
      catalog_.upstream_holdings().ReleaseHeld(Actor::Server(), Find()->digest, "damaged")));
  EXPECT_EQ(List()->versions, std::vector<std::string>{"1.1.0"});  // it could not be had
}

TEST_F(ModuleMirrorTest, APullEndsWhenTheDiskFillsWhileItArrivesOrIsRepacked) {
  int good = 0;
  for (bool found = false; !found; ++good) {
    ASSERT_LT(good, 100);
    room_.look = [left = std::make_shared<int>(good)](const std::filesystem::path&) {
      return DiskSpace{.blocks = 1000, .free_blocks = (*left)-- > 0 ? 1'000'000U : 0U};
    };
    Make({});
    auto pulled = Find();
    found = pulled.has_value();
    if (!found) ExpectFailure(pulled.error(), ErrorKind::kStorageFull, "mirror.min_free");
  }
  EXPECT_GE(good - 1, 5) << "before, announced, arriving, to be repacked, repacking";
}

TEST_F(ModuleMirrorTest, SlowArchivesOfOneHostLeaveThreadsToTheOthers) {
  std::promise<void> release;
  std::shared_future<void> go = release.get_future().share();
  upstream_.before_bytes = [go](std::string_view authority) {
    if (authority == "slow.example") go.wait();
  };
  upstream_.archive_host = "slow.example";
  std::vector<std::jthread> clients;
  for (int i = 0; i < 40; ++i) {
    clients.emplace_back([this, i] {
      RunTask(mirror_->modules.FindVersion(Vpc(), *Version::Parse(fmt::format("2.{}.0", i))));
    });
  }
  // Half of the threads hang, and the others wait for their turn.
  const FairPool& pool = mirror_->pools.modules;
  while (upstream_.asked_locations < 40 || pool.taken() != 16 || pool.waiting() != 24) {
    std::this_thread::yield();
  }
  upstream_.archive_host = "good.example";
  auto good = Find();
  EXPECT_TRUE(good) << good.error().message;
  release.set_value();
  clients.clear();
}

TEST_F(ModuleMirrorTest, KeepsNothingOfWhatIsNoModule) {
  struct Row {
    std::string package;
    std::string folder;
    std::string_view expected;
  };
  const std::vector<Row> kRows = {
      {"<html>not found</html>", "", "neither"},
      {TarGz({{.name = "README.md"}}), "", "has no .tf"},
      {TarGz({{.name = "a/main.tf"}}), "b", "no folder \"b\""},
      {TarGz({{.name = "../main.tf"}}), "", "\"..\""},
      {upstream_.Package("1.0.0").substr(0, 100), "*", ""},
      {Gzip(std::string(3 << 20, '\0')), "", "200 times"},
  };
  for (const Row& row : kRows) {
    upstream_.package = row.package;
    upstream_.folder = row.folder;
    auto found = Find();
    ASSERT_FALSE(found) << row.expected;
    ExpectFailure(found.error(), ErrorKind::kBadUpstream, "acme/vpc/aws 1.0.0: ");
    EXPECT_NE(found.error().message.find(row.expected), std::string::npos) << found.error().message;
  }
  EXPECT_TRUE(RunTask(catalog_.upstream_modules().ListUpstreamModuleVersions(Vpc()))->empty());
  EXPECT_EQ(RunTask(catalog_.upstream_holdings().HeldBytes()).value(), 0U);
  upstream_.package.reset();
  upstream_.folder = "*";
  EXPECT_TRUE(Find());
}

TEST_F(ModuleMirrorTest, ServesWhatIsPinnedOfModulesItMayNotPull) {
  ASSERT_TRUE(Find());
  Make({}, {});
  auto list = List();
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->versions, std::vector<std::string>{"1.0.0"});
  EXPECT_TRUE(Open());
}

}  // namespace
}  // namespace koya::service
