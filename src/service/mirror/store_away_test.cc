// What the mirror does while the object store is away: what its registries have is served, pinned,
// and not kept. Likewise while the registry is frozen, and not pinned then.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>

#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "base/temp_folder_fake.h"
#include "blobs/blob_texts_fake.h"
#include "blobs/unreachable_blob_store_fake.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/replica_catalog.h"
#include "catalog/upstream_catalog.h"
#include "domain/actor.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"
#include "service/common/change_feed.h"
#include "service/common/freeze.h"
#include "service/common/last_used_tracker.h"
#include "service/mirror/check.h"
#include "service/mirror/gate.h"
#include "service/mirror/inventory.h"
#include "service/mirror/mirror.h"
#include "service/mirror/mirror_setup.h"
#include "service/mirror/upstream_fake.h"

namespace koya::service {
namespace {

const Version kFirstVersion = *Version::Parse("1.0.0");

class StoreAwayTest : public ::testing::Test {
 protected:
  StoreAwayTest() {
    changes_ = std::make_unique<ChangeFeed>(catalog_);
    uses_ = std::make_unique<LastUsedTracker>(catalog_, log_);
    const Installation made{.id = "id", .secret_mark = "mark"};
    EXPECT_TRUE(RunTask(catalog_.installation().AdoptInstallation(made)));
    Settle();
  }
  // Does not wait for pending uploads.
  ~StoreAwayTest() override { mirror_->pools.Stop(); }

  static UpstreamProvider Provider() {
    return {*HostName::Parse("registry.example.org"), *ProviderAddress::Parse("acme/demo")};
  }
  static UpstreamModule Module() {
    return {*HostName::Parse("registry.example.org"), *ModuleAddress::Parse("acme/vpc/aws")};
  }
  // A new mirror without state in memory, after running fetches and pending uploads have been
  // stored.
  void Settle() {
    mirror_.reset();
    MirrorSetup setup{
        .policy = PullPolicy::Make({}, {}, {Provider().host}).value(),
        .provider_fetch = {.pending_pause = std::chrono::milliseconds(200)},
        .module_fetch = {.scratch_folder = folder_.path()},
    };
    mirror_ = std::make_unique<Mirror>(
        MirrorDependencies{catalog_, blobs_, *changes_, clock_, *uses_, log_, upstream_, modules_,
                           nullptr, nullptr, nullptr, &freeze_},
        std::move(setup));
  }
  // As if the server had been stopped, and another one started.
  void Restart() {
    mirror_->pools.Stop();
    Settle();
  }
  void SetFrozen(bool frozen) {
    ASSERT_TRUE(RunTask(freeze_.SetFrozen(Actor::Server(), frozen, "")));
    freeze_.Invalidate("freeze");
  }
  Result<MirroredFile> Open(const std::string& rest) {
    return RunTask(mirror_->providers.OpenFile(Provider(), kFirstVersion,
                                               "terraform-provider-demo_1.0.0_" + rest));
  }
  static std::string Read(const Result<MirroredFile>& file) {
    if (!file) return file.error().message;
    return RunTask(ReadAll(file->blob)).value_or("cut off");
  }
  std::string Zip() { return upstream_.Zip("1.0.0", *Platform::Parse("linux_amd64")); }
  UpstreamRelease Pinned() {
    return RunTask(catalog_.upstream_releases().FindUpstreamRelease(Provider(), kFirstVersion))
        .value();
  }
  Result<UpstreamRelease> FindSigned() {
    return RunTask(
        mirror_->providers.FindSigned(Provider(), kFirstVersion, *Platform::Parse("linux_amd64")));
  }
  Result<OpenMirroredModule> OpenModule() {
    return RunTask(mirror_->modules.OpenArchive(Module(), kFirstVersion, ArchiveKind::kTarGz));
  }

  TempFolder folder_;
  ManualClock clock_;
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  UnreachableBlobStore blobs_;
  FakeUpstream upstream_;
  FakeModules modules_;
  TestCatalog catalog_;
  Freeze freeze_{catalog_};
  std::unique_ptr<ChangeFeed> changes_;
  std::unique_ptr<LastUsedTracker> uses_;
  std::unique_ptr<Mirror> mirror_;
};

TEST_F(StoreAwayTest, AReleaseThatNobodyHasAskedForIsServedAndKeptLater) {
  blobs_.away = true;
  EXPECT_EQ(Read(Open("linux_amd64.zip")), Zip());
  EXPECT_EQ(Pinned().packages.size(), 2U);
  EXPECT_FALSE(Pinned().signature) << "the catalog names nothing that is not stored";
  EXPECT_FALSE(Pinned().packages[1].held);
  // Its documents prove it to clients meanwhile.
  auto release = FindSigned();
  ASSERT_TRUE(release) << release.error().message;
  EXPECT_TRUE(release->signature);
  EXPECT_TRUE(release->fit_for_origin);
  EXPECT_NE(release->keys, "");
  const std::string sums = Read(Open("SHA256SUMS"));
  EXPECT_TRUE(sums.contains(Digest::Of(Zip()).hex())) << sums;
  EXPECT_EQ(Digest::Of(Read(Open("SHA256SUMS.sig"))), release->signature->digest);
  EXPECT_EQ(upstream_.asked_downloads, 1);
  EXPECT_EQ(mirror_->provider_fetch.owed().size(), 1U);
  blobs_.away = false;
  Settle();
  EXPECT_EQ(Pinned().signature, release->signature);
  EXPECT_EQ(Pinned().sums, release->sums);
  EXPECT_EQ(Pinned().keys, release->keys);
  EXPECT_TRUE(Pinned().fit_for_origin);
  EXPECT_EQ(Read(Open("SHA256SUMS")), sums);
  EXPECT_EQ(upstream_.asked_downloads, 1) << "nobody had to be asked again";
  EXPECT_EQ(Read(Open("linux_amd64.zip")), Zip());
  Settle();
  EXPECT_TRUE(Pinned().packages[1].held);
}

// ---- frozen

TEST_F(StoreAwayTest, AFrozenRegistryPassesAReleaseOnAndKeepsNothingOfIt) {
  SetFrozen(true);
  EXPECT_EQ(Read(Open("linux_amd64.zip")), Zip());
  const Result<UpstreamRelease> release = FindSigned();
  ASSERT_TRUE(release) << release.error().message;
  ASSERT_TRUE(release->signature);
  const std::string sums = Read(Open("SHA256SUMS"));
  EXPECT_TRUE(sums.contains(Digest::Of(Zip()).hex())) << sums;
  EXPECT_EQ(Digest::Of(Read(Open("SHA256SUMS.sig"))), release->signature->digest);
  EXPECT_EQ(RunTask(mirror_->providers.ListVersions(Provider())).value().document->versions.size(),
            2U);
  Restart();
  EXPECT_TRUE(RunTask(blobs_.List(std::nullopt, 10)).value().empty());
  EXPECT_FALSE(
      RunTask(catalog_.upstream_releases().FindUpstreamRelease(Provider(), kFirstVersion)));
  EXPECT_FALSE(
      RunTask(catalog_.upstream_documents().FindDocument("provider-versions:" + Provider().Key())));
  // The next request fetches it again, and the one after the freeze stores it.
  const int asked = upstream_.asked_archives;
  EXPECT_EQ(Read(Open("linux_amd64.zip")), Zip());
  EXPECT_EQ(upstream_.asked_archives, asked + 1);
  // A request that joins a fetch from before the end of the freeze stores nothing, either.
  Restart();
  SetFrozen(false);
  EXPECT_EQ(Read(Open("linux_amd64.zip")), Zip());
  Settle();
  EXPECT_TRUE(Pinned().packages[1].held);
  EXPECT_EQ(Pinned().signature, release->signature);
}

TEST_F(StoreAwayTest, AFrozenRegistryServesWhatItHas) {
  ASSERT_EQ(Read(Open("linux_amd64.zip")), Zip());
  Settle();
  SetFrozen(true);
  const int asked = upstream_.asked_archives;
  EXPECT_EQ(Read(Open("linux_amd64.zip")), Zip());
  EXPECT_EQ(upstream_.asked_archives, asked);
  // A platform that is not here is passed on.
  EXPECT_EQ(Read(Open("darwin_arm64.zip")),
            upstream_.Zip("1.0.0", *Platform::Parse("darwin_arm64")));
  Restart();
  EXPECT_FALSE(Pinned().packages[0].held);
  EXPECT_TRUE(Pinned().packages[1].held);
}

TEST_F(StoreAwayTest, AFrozenRegistryPassesModulesOn) {
  SetFrozen(true);
  for (int i = 0; i < 2; ++i) {
    const Result<OpenMirroredModule> module = OpenModule();
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_GT(RunTask(ReadAll(module->blob)).value_or("").size(), 100U);
    EXPECT_FALSE(module->record.held);
  }
  EXPECT_EQ(modules_.asked_packages, 2);
  Restart();
  EXPECT_TRUE(RunTask(blobs_.List(std::nullopt, 10)).value().empty());
  EXPECT_FALSE(RunTask(catalog_.upstream_modules().FindUpstreamModule(Module(), kFirstVersion)));
  SetFrozen(false);
  ASSERT_TRUE(OpenModule());
  EXPECT_TRUE(OpenModule()->record.held);
  EXPECT_EQ(modules_.asked_packages, 3);
}

TEST_F(StoreAwayTest, AFrozenRegistryRemovesNothingThatIsDamaged) {
  ASSERT_EQ(Read(Open("linux_amd64.zip")), Zip());
  Settle();
  ASSERT_EQ(RunTask(blobs_.RemoveIfOlder(Digest::Of(Zip()), std::chrono::seconds(0))), true);
  SetFrozen(true);
  const PackageId id{Provider(), kFirstVersion, *Platform::Parse("linux_amd64")};
  const auto report =
      RunTask(mirror_->check.Package(Actor::Server(), id, {.quick = true, .repair = true}));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->state, CheckReport::State::kMissing);
  EXPECT_FALSE(report->repaired);
  EXPECT_TRUE(report->problem.contains("frozen")) << report->problem;
  EXPECT_TRUE(Pinned().packages[1].held);
}

TEST_F(StoreAwayTest, ItIsPinnedAllTheSame) {
  blobs_.away = true;
  ASSERT_EQ(Read(Open("linux_amd64.zip")), Zip());
  const std::vector<UpstreamPackage> first = Pinned().packages;
  Restart();  // forgets where the package lay
  upstream_.salt = "released again";
  auto file = Open("linux_amd64.zip");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::kBadUpstream);
  EXPECT_TRUE(file.error().message.contains("has changed upstream")) << file.error().message;
  // Nor are the documents of the other release taken for this one's.
  EXPECT_FALSE(FindSigned()->signature);
  EXPECT_EQ(mirror_->provider_fetch.owed().size(), 0U);
  blobs_.away = false;
  EXPECT_FALSE(FindSigned()->signature);
  EXPECT_EQ(Pinned().packages, first);
}

TEST_F(StoreAwayTest, AnotherServerHasTheDocumentsOfItsOwnAsking) {
  blobs_.away = true;
  ASSERT_TRUE(FindSigned()->signature);
  Restart();
  const std::string sums = Read(Open("SHA256SUMS"));
  EXPECT_TRUE(sums.contains(Digest::Of(Zip()).hex())) << sums;
  EXPECT_EQ(upstream_.asked_downloads, 2);
  EXPECT_TRUE(FindSigned()->signature);
  EXPECT_EQ(upstream_.asked_downloads, 2);
  EXPECT_FALSE(Pinned().signature);
  blobs_.away = false;
  Settle();
  EXPECT_TRUE(Pinned().signature);
}

// A server that owes nothing has been told of a release by one that does.
TEST_F(StoreAwayTest, DocumentsThatCannotBeHadNowAreNeverNotFound) {
  blobs_.away = true;
  ASSERT_TRUE(FindSigned()->signature);
  Restart();
  struct Row {
    ErrorKind failure, told;
    bool described;
  };
  for (Row row : {Row{ErrorKind::kBadUpstream, ErrorKind::kBadUpstream, true},
                  Row{ErrorKind::kNotFound, ErrorKind::kBadUpstream, true},
                  Row{ErrorKind::kUpstreamTimeout, ErrorKind::kUpstreamTimeout, false},
                  Row{ErrorKind::kUnavailable, ErrorKind::kUnavailable, false}}) {
    upstream_.failure = Error{row.failure, "its registry fails", {}};
    for (const char* file : {"SHA256SUMS", "SHA256SUMS.sig"}) {
      auto document = Open(file);
      ASSERT_FALSE(document) << file;
      EXPECT_EQ(document.error().kind, row.told) << document.error().message;
    }
    auto release = FindSigned();
    EXPECT_EQ(release.has_value(), row.described) << ErrorKindName(row.failure);
    if (release) EXPECT_FALSE(release->signature);
    if (!release) EXPECT_EQ(release.error().kind, row.told);
    EXPECT_EQ(Open("SHA256SUMS.gpg").error().kind, ErrorKind::kNotFound) << "it never was one";
  }
  upstream_.failure.reset();
  EXPECT_TRUE(Open("SHA256SUMS"));
}

TEST_F(StoreAwayTest, DocumentsThatTheRegistryHasForOtherPackagesAreNotNotFoundEither) {
  blobs_.away = true;
  ASSERT_TRUE(FindSigned()->signature);
  Restart();
  upstream_.salt = "released again";
  EXPECT_EQ(Open("SHA256SUMS").error().kind, ErrorKind::kBadUpstream);
  upstream_.salt.clear();
  upstream_.mirrored = true;  // by now
  auto none = Open("SHA256SUMS.sig");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kBadUpstream);
  EXPECT_TRUE(none.error().message.contains("without its author's")) << none.error().message;
  EXPECT_FALSE(FindSigned()->signature);
  // Without a registry that may be asked, there are none.
  mirror_->policy = PullPolicy::Make({}, {}, {}).value();
  mirror_->gate.Invalidate("");
  EXPECT_EQ(Open("SHA256SUMS").error().kind, ErrorKind::kNotFound);
}

TEST_F(StoreAwayTest, WhatIsOwedIsForgottenWhenTheServerStopsAndAskedForAgain) {
  blobs_.away = true;
  ASSERT_TRUE(FindSigned()->signature);
  Restart();
  EXPECT_FALSE(Pinned().signature);
  blobs_.away = false;
  EXPECT_TRUE(FindSigned()->signature);
  EXPECT_TRUE(Pinned().signature);
  EXPECT_EQ(upstream_.asked_downloads, 2);
}

TEST_F(StoreAwayTest, OtherFailuresPinNothing) {
  for (ErrorKind kind : {ErrorKind::kStorageFull, ErrorKind::kInternal, ErrorKind::kCorrupt}) {
    blobs_.away = true;
    blobs_.failure = kind;
    auto file = Open("linux_amd64.zip");
    ASSERT_FALSE(file) << ErrorKindName(kind);
    EXPECT_EQ(file.error().kind, kind);
    auto none =
        RunTask(catalog_.upstream_releases().FindUpstreamRelease(Provider(), kFirstVersion));
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::kNotFound);
    ASSERT_FALSE(OpenModule());
    auto module = RunTask(catalog_.upstream_modules().FindUpstreamModule(Module(), kFirstVersion));
    ASSERT_FALSE(module);
    EXPECT_EQ(module.error().kind, ErrorKind::kNotFound);
  }
}

TEST_F(StoreAwayTest, LargeDocumentsAreNotKeptInMemory) {
  PendingUploads owed(mirror_->context, std::chrono::milliseconds(200));
  blobs_.away = true;
  const std::string large(65'537, 'x');
  UpstreamRelease release{.provider = Provider(), .version = kFirstVersion};
  EXPECT_FALSE(owed.AddDocuments(release, release, {.sums = large, .signature = "s"}));
  EXPECT_FALSE(owed.AddDocuments(release, release, {.sums = "s", .signature = large}));
  EXPECT_EQ(owed.size(), 0U);
  for (int i = 0; i < 300; ++i) {
    release.version = *Version::Parse(fmt::format("1.0.{}", i));
    EXPECT_EQ(owed.AddDocuments(release, release, {.sums = "s", .signature = "t"}), i < 256);
  }
  EXPECT_EQ(owed.size(), 256U);
  Restart();  // they go with the server
  EXPECT_EQ(owed.size(), 0U);
}

TEST_F(StoreAwayTest, PlatformsOfWhichSomebodyIsToldArePinned) {
  UpstreamRelease imported{.provider = Provider(), .version = kFirstVersion};
  imported.packages = {{.platform = *Platform::Parse("linux_amd64"),
                        .filename = "terraform-provider-demo_1.0.0_linux_amd64.zip",
                        .digest = Digest::Of(Zip())}};
  ASSERT_TRUE(RunTask(catalog_.upstream_releases().PinRelease(imported, true)));
  blobs_.away = true;
  const Platform darwin = *Platform::Parse("darwin_arm64");
  auto told = RunTask(mirror_->providers.FindSigned(Provider(), kFirstVersion, darwin));
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_TRUE(told->signature);
  ASSERT_EQ(told->packages.size(), 2U);
  EXPECT_EQ(Pinned().packages, told->packages);
  EXPECT_FALSE(Pinned().signature);
  EXPECT_EQ(Read(Open("darwin_arm64.zip")), upstream_.Zip("1.0.0", darwin));
  Restart();
  EXPECT_EQ(Read(Open("darwin_arm64.zip")), upstream_.Zip("1.0.0", darwin));
}

TEST_F(StoreAwayTest, DocumentsOfOtherPackagesAreNotOwed) {
  PendingUploads owed(mirror_->context, std::chrono::milliseconds(200));
  blobs_.away = true;
  const UpstreamRelease right = FindSigned().value();
  UpstreamRelease other = right;
  other.packages[0].digest = Digest::Of("released again");
  other.sums->digest = Digest::Of("sums of that");
  const UpstreamRelease kept = Pinned();
  EXPECT_FALSE(owed.AddDocuments(kept, other, {.sums = "s", .signature = "t"}));
  EXPECT_FALSE(owed.Complete(kept).signature);
  EXPECT_TRUE(owed.AddDocuments(kept, right, {.sums = "u", .signature = "v"}));
  EXPECT_EQ(owed.Complete(kept).sums, right.sums);
  EXPECT_EQ(owed.size(), 1U);
  Restart();
}

// When the server ends, its bucket ends what waits for it, as if it were away.
TEST_F(StoreAwayTest, AStopPinsNothing) {
  blobs_.away = true;
  upstream_.before_download = [this] { mirror_->pools.Stop(); };
  auto file = Open("linux_amd64.zip");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::kUnavailable) << file.error().message;
  auto none = RunTask(catalog_.upstream_releases().FindUpstreamRelease(Provider(), kFirstVersion));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kNotFound);
  Settle();
  modules_.before_fetch = [this] { mirror_->pools.Stop(); };
  auto module = OpenModule();
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().kind, ErrorKind::kUnavailable) << module.error().message;
  auto no_module = RunTask(catalog_.upstream_modules().FindUpstreamModule(Module(), kFirstVersion));
  ASSERT_FALSE(no_module);
  EXPECT_EQ(no_module.error().kind, ErrorKind::kNotFound);
}

// Counts writes, and calls on_write before each.
class CountedBlobs final : public BlobStore {
 public:
  explicit CountedBlobs(BlobStore& blobs) : blobs_(blobs) {}
  Result<std::unique_ptr<BlobWriter>> Create() override {
    if (on_write) on_write(++written);
    return blobs_.Create();
  }
  WorkerPool& workers() override { return blobs_.workers(); }
  Task<void> CommitAll(std::vector<BlobWriter*> writers) override {
    return blobs_.CommitAll(std::move(writers));
  }
  Task<std::shared_ptr<Blob>> Open(Digest digest) override { return blobs_.Open(digest); }
  Task<bool> RemoveIfOlder(Digest digest, std::chrono::seconds older_than) override {
    return blobs_.RemoveIfOlder(digest, older_than);
  }
  Task<std::vector<BlobInfo>> List(std::optional<Digest> after, std::size_t limit) override {
    return blobs_.List(after, limit);
  }

  std::function<void(int)> on_write;
  std::atomic<int> written = 0;

 private:
  BlobStore& blobs_;
};

TEST_F(StoreAwayTest, OneAtATimeIsTriedUntilTheStoreIsBack) {
  constexpr int kReleases = 50;
  blobs_.away = true;
  CountedBlobs counted(blobs_);
  counted.on_write = [this](int attempt) { blobs_.away = attempt <= 3; };
  const MirrorContext& now = mirror_->context;
  const MirrorContext context{now.catalog, now.references, now.counts, counted,
                              now.pools,   now.policy,     now.gate,   now.clock,
                              now.uses,    now.log,        now.cluster};
  PendingUploads owed(context, std::chrono::milliseconds(200));
  UpstreamRelease whole = FindSigned().value();
  for (int i = 0; i < kReleases; ++i) {
    whole.version = *Version::Parse(fmt::format("1.0.{}", i));
    UpstreamRelease bare = whole;
    bare.sums.reset();
    bare.signature.reset();
    bare.keys.clear();
    ASSERT_TRUE(RunTask(catalog_.upstream_releases().PinRelease(bare, false)));
    EXPECT_TRUE(owed.AddDocuments(bare, whole, {.sums = "s", .signature = fmt::format("{}", i)}));
  }
  Settle();
  EXPECT_EQ(owed.size(), 0U);
  EXPECT_EQ(counted.written, 3 + 2 * kReleases) << "three attempts for all, then two files of each";
  EXPECT_TRUE(RunTask(catalog_.upstream_releases().FindUpstreamRelease(Provider(), whole.version))
                  ->signature);
}

TEST_F(StoreAwayTest, AModuleIsServedFromWhereItWasRepacked) {
  blobs_.away = true;
  auto open = OpenModule();
  ASSERT_TRUE(open) << open.error().message;
  const std::string archive = RunTask(ReadAll(open->blob)).value_or("");
  EXPECT_EQ(Digest::Of(archive), open->record.digest);
  auto pinned =
      RunTask(catalog_.upstream_modules().FindUpstreamModule(Module(), kFirstVersion)).value();
  EXPECT_EQ(pinned.digest, open->record.digest);
  EXPECT_FALSE(pinned.held);
  // The next one has it fetched again, and gets the same.
  auto again = OpenModule();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(RunTask(ReadAll(again->blob)).value_or(""), archive);
  EXPECT_EQ(modules_.asked_packages, 2);
  // Or nothing, when it has become another.
  modules_.salt = "released again";
  auto other = OpenModule();
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::kBadUpstream);
  modules_.salt.clear();
  blobs_.away = false;
  ASSERT_TRUE(OpenModule());
  EXPECT_TRUE(RunTask(catalog_.upstream_modules().FindUpstreamModule(Module(), kFirstVersion))
                  .value()
                  .held);
  EXPECT_EQ(modules_.asked_packages, 4);
  ASSERT_TRUE(OpenModule());
  EXPECT_EQ(modules_.asked_packages, 4);
}

}  // namespace
}  // namespace koya::service
