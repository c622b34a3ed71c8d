// Tests of damaged stored bytes: verification finds them, and publishing again repairs them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "archive/archive_builder_fake.h"
#include "base/manual_clock_fake.h"
#include "base/offload.h"
#include "base/run_task.h"
#include "base/temp_folder_fake.h"
#include "base/text_source_fake.h"
#include "blobs/blob_texts_fake.h"
#include "blobs/fs/blob_files.h"
#include "blobs/fs/fs_blob_store.h"
#include "blobs/memory/memory_blob_store.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/module_catalog.h"
#include "catalog/provider_catalog.h"
#include "catalog/upstream_catalog.h"
#include "domain/upstream_record.h"
#include "obs/line_writer.h"
#include "obs/log.h"
#include "service/common/blob_check.h"
#include "service/common/blob_io.h"
#include "service/common/change_feed.h"
#include "service/common/reading.h"
#include "service/modules/module_metadata.h"
#include "service/modules/publish_module.h"
#include "service/providers/provider_comparison.h"
#include "service/providers/provider_docs.h"
#include "service/providers/publish_provider.h"
#include "service/providers/release_semver_check.h"
#include "service/providers/signing_keys.h"
#include "service/search/index_queue.h"
#include "service/verify/published_check.h"
#include "service/verify/stored_artifacts.h"
#include "signing/armor.h"
#include "signing/openpgp.h"
#include "signing/sealer.h"
#include "signing/sha256sums.h"

namespace koya::service {
namespace {

namespace fs = std::filesystem;
using State = CheckReport::State;

enum class Damage { kCutShort, kAnotherByte, kRemoved };
constexpr Damage kEveryDamage[] = {Damage::kCutShort, Damage::kAnotherByte, Damage::kRemoved};

class VerifyTest : public ::testing::Test {
 protected:
  VerifyTest() {
    blobs_ = *FsBlobStore::Open(folder_ / "blobs", {blob_workers_, blob_workers_, open_files_});
    changes_ = std::make_unique<ChangeFeed>(catalog_);
    changes_->AddListener([this](std::string_view topic) { topics_.emplace_back(topic); });
    keys_ = std::make_unique<SigningKeys>(catalog_, sealer_, workers_, clock_);
    PublishOptions options{.archive = {}};
    insides_ = std::make_unique<ModuleMetadata>(catalog_, *blobs_, workers_, options.archive);
    judge_ = std::make_unique<SemverCheck>(catalog_, *insides_, workers_, SemverRule::kWarn);
    modules_ = std::make_unique<ModulePublisher>(catalog_, *blobs_, workers_, *changes_, *insides_,
                                                 *judge_, index_, clock_, options);
    provider_docs_ = std::make_unique<ProviderDocs>(catalog_, *blobs_);
    provider_comparison_ =
        std::make_unique<ProviderComparison>(catalog_, *provider_docs_, workers_);
    release_judge_ =
        std::make_unique<ReleaseSemverCheck>(catalog_, *provider_comparison_, SemverRule::kWarn);
    providers_ = std::make_unique<ProviderPublisher>(catalog_, *blobs_, *keys_, workers_, *changes_,
                                                     *release_judge_, index_, clock_,
                                                     ProviderPublishOptions{});
    ArchiveReview review{*blobs_, workers_, {}, {}};
    check_ = std::make_unique<PublishedCheck>(catalog_, review, clock_, log_);
  }

  Result<PublishOutcome> Publish(std::string archive, std::string_view version = "1.0.0") {
    TextSource upload(std::move(archive));
    ModulePublisher::Request request{.publisher = publisher_,
                                     .address = module_,
                                     .version = *Version::Parse(version),
                                     .description = ""};
    return RunTask(modules_->Publish(request, upload));
  }

  // Commits a release with these files.
  Result<CommitOutcome> Commit(const std::map<std::string, std::string>& files, bool sign) {
    ProviderPublisher::Request request{
        .publisher = publisher_, .address = provider_, .version = version_};
    ASSIGN_OR_RETURN(DraftRecord draft, RunTask(providers_->OpenDraft(request)));
    for (const auto& [name, content] : files) {
      TextSource upload(content);
      RETURN_IF_ERROR(RunTask(
          providers_->Upload(request, draft.id, "terraform-provider-demo_1.0.0_" + name, upload)));
    }
    return RunTask(providers_->CommitDraft(request, draft.id, {.sign = sign, .protocols = {}}));
  }

  void AddKey(const signing::GeneratedKey& key) {
    auth::Principal admin{.name = "admin", .scope = Scope::kAdmin, .namespaces = {}};
    ASSERT_TRUE(RunTask(keys_->Add(admin, "acme", key.public_key.armor)));
  }

  std::string PathOf(const Digest& digest) const {
    return BlobLayout(folder_ / "blobs").PathOf(digest);
  }
  void Harm(const Digest& digest, Damage damage) {
    std::string path = PathOf(digest);
    switch (damage) {
      case Damage::kCutShort:
        fs::resize_file(path, fs::file_size(path) / 2);
        break;
      case Damage::kAnotherByte: {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        auto middle = static_cast<std::streamoff>(fs::file_size(path) / 2);
        file.seekg(middle);
        char byte = static_cast<char>(file.get() ^ 1);
        file.seekp(middle);
        file.put(byte);
        break;
      }
      case Damage::kRemoved:
        fs::remove(path);
        break;
    }
  }
  // What lies in the file that should hold these bytes is what its name says.
  bool IsWhole(const Digest& digest) const {
    std::ifstream file(PathOf(digest), std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    return file && Digest::Of(text) == digest;
  }

  CheckReport CheckModule(CheckRequest request = {}) {
    auto report = RunTask(check_->Module(module_, version_, request));
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(CheckReport{});
  }
  CheckReport CheckPackage(CheckRequest request = {}) {
    auto report =
        RunTask(check_->Package(provider_, version_, *Platform::Parse("linux_amd64"), request));
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(CheckReport{});
  }
  CheckReport CheckDocuments(CheckRequest request = {}) {
    auto report = RunTask(check_->Documents(provider_, version_, request));
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(CheckReport{});
  }

  TempFolder folder_;
  ManualClock clock_;
  LineWriter lines_{{.descriptor = -1}};
  Logger log_{lines_, LogLevel::kInfo};
  WorkerPool workers_{2};
  WorkerPool blob_workers_{2};
  OpenFiles open_files_{16};
  signing::Sealer sealer_{"a secret of the tests"};
  TestCatalog catalog_;
  std::unique_ptr<FsBlobStore> blobs_;
  std::unique_ptr<ChangeFeed> changes_;
  std::unique_ptr<SigningKeys> keys_;
  std::unique_ptr<ModuleMetadata> insides_;
  std::unique_ptr<SemverCheck> judge_;
  IndexQueue index_;
  std::unique_ptr<ModulePublisher> modules_;
  std::unique_ptr<ProviderDocs> provider_docs_;
  std::unique_ptr<ProviderComparison> provider_comparison_;
  std::unique_ptr<ReleaseSemverCheck> release_judge_;
  std::unique_ptr<ProviderPublisher> providers_;
  std::unique_ptr<PublishedCheck> check_;
  std::vector<std::string> topics_;

  const auth::Principal publisher_{.name = "ci", .scope = Scope::kPublish, .namespaces = {}};
  const ModuleAddress module_ = *ModuleAddress::Parse("acme/vpc/aws");
  const ProviderAddress provider_ = *ProviderAddress::Parse("acme/demo");
  const Version version_ = *Version::Parse("1.0.0");
  const std::string zip_ = Zip({{.name = "terraform-provider-demo_v1.0.0", .content = "binary"}});
};

State StateOf(Damage damage) {
  return damage == Damage::kRemoved ? State::kMissing : State::kDamaged;
}

TEST_F(VerifyTest, PublishingTheSameModuleAgainMendsItsArchive) {
  const std::string at_root = Zip({{.name = "main.tf", .content = "# the module"}});
  const std::string in_folder = Zip({{.name = "vpc-1.0.0/main.tf", .content = "# the module"}});
  int version = 0;
  for (const std::string& upload : {at_root, in_folder}) {
    const std::string text = fmt::format("{}.0.0", ++version);
    auto first = Publish(upload, text);
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_EQ(first->repacked, upload == in_folder);
    const Digest served = first->record.digest;
    for (Damage damage : kEveryDamage) {
      Harm(served, damage);
      EXPECT_FALSE(IsWhole(served));
      topics_.clear();
      auto again = Publish(upload, text);
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_FALSE(again->created);
      EXPECT_TRUE(again->repaired);
      EXPECT_EQ(again->record.digest, served);
      EXPECT_TRUE(IsWhole(served));
      EXPECT_EQ(topics_, std::vector<std::string>{"module:acme/vpc/aws"});
    }
    auto untouched = Publish(upload, text);
    ASSERT_TRUE(untouched);
    EXPECT_FALSE(untouched->repaired);
  }
}

TEST_F(VerifyTest, ARepackThatComesOutOtherwiseIsSaidAndChangesNothing) {
  const std::string upload = Zip({{.name = "vpc-1.0.0/main.tf", .content = "# the module"}});
  const Digest once = Digest::Of("what an older version made of it");
  ModuleVersionRecord record{.address = module_,
                             .version = version_,
                             .kind = ArchiveKind::kTarGz,
                             .digest = once,
                             .size = 32,
                             .upload_digest = Digest::Of(upload),
                             .description = "",
                             .published_at = clock_.now,
                             .published_by = "ci"};
  ASSERT_TRUE(RunTask(catalog_.modules().AddVersion(Actor::Server(), record)));
  auto again = Publish(upload);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::kCorrupt);
  EXPECT_TRUE(again.error().message.contains(once.ToString())) << again.error().message;
  EXPECT_TRUE(again.error().message.contains("backup"));
  EXPECT_EQ(RunTask(catalog_.modules().FindVersion(module_, version_))->digest, once);
}

TEST_F(VerifyTest, CommittingTheSameReleaseAgainMendsZipSumsAndArmoredSignature) {
  signing::GeneratedKey author = signing::GenerateKey("Author", clock_.now).value();
  AddKey(author);
  std::vector<signing::SumsLine> lines{
      {Digest::Of(zip_), "terraform-provider-demo_1.0.0_linux_amd64.zip"}};
  const std::string sums = signing::WriteSums(lines);
  const std::string signature = signing::SignDetached(sums, author.secret, clock_.now).value();
  const std::map<std::string, std::string> files = {
      {"linux_amd64.zip", zip_},
      {"SHA256SUMS", sums},
      {"SHA256SUMS.sig", signing::WriteArmor(signing::kSignatureLabel, signature)}};
  ASSERT_TRUE(Commit(files, false)->created);
  for (Damage damage : kEveryDamage) {
    for (const std::string& harmed : {zip_, sums, signature}) {
      Harm(Digest::Of(harmed), damage);
      bool document = harmed != zip_;
      CheckReport report = document ? CheckDocuments() : CheckPackage();
      EXPECT_EQ(report.state, StateOf(damage));
      EXPECT_TRUE(report.problem.contains("publish the same again")) << report.problem;
      auto again = Commit(files, false);
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_FALSE(again->created);
      EXPECT_TRUE(IsWhole(Digest::Of(harmed)));
      EXPECT_EQ(topics_.back(), "provider:acme/demo");
    }
  }
  EXPECT_EQ(CheckDocuments().state, State::kOk);
  EXPECT_EQ(CheckPackage().state, State::kOk);
}

TEST_F(VerifyTest, ADamagedSignatureIsMadeAgainOrItIsSaidThatNobodyCan) {
  ASSERT_TRUE(Commit({{"linux_amd64.zip", zip_}}, true)->created);
  const Digest signature =
      RunTask(catalog_.providers().FindRelease(provider_, version_))->signature.digest;
  clock_.now += 100'000;
  for (Damage damage : kEveryDamage) {  // the server's own it can make again, byte for byte
    Harm(signature, damage);
    auto repaired = Commit({{"linux_amd64.zip", zip_}}, true);
    ASSERT_TRUE(repaired) << repaired.error().message;
    EXPECT_TRUE(IsWhole(signature));
  }
  auth::Principal admin{.name = "admin", .scope = Scope::kAdmin, .namespaces = {}};
  ASSERT_TRUE(RunTask(keys_->Rotate(admin, "acme")));  // which forgets the old one's secret half
  Harm(signature, Damage::kRemoved);
  signing::GeneratedKey author = signing::GenerateKey("Author", clock_.now).value();
  AddKey(author);
  std::vector<signing::SumsLine> lines{
      {Digest::Of(zip_), "terraform-provider-demo_1.0.0_linux_amd64.zip"}};
  const std::string sums = signing::WriteSums(lines);
  auto again = Commit({{"linux_amd64.zip", zip_},
                       {"SHA256SUMS", sums},
                       {"SHA256SUMS.sig", *signing::SignDetached(sums, author.secret, clock_.now)}},
                      false);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::kCorrupt);
  EXPECT_TRUE(again.error().message.contains(signature.ToString())) << again.error().message;
  EXPECT_EQ(RunTask(catalog_.providers().FindRelease(provider_, version_))->signature.digest,
            signature);
}

TEST_F(VerifyTest, FindsEveryDamageOfAModule) {
  auto published = Publish(Zip({{.name = "main.tf", .content = "# the module"}}));
  ASSERT_TRUE(published);
  EXPECT_EQ(CheckModule().state, State::kOk);
  EXPECT_EQ(CheckModule().warnings, std::vector<std::string>());
  Harm(published->record.digest, Damage::kAnotherByte);
  EXPECT_EQ(CheckModule({.quick = true}).state, State::kOk) << "sizes say nothing of it";
  EXPECT_EQ(CheckModule().state, State::kDamaged);
  Harm(published->record.digest, Damage::kCutShort);
  EXPECT_EQ(CheckModule({.quick = true}).state, State::kDamaged);
  EXPECT_TRUE(fs::exists(PathOf(published->record.digest))) << "what was published is not removed";
  Harm(published->record.digest, Damage::kRemoved);
  EXPECT_EQ(CheckModule({.quick = true}).state, State::kMissing);
  auto unknown = RunTask(check_->Module(module_, *Version::Parse("9.0.0"), {}));
  EXPECT_EQ(unknown.error().kind, ErrorKind::kNotFound);
}

// As an older version may have published them.
TEST_F(VerifyTest, WhatTodaysRulesWouldRefuseIsAWarningAndNoDamage) {
  const std::string archive = Zip({{.name = "../main.tf", .content = "# outside"}});
  auto stored = RunTask(StoreText(*blobs_, archive));
  ASSERT_TRUE(stored);
  ModuleVersionRecord record{.address = module_,
                             .version = version_,
                             .kind = ArchiveKind::kZip,
                             .digest = stored->digest,
                             .size = stored->size,
                             .upload_digest = stored->digest,
                             .description = "",
                             .published_at = clock_.now,
                             .published_by = "ci"};
  ASSERT_TRUE(RunTask(catalog_.modules().AddVersion(Actor::Server(), record)));
  CheckReport report = CheckModule();
  EXPECT_EQ(report.state, State::kOk);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_TRUE(report.warnings[0].starts_with("today's rules would reject it: "))
      << report.warnings[0];
  EXPECT_EQ(CheckModule({.quick = true}).warnings.size(), 0U);
}

TEST_F(VerifyTest, AHashThatClientsDoNotComputeIsAWarning) {
  auto outcome = Commit({{"linux_amd64.zip", zip_}}, true);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(CheckPackage().warnings.size(), 0U);
  ProviderRelease release = *outcome->release;
  release.version = *Version::Parse("2.0.0");
  release.packages[0].h1 = {"h1:AAAA="};
  ASSERT_TRUE(RunTask(catalog_.providers().AddRelease(Actor::Server(), release, std::nullopt)));
  auto report =
      RunTask(check_->Package(provider_, release.version, *Platform::Parse("linux_amd64"), {}));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->state, State::kOk);
  ASSERT_EQ(report->warnings.size(), 1U);
  EXPECT_TRUE(report->warnings[0].contains("h1:AAAA=")) << report->warnings[0];
}

TEST_F(VerifyTest, ComparesSumsWithPackagesAndSignaturesWithKeys) {
  auto outcome = Commit({{"linux_amd64.zip", zip_}}, true);
  ASSERT_TRUE(outcome);
  const auto problem_of = [&](std::string version, std::string sums, std::string signature) {
    ProviderRelease release = *outcome->release;
    release.version = *Version::Parse(version);
    release.sums = *RunTask(StoreText(*blobs_, std::move(sums)));
    if (!signature.empty()) release.signature = *RunTask(StoreText(*blobs_, signature));
    EXPECT_TRUE(RunTask(catalog_.providers().AddRelease(Actor::Server(), release, std::nullopt)));
    auto report = RunTask(check_->Documents(provider_, release.version, {}));
    EXPECT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->state, State::kDamaged);
    return report->problem;
  };
  const std::string name = "terraform-provider-demo_1.0.0_linux_amd64.zip";
  std::vector<signing::SumsLine> others{{Digest::Of("other"), name}};
  EXPECT_TRUE(problem_of("2.0.0", signing::WriteSums(others), "").contains("SHA256SUMS lists"));
  others[0].name = "other.zip";
  EXPECT_TRUE(problem_of("3.0.0", signing::WriteSums(others), "").contains("does not list"));
  std::vector<signing::SumsLine> right{{Digest::Of(zip_), name}};
  signing::GeneratedKey author = signing::GenerateKey("Author", clock_.now).value();
  const std::string sums = signing::WriteSums(right);
  EXPECT_TRUE(problem_of("4.0.0", sums, *signing::SignDetached(sums, author.secret, clock_.now))
                  .contains("is not one of the key"));
}

class KeptListTest : public VerifyTest {
 protected:
  ArtifactPage Page(std::string after = "", bool mirrored = false) {
    auto page = RunTask(kept_.Page({.after = std::move(after), .mirrored_only = mirrored}));
    EXPECT_TRUE(page) << page.error().message;
    return page.value_or(ArtifactPage{});
  }
  // "acme/vpc/aws 1.0.0" for each thing of every page after `after`.
  std::vector<std::string> Everything(std::string after = "", bool mirrored = false) {
    std::vector<std::string> names;
    do {
      ArtifactPage page = Page(after, mirrored);
      for (const StoredArtifact& thing : page.things) {
        std::string host = thing.host ? thing.host->ascii() + "/" : "";
        std::string platform = thing.platform ? " " + thing.platform->ToString() : "";
        if (thing.kind == StoredArtifact::Kind::kDocuments) platform = " documents";
        names.push_back(host + thing.address + " " + thing.version->ToString() + platform);
        EXPECT_GT(thing.size, 0U);
      }
      after = page.next;
    } while (!after.empty());
    return names;
  }
  void AddModules(int count) {
    for (int i = 0; i < count; ++i) {
      ModuleVersionRecord record{
          .address = *ModuleAddress::Parse(fmt::format("acme/m{:03}/aws", i)),
          .version = version_,
          .digest = Digest::Of("archive"),
          .size = 7,
          .upload_digest = Digest::Of("archive"),
          .published_at = clock_.now,
          .published_by = "ci"};
      ASSERT_TRUE(RunTask(catalog_.modules().AddVersion(Actor::Server(), record)));
    }
  }
  void PinMirrored() {
    HostName host = *HostName::Parse("registry.example.org");
    UpstreamPackage held{.platform = *Platform::Parse("linux_amd64"),
                         .filename = "x.zip",
                         .digest = Digest::Of("held"),
                         .size = 4,
                         .hashes = {},
                         .held = true,
                         .used_at = clock_.now};
    UpstreamPackage gone = held;
    gone.platform = *Platform::Parse("darwin_arm64");
    gone.digest = Digest::Of("gone");
    gone.held = false;
    UpstreamRelease release{.provider = {host, provider_},
                            .version = version_,
                            .protocols = {},
                            .sums = ReleaseDocument{Digest::Of("sums"), 4},
                            .signature = ReleaseDocument{Digest::Of("signature"), 9},
                            .keys = "{}",
                            .fit_for_origin = true,
                            .packages = {gone, held},
                            .seen_at = clock_.now};
    ASSERT_TRUE(RunTask(catalog_.upstream_releases().PinRelease(release, false)));
    UpstreamModuleVersion module{.module = {host, module_},
                                 .version = version_,
                                 .kind = ArchiveKind::kTarGz,
                                 .digest = Digest::Of("module"),
                                 .size = 6,
                                 .source = "",
                                 .held = true,
                                 .seen_at = clock_.now,
                                 .used_at = clock_.now};
    ASSERT_TRUE(RunTask(catalog_.upstream_modules().PinModule(module)));
  }

  StoredArtifacts kept_{catalog_, *blobs_};
};

TEST_F(KeptListTest, HasEverythingThatIsKept) {
  EXPECT_EQ(Everything(), std::vector<std::string>());
  ASSERT_TRUE(Publish(Zip({{.name = "main.tf", .content = "#"}})));
  ASSERT_TRUE(Commit({{"linux_amd64.zip", zip_}}, true));
  PinMirrored();
  const std::vector<std::string> mirrored = {"registry.example.org/acme/demo 1.0.0 linux_amd64",
                                             "registry.example.org/acme/demo 1.0.0 documents",
                                             "registry.example.org/acme/vpc/aws 1.0.0"};
  std::vector<std::string> all = {"acme/vpc/aws 1.0.0", "acme/demo 1.0.0 documents",
                                  "acme/demo 1.0.0 linux_amd64"};
  all.insert(all.end(), mirrored.begin(), mirrored.end());
  EXPECT_EQ(Everything(), all);
  EXPECT_EQ(Everything("", true), mirrored);
  EXPECT_EQ(Everything("modules/acme/vpc/aws"), std::vector(all.begin() + 1, all.end()));
  EXPECT_EQ(Everything("providers/acme/demo"), mirrored);
  EXPECT_EQ(Everything("mirror/providers/registry.example.org/acme/demo@1.0.0"),
            std::vector(mirrored.begin() + 2, mirrored.end()));
}

TEST_F(KeptListTest, PagesFollowEachOtherThoughSomethingGoesMeanwhile) {
  AddModules(250);
  EXPECT_EQ(Everything().size(), 250U);
  ArtifactPage first = Page();
  EXPECT_EQ(first.things.size(), 100U);
  EXPECT_EQ(first.next, "modules/acme/m099/aws");
  Withdrawal withdrawal{.at = clock_.now, .by = "ops", .reason = "old"};
  for (int gone : {0, 1, 2, 100}) {
    ModuleAddress address = *ModuleAddress::Parse(fmt::format("acme/m{:03}/aws", gone));
    ASSERT_TRUE(
        RunTask(catalog_.modules().Withdraw(Actor::Server(), address, version_, withdrawal)));
  }
  std::vector<std::string> rest = Everything(first.next);
  EXPECT_EQ(rest.size(), 149U);
  EXPECT_EQ(rest.front(), "acme/m101/aws 1.0.0");
}

TEST_F(KeptListTest, APlaceThatNoPageEndsWithIsRefused) {
  for (const char* bad : {"modules", "module/acme/vpc/aws", "acme/vpc/aws", "mirror/providers/x",
                          "mirror/modules/registry.example.org/a/b/c@x"}) {
    auto page = RunTask(kept_.Page({.after = bad, .mirrored_only = false}));
    ASSERT_FALSE(page) << bad;
    EXPECT_EQ(page.error().kind, ErrorKind::kInvalid) << bad;
  }
}

TEST_F(VerifyTest, DocsAndSchemaAreCheckedAndMended) {
  const std::string docs = Zip({{.name = "docs/index.md", .content = "# Demo\n"}});
  const std::map<std::string, std::string> files = {
      {"linux_amd64.zip", zip_},
      {"docs.zip", docs},
      {"schema.json",
       R"({"format_version":"1.0","provider_schemas":{"registry.example.com/acme/demo":{)"
       R"("provider":{"version":0,"block":{}},"resource_schemas":{"demo_thing":{"version":1,)"
       R"("block":{"attributes":{"name":{"type":"string","optional":true}}}}}}}})"}};
  ASSERT_TRUE(Commit(files, true)->created);
  auto summary = RunTask(catalog_.provider_docs().FindDocs(provider_, version_));
  ASSERT_TRUE(summary);
  ASSERT_TRUE(summary->docs);
  ASSERT_TRUE(summary->schema);
  EXPECT_EQ(summary->docs->digest, Digest::Of(docs));
  auto check_docs = [this] { return RunTask(check_->Docs(provider_, version_, {})); };
  auto check_schema = [this] { return RunTask(check_->Schema(provider_, version_, {})); };
  EXPECT_EQ(check_docs()->state, State::kOk);
  EXPECT_EQ(check_schema()->state, State::kOk);
  auto page = RunTask(StoredArtifacts(catalog_, *blobs_).Page({}));
  ASSERT_TRUE(page);
  ASSERT_EQ(page->things.size(), 4U);
  EXPECT_EQ(page->things[2].kind, StoredArtifact::Kind::kDocs);
  EXPECT_EQ(page->things[2].size, docs.size());
  EXPECT_EQ(page->things[3].kind, StoredArtifact::Kind::kSchema);
  for (Damage damage : kEveryDamage) {
    Harm(summary->docs->digest, damage);
    Harm(summary->schema->digest, damage);
    EXPECT_EQ(check_docs()->state, StateOf(damage));
    EXPECT_TRUE(check_docs()->problem.contains("with the same docs")) << check_docs()->problem;
    EXPECT_EQ(check_schema()->state, StateOf(damage));
    EXPECT_TRUE(check_schema()->problem.contains("with the same schema"));
    EXPECT_EQ(CheckDocuments().state, State::kOk);
    auto again = Commit(files, true);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_FALSE(again->created);
    EXPECT_EQ(check_docs()->state, State::kOk);
    EXPECT_EQ(check_schema()->state, State::kOk);
  }
  auto none = RunTask(check_->Docs(provider_, *Version::Parse("9.0.0"), {}));
  EXPECT_EQ(none.error().kind, ErrorKind::kNotFound);
}

TEST_F(VerifyTest, AReleaseWithoutDocsHasNoneToCheck) {
  ASSERT_TRUE(Commit({{"linux_amd64.zip", zip_}}, true)->created);
  EXPECT_EQ(RunTask(check_->Docs(provider_, version_, {})).error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(RunTask(check_->Schema(provider_, version_, {})).error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(RunTask(StoredArtifacts(catalog_, *blobs_).Page({}))->things.size(), 2U);
}

// ---- a store elsewhere, and this server's copy beside it

// CheckStored() returns the test's blob; commits go to memory.
class FakeOtherStore final : public BlobStore {
 public:
  explicit FakeOtherStore(StoredBlob stored) : stored_(std::move(stored)) {}
  Result<std::unique_ptr<BlobWriter>> Create() override { return memory_.Create(); }
  WorkerPool& workers() override { return memory_.workers(); }
  Task<void> CommitAll(std::vector<BlobWriter*> writers) override {
    return memory_.CommitAll(std::move(writers));
  }
  Task<std::shared_ptr<Blob>> Open(Digest digest) override { return memory_.Open(digest); }
  Task<bool> RemoveIfOlder(Digest digest, std::chrono::seconds older_than) override {
    return memory_.RemoveIfOlder(digest, older_than);
  }
  Task<std::vector<BlobInfo>> List(std::optional<Digest> after, std::size_t limit) override {
    return memory_.List(after, limit);
  }
  Task<std::optional<StoredBlob>> CheckStored(BlobInfo /*blob*/, bool /*quick*/) override {
    co_return stored_;
  }
  Awaitable<void> DropCopy(Digest /*digest*/) override {
    ++drops;
    co_return;
  }

  int drops = 0;

 private:
  StoredBlob stored_;
  MemoryBlobStore memory_;
};

TEST(BlobCheckerTest, ALostObjectIsFoundWhateverThisServersCopyIsWorth) {
  using Stored = StoredBlob::State;
  using Copy = BlobCheck::Copy;
  struct Row {
    Stored stored;
    std::string copy;  // its bytes; "": there is none
    bool repair;
    State state;
    Copy worth;
    bool repaired;
    std::string words;
  };
  const Row rows[] = {
      {Stored::kWhole, "", false, State::kOk, Copy::kNone, false, ""},
      {Stored::kWhole, "koya", true, State::kOk, Copy::kRight, false, ""},
      {Stored::kWhole, "kova", false, State::kOk, Copy::kWrong, false,
       "this server's copy did not"},
      {Stored::kMissing, "", true, State::kMissing, Copy::kNone, false, ""},
      {Stored::kMissing, "koya", false, State::kMissing, Copy::kRight, false, "--repair"},
      {Stored::kMissing, "koya", true, State::kMissing, Copy::kRight, true, "stored again"},
      {Stored::kDamaged, "koya", false, State::kDamaged, Copy::kRight, false, "other bytes"},
      {Stored::kDamaged, "koya", true, State::kDamaged, Copy::kRight, true, "stored again"},
      {Stored::kDamaged, "kova", true, State::kDamaged, Copy::kWrong, false, "and so had"},
  };
  const BlobInfo blob{Digest::Of("koya"), 4};
  for (const Row& row : rows) {
    MemoryBlobStore here;
    StoredBlob stored{.state = row.stored};
    if (!row.copy.empty()) {
      ASSERT_TRUE(RunTask(Store(here, row.copy)));
      stored.copy = *RunTask(here.Open(Digest::Of(row.copy)));
    }
    FakeOtherStore elsewhere(std::move(stored));
    WorkerPool workers(1);
    BlobChecker checker{elsewhere, workers};
    auto check = RunTask(checker.Check(blob, {.quick = false, .repair = row.repair}));
    const std::string what = row.words + " " + row.copy;
    ASSERT_TRUE(check) << what << check.error().message;
    EXPECT_EQ(check->state, row.state) << what;
    EXPECT_EQ(check->copy, row.worth) << what;
    EXPECT_EQ(check->repaired, row.repaired) << what;
    EXPECT_EQ(check->Words().empty(), row.words.empty()) << check->Words();
    EXPECT_TRUE(check->Words().contains(row.words)) << check->Words();
    EXPECT_EQ(elsewhere.drops, row.worth == Copy::kWrong ? 1 : 0) << what;
    EXPECT_EQ(RunTask(elsewhere.Open(blob.digest)).has_value(), row.repaired) << what;
  }
}

}  // namespace
}  // namespace koya::service
