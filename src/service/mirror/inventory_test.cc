// What is kept of other registries, brought in, looked at and let go, over a real catalog and real
// files, which tests damage.
#include "service/mirror/inventory.h"
#include "base/manual_clock_fake.h"
#include "base/text_source_fake.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "base/run_task.h"
#include "base/temp_folder_fake.h"
#include "blobs/fs/fs_blob_store.h"
#include "catalog/sql/open_catalog.h"
#include "obs/line_writer.h"
#include "service/mirror/bound.h"
#include "service/mirror/check.h"
#include "service/mirror/import.h"
#include "service/mirror/mirror.h"
#include "service/mirror/upstream_fake.h"
#include "service/mirror/upstream_modules_fake.h"

namespace koya::service {
namespace {

using State = CheckReport::State;

constexpr const char* kPulled = "registry.example.org";  // what may be pulled from
constexpr const char* kOther = "registry.example.net";

class InventoryTest : public ::testing::Test {
 protected:
  InventoryTest() {
    clock_.now = FakeUpstream::kNow;
    auto catalog = OpenCatalog({.url = "sqlite:" + (folder_ / "koya.db").string()});
    EXPECT_TRUE(catalog) << catalog.error().message;
    catalog_ = *std::move(catalog);
    auto blobs = FsBlobStore::Open(folder_ / "blobs", {blob_workers_, blob_workers_, open_files_});
    EXPECT_TRUE(blobs) << blobs.error().message;
    blobs_ = *std::move(blobs);
    changes_ = std::make_unique<ChangeFeed>(*catalog_);
    uses_ = std::make_unique<UseNotes>(*catalog_, log_);
    changes_->AddListener([this](std::string_view topic) { topics_.emplace_back(topic); });
    PullPolicy policy =
        *PullPolicy::Make({}, {"*/denied/*", "*/denied/*/*"}, {*HostName::Parse(kPulled)});
    mirror_ = std::make_unique<Mirror>(
        MirrorWorld{*catalog_, *blobs_, *changes_, clock_, *uses_, log_, upstream_, modules_},
        MirrorSetup{.policy = std::move(policy), .import = {.zip_bytes = 100'000}});
  }

  static UpstreamProvider Demo(std::string_view host = kOther, std::string_view ns = "acme") {
    return {*HostName::Parse(host), *ProviderAddress::FromParts(ns, "demo")};
  }
  static PackageId Id(UpstreamProvider provider = Demo(), std::string_view version = "1.0.0",
                      std::string_view platform = "linux_amd64") {
    return {std::move(provider), *Version::Parse(version), *Platform::Parse(platform)};
  }
  std::string Zip(std::string_view platform = "linux_amd64", const std::string& version = "1.0.0") {
    return upstream_.Zip(version, *Platform::Parse(platform));
  }
  Result<ImportedPackage> Import(PackageId id, std::string zip) {
    TextSource source(std::move(zip));
    return RunTask(mirror_->import.Package(std::move(id), source));
  }
  // What a registry would have said of 1.0.0.
  ReleaseDocuments Documents() {
    auto download = upstream_.Download(Demo().host, Demo().address, *Version::Parse("1.0.0"),
                                       *Platform::Parse("linux_amd64"), {});
    return {download->protocols, download->sums, download->signature, download->keys};
  }
  Result<ImportedRelease> ImportDocuments(ReleaseDocuments documents,
                                          UpstreamProvider provider = Demo()) {
    return RunTask(mirror_->import.Release(std::move(provider), *Version::Parse("1.0.0"),
                                           std::move(documents)));
  }
  Result<ImportedModule> ImportModule(std::string archive, std::string_view ns = "acme") {
    TextSource source(std::move(archive));
    return RunTask(mirror_->import.Module(Vpc(ns), "git::https://git.example/vpc.git", source));
  }
  static ModuleId Vpc(std::string_view ns = "acme") {
    return {{*HostName::Parse(kOther), *ModuleAddress::FromParts(ns, "vpc", "aws")},
            *Version::Parse("1.0.0")};
  }
  UpstreamRelease Find(const UpstreamProvider& provider = Demo()) {
    return RunTask(catalog_->FindUpstreamRelease(provider, *Version::Parse("1.0.0"))).value();
  }
  std::filesystem::path FileOf(const Digest& digest) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "blobs")) {
      std::string path = entry.path().parent_path().filename().string();
      if (entry.is_regular_file() && path + entry.path().filename().string() == digest.hex()) {
        return entry.path();
      }
    }
    ADD_FAILURE() << "no file of " << digest.hex();
    return {};
  }
  // As if it had been stored long ago.
  void Age(const Digest& digest) {
    const auto now = std::filesystem::file_time_type::clock::now();
    std::filesystem::last_write_time(FileOf(digest), now - std::chrono::hours(1));
  }
  std::uint64_t Enforce(std::uint64_t bytes) {
    MirrorBound bound{.max_bytes = bytes, .hosts = {*HostName::Parse(kPulled)}};
    return RunTask(EnforceMirrorBound(*catalog_, *catalog_, *blobs_, bound, stop_))
        .value()
        .packages;
  }
  // Another byte, the same size.
  void Damage(const Digest& digest) {
    std::filesystem::path path = FileOf(digest);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(50);
    file.put('\x7f');
    file.put('\x7e');
  }
  Result<CheckReport> Check(PackageId id, bool repair = false) {
    return RunTask(mirror_->check.Package(std::move(id), {.repair = repair}));
  }

  TempFolder folder_;
  ManualClock clock_;
  LineWriter lines_{{.descriptor = -1}};
  Logger log_{lines_, LogLevel::kInfo};
  WorkerPool blob_workers_{2};
  OpenFiles open_files_{16};
  std::unique_ptr<BlobStore> blobs_;
  std::unique_ptr<Catalog> catalog_;
  FakeUpstream upstream_;
  FakeModules modules_;
  std::vector<std::string> topics_;
  std::atomic<bool> stop_ = false;
  std::unique_ptr<ChangeFeed> changes_;
  std::unique_ptr<UseNotes> uses_;
  std::unique_ptr<Mirror> mirror_;
};

TEST_F(InventoryTest, AnImportedPackageIsServedWithHashesComputedHere) {
  auto imported = Import(Id(), Zip());
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_TRUE(imported->created);
  UpstreamRelease release = Find();
  EXPECT_FALSE(release.sums);
  EXPECT_FALSE(release.fit_for_origin);
  ASSERT_EQ(release.packages.size(), 1U);
  EXPECT_EQ(release.packages[0], imported->package);
  EXPECT_TRUE(release.packages[0].held);
  EXPECT_EQ(release.packages[0].digest, Digest::Of(Zip()));
  EXPECT_EQ(release.packages[0].filename, "terraform-provider-demo_1.0.0_linux_amd64.zip");
  ASSERT_EQ(release.packages[0].hashes.size(), 1U);
  EXPECT_TRUE(release.packages[0].hashes[0].starts_with("h1:"));
  EXPECT_EQ(topics_, std::vector<std::string>{"mirror:registry.example.net/acme/demo"});
  auto again = Import(Id(), Zip());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->created);
  auto list = RunTask(mirror_->providers.ListVersions(Demo()));
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_FALSE(list->stale);
  ASSERT_EQ(list->document->versions.size(), 1U);
  EXPECT_EQ(list->document->versions[0].version, "1.0.0");
}

TEST_F(InventoryTest, WhatWasImportedIsListedBesideWhatUpstreamLists) {
  ASSERT_TRUE(Import(Id(Demo(kPulled), "0.9.0"), Zip()));
  auto versions = [this] {
    std::vector<std::string> texts;
    auto list = RunTask(mirror_->providers.ListVersions(Demo(kPulled)));
    EXPECT_TRUE(list) << list.error().message;
    for (const auto& each : list->document->versions) texts.push_back(each.version);
    return texts;
  };
  EXPECT_EQ(versions(), (std::vector<std::string>{"1.0.0", "1.1.0", "0.9.0"}));
  ASSERT_TRUE(RunTask(mirror_->inventory.ReleasePackage(Id(Demo(kPulled), "0.9.0"))));
  EXPECT_EQ(versions(), (std::vector<std::string>{"1.0.0", "1.1.0"})) << "nothing of it is here";
}

TEST_F(InventoryTest, OtherBytesAreAConflictThatNamesBoth) {
  ASSERT_TRUE(Import(Id(), Zip()));
  std::string other = Zip("darwin_arm64");
  auto refused = Import(Id(), other);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kConflict);
  EXPECT_TRUE(refused.error().message.contains(Digest::Of(Zip()).ToString()));
  EXPECT_TRUE(refused.error().message.contains(Digest::Of(other).ToString()));
  EXPECT_EQ(Find().packages[0].digest, Digest::Of(Zip())) << "the first stays";
}

TEST_F(InventoryTest, PackagesThatAreRefused) {
  struct Case {
    PackageId id;
    std::string bytes;
    ErrorKind kind;
    const char* words;
  };
  const Case kCases[] = {
      {Id(Demo(kOther, "denied")), Zip(), ErrorKind::kForbidden, "*/denied/*"},
      {Id(), "no zip at all", ErrorKind::kRefused, "zip"},
      {Id(), Zip().substr(0, Zip().size() - 30), ErrorKind::kRefused, "zip"},
      {Id(), "", ErrorKind::kRefused, ""},
      {Id(), std::string(100'001, 'x'), ErrorKind::kTooLarge, "limits.provider_zip_bytes"}};
  for (const Case& bad : kCases) {
    auto refused = Import(bad.id, bad.bytes);
    ASSERT_FALSE(refused) << bad.words;
    EXPECT_EQ(refused.error().kind, bad.kind) << refused.error().message;
    EXPECT_TRUE(refused.error().message.contains(bad.words)) << refused.error().message;
  }
  EXPECT_TRUE(RunTask(mirror_->inventory.ListReleases(std::nullopt, 10))->empty());
}

TEST_F(InventoryTest, SignedDocumentsMakeAReleaseFitForOrigin) {
  ReleaseDocuments documents = Documents();
  auto imported = ImportDocuments(documents);
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_TRUE(imported->created);
  EXPECT_TRUE(imported->release.fit_for_origin);
  EXPECT_EQ(imported->release.packages.size(), 2U);
  EXPECT_FALSE(imported->release.packages[0].held);
  auto read = RunTask(mirror_->inventory.ReadDocuments(Demo(), *Version::Parse("1.0.0")));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->sums, documents.sums);
  EXPECT_EQ(read->signature, documents.signature);
  EXPECT_EQ(read->keys, documents.keys);
  EXPECT_EQ(read->protocols, documents.protocols);
  EXPECT_FALSE(ImportDocuments(documents)->created);
  ASSERT_TRUE(Import(Id(), Zip()));
  EXPECT_EQ(Import(Id(Demo(), "1.0.0", "darwin_arm64"), Zip()).error().kind, ErrorKind::kConflict);
  auto unlisted = Import(Id(Demo(), "1.0.0", "windows_amd64"), Zip());
  ASSERT_FALSE(unlisted);
  EXPECT_EQ(unlisted.error().kind, ErrorKind::kConflict);
  EXPECT_TRUE(unlisted.error().message.contains("names no package for this platform"));
}

TEST_F(InventoryTest, DocumentsThatAreRefused) {
  struct Case {
    const char* what;
    void (*spoil)(ReleaseDocuments&);
  };
  const Case kCases[] = {
      {"other sums", [](ReleaseDocuments& d) { d.sums.back() = ' '; }},
      {"another signature", [](ReleaseDocuments& d) { d.signature.back() ^= 1; }},
      {"no signature", [](ReleaseDocuments& d) { d.signature = "nothing"; }},
      {"no keys", [](ReleaseDocuments& d) { d.keys.clear(); }},
      {"no sums", [](ReleaseDocuments& d) { d.sums = "nothing\n"; }},
      {"protocols that are none", [](ReleaseDocuments& d) { d.protocols = {"five"}; }}};
  for (const Case& bad : kCases) {
    ReleaseDocuments documents = Documents();
    bad.spoil(documents);
    auto refused = ImportDocuments(std::move(documents));
    ASSERT_FALSE(refused) << bad.what;
    EXPECT_EQ(refused.error().kind, ErrorKind::kRefused) << bad.what << refused.error().message;
  }
  EXPECT_EQ(ImportDocuments(Documents(), Demo(kOther, "denied")).error().kind,
            ErrorKind::kForbidden);
  EXPECT_TRUE(RunTask(mirror_->inventory.ListReleases(std::nullopt, 10))->empty());
}

TEST_F(InventoryTest, DocumentsMayFollowTheirPackages) {
  ASSERT_TRUE(Import(Id(), Zip()));
  EXPECT_EQ(
      RunTask(mirror_->inventory.ReadDocuments(Demo(), *Version::Parse("1.0.0"))).error().kind,
      ErrorKind::kNotFound);
  auto imported = ImportDocuments(Documents());
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_TRUE(imported->created);
  UpstreamRelease release = Find();
  EXPECT_TRUE(release.sums);
  EXPECT_TRUE(release.fit_for_origin);
  EXPECT_TRUE(release.packages[1].held) << "linux_amd64, which was there";
}

TEST_F(InventoryTest, DocumentsThatContradictWhatIsKeptAreAConflict) {
  ASSERT_TRUE(Import(Id(), Zip("darwin_arm64")));
  auto refused = ImportDocuments(Documents());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kConflict) << refused.error().message;
  EXPECT_FALSE(Find().sums);
}

TEST_F(InventoryTest, DamagedBytesGoAtOnceAndComeBackFromUpstream) {
  ASSERT_TRUE(Import(Id(Demo(kPulled)), Zip()));
  EXPECT_EQ(Check(Id(Demo(kPulled)))->state, State::kOk);
  Damage(Digest::Of(Zip()));
  topics_.clear();
  auto report = Check(Id(Demo(kPulled)));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->state, State::kDamaged);
  EXPECT_FALSE(report->repaired);
  EXPECT_EQ(topics_, (std::vector<std::string>{"mirror:registry.example.org/acme/demo", ""}))
      << "nobody keeps them open";
  EXPECT_FALSE(Find(Demo(kPulled)).packages[0].held);
  EXPECT_EQ(RunTask(blobs_->Open(Digest::Of(Zip()))).error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(Check(Id(Demo(kPulled)))->state, State::kNotHeld);

  ASSERT_TRUE(Import(Id(Demo(kPulled)), Zip()));
  Damage(Digest::Of(Zip()));
  auto mended = Check(Id(Demo(kPulled)), true);
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_EQ(mended->state, State::kDamaged);
  EXPECT_TRUE(mended->repaired) << mended->problem;
  EXPECT_EQ(Check(Id(Demo(kPulled)))->state, State::kOk);
}

TEST_F(InventoryTest, WhatIsMissingIsToldAndMended) {
  ASSERT_TRUE(Import(Id(Demo(kPulled)), Zip()));
  std::filesystem::remove(FileOf(Digest::Of(Zip())));
  auto report = Check(Id(Demo(kPulled)), true);
  EXPECT_EQ(report->state, State::kMissing);
  EXPECT_TRUE(report->repaired) << report->problem;
}

TEST_F(InventoryTest, WhatCannotBeMendedSaysWhy) {
  ASSERT_TRUE(Import(Id(), Zip()));
  Damage(Digest::Of(Zip()));
  auto report = Check(Id(), true);
  EXPECT_FALSE(report->repaired);
  EXPECT_TRUE(report->problem.contains("import it again")) << report->problem;
  ASSERT_TRUE(Import(Id(), Zip())) << "which is possible";
  EXPECT_EQ(Check(Id())->state, State::kOk);

  ASSERT_TRUE(Import(Id(Demo(kPulled)), Zip()));
  Damage(Digest::Of(Zip()));
  upstream_.spoil = true;
  report = Check(Id(Demo(kPulled)), true);
  EXPECT_FALSE(report->repaired);
  EXPECT_TRUE(report->problem.contains("not what it was")) << report->problem;
  EXPECT_FALSE(Check(Id(Demo(), "9.9.9")));
}

TEST_F(InventoryTest, DocumentsAreCheckedAndMendedToo) {
  UpstreamProvider provider = Demo(kPulled);
  Version version = *Version::Parse("1.0.0");
  ASSERT_TRUE(RunTask(mirror_->providers.FindRelease(provider, version, std::nullopt)));
  auto check = [&](bool repair) {
    return *RunTask(mirror_->check.Documents(provider, version, {.repair = repair}));
  };
  EXPECT_EQ(check(false).state, State::kOk);
  Damage(Find(provider).sums->digest);
  EXPECT_EQ(RunTask(mirror_->inventory.ReadDocuments(provider, version)).error().kind,
            ErrorKind::kCorrupt);
  CheckReport report = check(true);
  EXPECT_EQ(report.state, State::kDamaged);
  EXPECT_TRUE(report.repaired) << report.problem;
  EXPECT_EQ(check(false).state, State::kOk);
  ASSERT_TRUE(Import(Id(), Zip()));
  EXPECT_EQ(RunTask(mirror_->check.Documents(Demo(), version, {}))->state, State::kNotHeld);
}

TEST_F(InventoryTest, WhatIsLetGoStaysPinned) {
  ASSERT_TRUE(Import(Id(), Zip()));
  ASSERT_TRUE(RunTask(mirror_->inventory.ReleasePackage(Id())));
  ASSERT_TRUE(RunTask(mirror_->inventory.ReleasePackage(Id()))) << "again";
  EXPECT_FALSE(Find().packages[0].held);
  EXPECT_EQ(Import(Id(), Zip("darwin_arm64")).error().kind, ErrorKind::kConflict);
  EXPECT_TRUE(Import(Id(), Zip())->created);
  EXPECT_EQ(
      RunTask(mirror_->inventory.ReleasePackage(Id(Demo(), "1.0.0", "windows_amd64"))).error().kind,
      ErrorKind::kNotFound);
}

TEST_F(InventoryTest, WhatCouldNotComeBackStaysWhateverTheBound) {
  PackageId pulled = Id(Demo(kPulled), "1.1.0");
  ASSERT_TRUE(Import(Id(), Zip()));
  ASSERT_TRUE(Import(pulled, Zip("linux_amd64", "1.1.0")));
  EXPECT_EQ(Enforce(0), 0U);  // no bound
  EXPECT_EQ(Enforce(1 << 20), 0U);
  EXPECT_EQ(Enforce(1), 1U);
  EXPECT_TRUE(Find().packages[0].held);
  auto gone = RunTask(catalog_->FindUpstreamRelease(pulled.provider, pulled.version));
  ASSERT_TRUE(gone);
  EXPECT_FALSE(gone->packages[0].held);
  EXPECT_EQ(Enforce(1), 0U);
}

TEST_F(InventoryTest, AnImportKeepsItsBytesWhenAPackageThatCouldComeBackHasTheSame) {
  ASSERT_TRUE(Import(Id(Demo(kPulled)), Zip()));
  ASSERT_TRUE(Import(Id(), Zip()));
  Age(Digest::Of(Zip()));
  EXPECT_EQ(Enforce(1), 0U);
  EXPECT_TRUE(Find().packages[0].held);
  EXPECT_TRUE(Find(Demo(kPulled)).packages[0].held);
  ASSERT_TRUE(RunTask(mirror_->inventory.ReleasePackage(Id(Demo(kPulled)))));
  EXPECT_FALSE(Find(Demo(kPulled)).packages[0].held) << "whoever is named lets go";
  EXPECT_TRUE(Find().packages[0].held);
  EXPECT_TRUE(RunTask(blobs_->Open(Digest::Of(Zip()))));
  ASSERT_TRUE(RunTask(mirror_->inventory.ReleasePackage(Id())));
  EXPECT_EQ(RunTask(blobs_->Open(Digest::Of(Zip()))).error().kind, ErrorKind::kNotFound);
}

TEST_F(InventoryTest, WhatIsEvictedIsAnnouncedAndGivesItsBytesBack) {
  ASSERT_TRUE(Import(Id(Demo(kPulled)), Zip()));
  Age(Digest::Of(Zip()));
  const std::int64_t before = RunTask(catalog_->LatestChange()).value();
  EXPECT_EQ(Enforce(1), 1U);
  EXPECT_EQ(RunTask(blobs_->Open(Digest::Of(Zip()))).error().kind, ErrorKind::kNotFound);
  std::vector<std::string> topics;
  auto changes = RunTask(catalog_->ChangesSince(before));
  for (const Change& change : *changes) topics.push_back(change.topic);
  EXPECT_EQ(topics, std::vector<std::string>{"mirror:registry.example.org/acme/demo"});
}

// The catalog, but asking it what is not needed comes just before a stop.
class StoppedMeanwhile final : public BlobReferences {
 public:
  StoppedMeanwhile(BlobReferences& real, std::atomic<bool>& stop) : real_(real), stop_(stop) {}
  Task<std::vector<Digest>> FindUnreferenced(std::vector<Digest> digests) override {
    stop_ = true;
    return real_.FindUnreferenced(std::move(digests));
  }

 private:
  BlobReferences& real_;
  std::atomic<bool>& stop_;
};

// A long eviction went on until the process was killed.
TEST_F(InventoryTest, AnEvictionEndsWhenTheServerStops) {
  for (const char* version : {"1.0.0", "1.1.0"}) {
    ASSERT_TRUE(Import(Id(Demo(kPulled), version), Zip("linux_amd64", version)));
    Age(Digest::Of(Zip("linux_amd64", version)));
  }
  stop_ = true;
  EXPECT_EQ(Enforce(1), 0U) << "nothing is begun";
  EXPECT_TRUE(Find(Demo(kPulled)).packages[0].held);
  stop_ = false;
  StoppedMeanwhile references(*catalog_, stop_);
  MirrorBound bound{.max_bytes = 1, .hosts = {*HostName::Parse(kPulled)}};
  auto report = RunTask(EnforceMirrorBound(*catalog_, references, *blobs_, bound, stop_));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->packages, 2U) << "let go already";
  for (const char* version : {"1.0.0", "1.1.0"}) {
    EXPECT_TRUE(RunTask(blobs_->Open(Digest::Of(Zip("linux_amd64", version)))))
        << "left to the collection of garbage";
  }
}

TEST_F(InventoryTest, BytesTooYoungToBeRemovedStayOnTheBooks) {
  clock_.now = SystemClock().Now();
  ASSERT_TRUE(Import(Id(Demo(kPulled)), Zip()));
  EXPECT_EQ(Enforce(1), 0U);
  EXPECT_EQ(RunTask(catalog_->HeldBytes()), Zip().size()) << "they take room, so they are counted";
  EXPECT_TRUE(Find(Demo(kPulled)).packages[0].held);
}

TEST_F(InventoryTest, ModulesComeAndAreCheckedAndGo) {
  const std::string archive = koya::Zip({{.name = "main.tf", .content = "# " + Zip()}});
  auto imported = ImportModule(archive);
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_TRUE(imported->created);
  EXPECT_EQ(imported->version.kind, ArchiveKind::kZip);
  EXPECT_EQ(imported->version.source, "git::https://git.example/vpc.git");
  EXPECT_FALSE(ImportModule(archive)->created);
  EXPECT_EQ(ImportModule(koya::Zip({{.name = "a.tf", .content = "x"}})).error().kind,
            ErrorKind::kConflict);
  EXPECT_EQ(ImportModule(archive, "denied").error().kind, ErrorKind::kForbidden);
  EXPECT_EQ(ImportModule("no archive", "other").error().kind, ErrorKind::kRefused);
  auto nested = ImportModule(koya::Zip({{.name = "vpc-1/main.tf", .content = "x"}}), "other");
  ASSERT_FALSE(nested);
  EXPECT_TRUE(nested.error().message.contains("vpc-1")) << nested.error().message;
  EXPECT_EQ(RunTask(mirror_->inventory.ListModules(std::nullopt, 10))->size(), 1U);
  EXPECT_TRUE(RunTask(mirror_->inventory.OpenModuleArchive(Vpc())));

  EXPECT_EQ(RunTask(mirror_->check.Module(Vpc(), {}))->state, State::kOk);
  Damage(Digest::Of(archive));
  EXPECT_EQ(RunTask(mirror_->check.Module(Vpc(), {}))->state, State::kDamaged);
  EXPECT_EQ(RunTask(mirror_->check.Module(Vpc(), {}))->state, State::kNotHeld);
  EXPECT_EQ(RunTask(mirror_->inventory.OpenModuleArchive(Vpc())).error().kind,
            ErrorKind::kNotFound);
  EXPECT_TRUE(ImportModule(archive)->created);
  ASSERT_TRUE(RunTask(mirror_->inventory.ReleaseModule(Vpc())));
  EXPECT_FALSE(RunTask(mirror_->inventory.ListModules(std::nullopt, 10))->front().held);
}

}  // namespace
}  // namespace koya::service
