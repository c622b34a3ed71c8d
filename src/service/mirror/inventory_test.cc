// Stored bytes of other registries: import, listing and release.
#include "service/mirror/inventory.h"

#include <atomic>
#include <filesystem>

#include "catalog/audit_catalog.h"
#include "catalog/change_log.h"
#include "catalog/storage_catalog.h"
#include "catalog/upstream_catalog.h"
#include "service/mirror/inventory_fake.h"

namespace koya::service {
namespace {

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

TEST_F(InventoryTest, TheFirstImportedPackageBringsItsReleaseIntoSearches) {
  ASSERT_TRUE(ImportDocuments(Documents()));
  EXPECT_EQ(index_.waiting(), 0U) << "no package is held";
  ASSERT_TRUE(Import(Id(), Zip()));
  EXPECT_EQ(index_.waiting(), 1U);
  ASSERT_TRUE(Import(Id(Demo(), "1.0.0", "darwin_arm64"), Zip("darwin_arm64")));
  EXPECT_EQ(index_.waiting(), 1U);
  ASSERT_FALSE(Import(Id(Demo(), "1.0.0", "windows_amd64"), "no zip"));
  EXPECT_EQ(index_.waiting(), 1U);
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
  ASSERT_TRUE(RunTask(mirror_->inventory.ReleasePackage(kRemover, Id(Demo(kPulled), "0.9.0"))));
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
  EXPECT_TRUE(unlisted.error().message.contains("lists no package for this platform"));
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

// The same zips are published here and mirrored: damaged ones may be all that is left of them.
TEST_F(InventoryTest, WhatIsLetGoStaysPinned) {
  ASSERT_TRUE(Import(Id(), Zip()));
  ASSERT_TRUE(RunTask(mirror_->inventory.ReleasePackage(kRemover, Id())));
  ASSERT_TRUE(RunTask(mirror_->inventory.ReleasePackage(kRemover, Id()))) << "again";
  EXPECT_FALSE(Find().packages[0].held);
  EXPECT_EQ(Import(Id(), Zip("darwin_arm64")).error().kind, ErrorKind::kConflict);
  EXPECT_TRUE(Import(Id(), Zip())->created);
  EXPECT_EQ(
      RunTask(mirror_->inventory.ReleasePackage(kRemover, Id(Demo(), "1.0.0", "windows_amd64")))
          .error()
          .kind,
      ErrorKind::kNotFound);
}

TEST_F(InventoryTest, WhoBringsAndRemovesIsInTheAuditLog) {
  const std::string release = "provider:registry.example.net/acme/demo@1.0.0";
  const std::string module = "module:registry.example.net/acme/vpc/aws@1.0.0";
  const std::string archive = koya::Zip({{.name = "main.tf", .content = "# " + Zip()}});
  for (bool again : {false, true}) {
    EXPECT_EQ(Import(Id(), Zip())->created, !again);
    EXPECT_EQ(ImportDocuments(Documents())->created, !again);
    EXPECT_EQ(ImportModule(archive)->created, !again);
  }
  EXPECT_FALSE(Import(Id(), Zip("darwin_arm64")));
  EXPECT_FALSE(ImportModule("no archive", "other"));
  const std::string import = "mirror.import " + release + " by user:importer";
  std::vector<std::string> expected{import, import,
                                    "mirror.import " + module + " by user:importer"};
  EXPECT_EQ(Changes(), expected) << "what changes nothing, or fails, is no change";
  EXPECT_EQ(RunTask(catalog_.audit().ListAudit({}, 1))->front().entry.by, kImporter);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(RunTask(mirror_->inventory.ReleasePackage(kRemover, Id())));
    ASSERT_TRUE(RunTask(mirror_->inventory.ReleaseModule(kRemover, Vpc())));
  }
  expected.push_back("mirror.remove " + release + " by user:remover");
  expected.push_back("mirror.remove " + module + " by user:remover");
  EXPECT_EQ(Changes(), expected);
  EXPECT_TRUE(Import(Id(), Zip())->created) << "what is pinned comes back";
  expected.push_back(import);
  EXPECT_EQ(Changes(), expected);
}

TEST_F(InventoryTest, WhatIsPulledAndEvictedIsNobodysChange) {
  ASSERT_TRUE(RunTask(
      mirror_->providers.FindRelease(Demo(kPulled), *Version::Parse("1.0.0"), std::nullopt)));
  EXPECT_TRUE(Find(Demo(kPulled)).sums);
  EXPECT_EQ(Changes(), std::vector<std::string>());
  ASSERT_TRUE(Import(Id(Demo(kPulled)), Zip()));
  Age(Digest::Of(Zip()));
  EXPECT_EQ(Enforce(1), 1U);
  EXPECT_EQ(Changes().size(), 1U) << "the import";
}

TEST_F(InventoryTest, WhatCouldNotComeBackStaysWhateverTheBound) {
  PackageId pulled = Id(Demo(kPulled), "1.1.0");
  ASSERT_TRUE(Import(Id(), Zip()));
  ASSERT_TRUE(Import(pulled, Zip("linux_amd64", "1.1.0")));
  EXPECT_EQ(Enforce(0), 0U);  // no bound
  EXPECT_EQ(Enforce(1 << 20), 0U);
  EXPECT_EQ(Enforce(1), 1U);
  EXPECT_TRUE(Find().packages[0].held);
  auto gone =
      RunTask(catalog_.upstream_releases().FindUpstreamRelease(pulled.provider, pulled.version));
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
  ASSERT_TRUE(RunTask(mirror_->inventory.ReleasePackage(kRemover, Id(Demo(kPulled)))));
  EXPECT_FALSE(Find(Demo(kPulled)).packages[0].held) << "whoever is named lets go";
  EXPECT_TRUE(Find().packages[0].held);
  EXPECT_TRUE(RunTask(blobs_->Open(Digest::Of(Zip()))));
  ASSERT_TRUE(RunTask(mirror_->inventory.ReleasePackage(kRemover, Id())));
  EXPECT_EQ(RunTask(blobs_->Open(Digest::Of(Zip()))).error().kind, ErrorKind::kNotFound);
}

TEST_F(InventoryTest, WhatIsEvictedIsAnnouncedAndGivesItsBytesBack) {
  ASSERT_TRUE(Import(Id(Demo(kPulled)), Zip()));
  Age(Digest::Of(Zip()));
  const ChangePosition before = RunTask(catalog_.changes().LatestChange()).value();
  EXPECT_EQ(Enforce(1), 1U);
  EXPECT_EQ(RunTask(blobs_->Open(Digest::Of(Zip()))).error().kind, ErrorKind::kNotFound);
  std::vector<std::string> topics;
  auto changes = RunTask(catalog_.changes().ChangesSince(before));
  for (const Change& change : *changes) topics.push_back(change.topic);
  EXPECT_EQ(topics, std::vector<std::string>{"mirror:registry.example.org/acme/demo"});
}

// The real references, but a stop is requested just before unreferenced blobs are looked up.
class StoppedMeanwhile final : public BlobReferences {
 public:
  StoppedMeanwhile(BlobReferences& real, std::atomic<bool>& stop) : real_(real), stop_(stop) {}
  Task<std::vector<Digest>> FindUnreferenced(std::vector<Digest> digests) override {
    stop_ = true;
    return real_.FindUnreferenced(std::move(digests));
  }
  Task<std::vector<Digest>> FindUnpublished(std::vector<Digest> digests) override {
    return real_.FindUnpublished(std::move(digests));
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
  StoppedMeanwhile references(catalog_, stop_);
  CacheEviction bound{.max_bytes = 1, .hosts = {*HostName::Parse(kPulled)}};
  auto report = RunTask(EnforceMirrorBound(catalog_, references, *blobs_, bound, stop_));
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
  EXPECT_EQ(RunTask(catalog_.upstream_holdings().HeldBytes()), Zip().size())
      << "they take room, so they are counted";
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

  EXPECT_EQ(RunTask(mirror_->check.Module(kChecker, Vpc(), {}))->state, State::kOk);
  Damage(Digest::Of(archive));
  EXPECT_EQ(RunTask(mirror_->check.Module(kChecker, Vpc(), {}))->state, State::kDamaged);
  EXPECT_EQ(RunTask(mirror_->check.Module(kChecker, Vpc(), {}))->state, State::kNotHeld);
  EXPECT_EQ(RunTask(mirror_->inventory.OpenModuleArchive(Vpc())).error().kind,
            ErrorKind::kNotFound);
  EXPECT_TRUE(ImportModule(archive)->created);
  ASSERT_TRUE(RunTask(mirror_->inventory.ReleaseModule(kRemover, Vpc())));
  EXPECT_FALSE(RunTask(mirror_->inventory.ListModules(std::nullopt, 10))->front().held);
}

// A package as an upstream's may be, repacked as the mirror does it.
std::string RepackedModule(const std::vector<TarSpec>& entries) {
  const std::string bytes = TarGz(entries);
  UniqueFd file = koya::FileOf(bytes);
  std::string out;
  ByteSink sink = [&out](std::span<const std::byte> part) -> Status {
    out.append(reinterpret_cast<const char*>(part.data()), part.size());
    return {};
  };
  auto repack = RepackForeignModule(file.get(), bytes.size(), "", {}, sink);
  EXPECT_TRUE(repack) << repack.error().message;
  return out;
}

TEST_F(InventoryTest, WhatTheMirrorTakesOfOtherPeoplesModulesCanBeImported) {
  const TarSpec readme{.name = "README.md", .content = "x"};
  const TarSpec submodule{.name = "modules/a/main.tf", .content = "x"};
  struct Taken {
    const char* ns;
    std::vector<TarSpec> entries;
  };
  const Taken kTaken[] = {
      {"no-configuration-at-the-root", {readme, submodule}},
      {"letter-case", {{.name = "main.tf"}, {.name = "Main.tf"}}},
      {"letter-case-of-folders", {{.name = "main.tf"}, {.name = "a/x"}, {.name = "A/y"}}},
      {"in-one-folder", {{.name = "vpc/", .type = '5'}, {.name = "vpc/main.tf"}}},
      {"in-one-folder-below", {submodule}},
  };
  for (const Taken& row : kTaken) {
    auto imported = ImportModule(RepackedModule(row.entries), row.ns);
    ASSERT_TRUE(imported) << row.ns << ": " << imported.error().message;
    auto report = RunTask(mirror_->check.Module(kChecker, Vpc(row.ns), {}));
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->state, State::kOk);
    EXPECT_TRUE(report->warnings.empty()) << row.ns << ": " << report->warnings[0];
  }
}

TEST_F(InventoryTest, ModulesThatAreRefused) {
  struct Refused {
    const char* words;
    std::string archive;
  };
  const TarSpec good{.name = "main.tf", .content = "x"};
  const Refused kRefused[] = {
      {"..", TarGz({good, {.name = "../x"}})},
      {"twice", TarGz({good, good})},
      {"a file, and a folder too", TarGz({good, {.name = "a"}, {.name = "a/x"}})},
      {"link", TarGz({good, {.name = "l", .type = '2', .link = "main.tf"}})},
      {"200 times", TarGz({good, {.name = "bomb", .content = std::string(3 << 20, 0)}})},
      {"no .tf", TarGz({{.name = "README.md", .content = "x"}})},
      {"koya mirror export did not write this", Gzip(Tar({good})) + Gzip("")},
      {"folder \"vpc\"", TarGz({{.name = "vpc/", .type = '5'}, {.name = "vpc/main.tf"}})},
      {"folder \"vpc\"", koya::Zip({{.name = "vpc/main.tf", .content = "x"}})},
  };
  for (const Refused& row : kRefused) {
    auto refused = ImportModule(row.archive);
    ASSERT_FALSE(refused) << row.words;
    EXPECT_EQ(refused.error().kind, ErrorKind::kRefused);
    EXPECT_TRUE(refused.error().message.contains(row.words)) << refused.error().message;
  }
  EXPECT_TRUE(RunTask(mirror_->inventory.ListModules(std::nullopt, 10))->empty());
}

}  // namespace
}  // namespace koya::service
