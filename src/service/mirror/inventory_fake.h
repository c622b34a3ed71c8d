// For tests: stored bytes of other registries, over a real catalog and real files, which tests
// damage.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "base/temp_folder_fake.h"
#include "base/text_source_fake.h"
#include "blobs/fs/fs_blob_store.h"
#include "catalog/audit_catalog.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/module_catalog.h"
#include "catalog/provider_catalog.h"
#include "catalog/upstream_catalog.h"
#include "domain/audit_record.h"
#include "inspect/contents.h"
#include "obs/line_writer.h"
#include "obs/log.h"
#include "service/common/change_feed.h"
#include "service/common/last_used_tracker.h"
#include "service/mirror/check.h"
#include "service/mirror/import.h"
#include "service/mirror/inventory.h"
#include "service/mirror/mirror.h"
#include "service/mirror/mirror_setup.h"
#include "service/mirror/mirror_space.h"
#include "service/mirror/upstream_fake.h"
#include "service/search/index_queue.h"

namespace koya::service {

inline constexpr const char* kPulled = "registry.example.org";  // what may be pulled from
inline constexpr const char* kOther = "registry.example.net";
// Who changes things in these tests.
inline const Actor kImporter{.name = "user:importer", .request_id = "of the import"};
inline const Actor kRemover{.name = "user:remover"};
inline const Actor kChecker{.name = "user:checker"};

// Something happens right after a blob was opened, or found missing. Its bucket may take nothing
// for a while.
class OvertakenBlobs final : public BlobStore {
 public:
  explicit OvertakenBlobs(std::unique_ptr<BlobStore> blobs) : blobs_(std::move(blobs)) {}
  Result<std::unique_ptr<BlobWriter>> Create() override { return blobs_->Create(); }
  WorkerPool& workers() override { return blobs_->workers(); }
  Task<void> CommitAll(std::vector<BlobWriter*> writers) override {
    if (away) co_return FailUnavailable("the object store cannot be reached");
    co_return co_await blobs_->CommitAll(std::move(writers));
  }
  Task<std::shared_ptr<Blob>> Open(Digest digest) override {
    Result<std::shared_ptr<Blob>> blob = co_await blobs_->Open(digest);
    if (by) std::exchange(by, {})();
    co_return blob;
  }
  Task<bool> RemoveIfOlder(Digest digest, std::chrono::seconds older_than) override {
    return blobs_->RemoveIfOlder(digest, older_than);
  }
  Task<std::vector<BlobInfo>> List(std::optional<Digest> after, std::size_t limit) override {
    return blobs_->List(after, limit);
  }

  std::function<void()> by;
  std::atomic<bool> away = false;

 private:
  std::unique_ptr<BlobStore> blobs_;
};

class InventoryTest : public ::testing::Test {
 protected:
  using State = CheckReport::State;

  InventoryTest() {
    clock_.now = FakeUpstream::kNow;
    auto blobs = FsBlobStore::Open(folder_ / "blobs", {blob_workers_, blob_workers_, open_files_});
    EXPECT_TRUE(blobs) << blobs.error().message;
    blobs_ = std::make_unique<OvertakenBlobs>(*std::move(blobs));
    changes_ = std::make_unique<ChangeFeed>(catalog_);
    uses_ = std::make_unique<LastUsedTracker>(catalog_, log_);
    changes_->AddListener([this](std::string_view topic) { topics_.emplace_back(topic); });
    PullPolicy policy =
        *PullPolicy::Make({}, {"*/denied/*", "*/denied/*/*"}, {*HostName::Parse(kPulled)});
    mirror_ = std::make_unique<Mirror>(
        MirrorDependencies{catalog_,
                           *blobs_,
                           *changes_,
                           clock_,
                           *uses_,
                           log_,
                           upstream_,
                           modules_,
                           {},
                           nullptr,
                           &index_},
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
    return RunTask(mirror_->import.Package(kImporter, std::move(id), source));
  }
  // What a registry would have said of 1.0.0.
  ReleaseDocuments Documents() {
    auto download = upstream_.Download(Demo().host, Demo().address, *Version::Parse("1.0.0"),
                                       *Platform::Parse("linux_amd64"), {});
    return {download->protocols, download->sums, download->signature, download->keys};
  }
  Result<ImportedRelease> ImportDocuments(ReleaseDocuments documents,
                                          UpstreamProvider provider = Demo()) {
    return RunTask(mirror_->import.Release(kImporter, std::move(provider), *Version::Parse("1.0.0"),
                                           std::move(documents)));
  }
  Result<ImportedModule> ImportModule(std::string archive, std::string_view ns = "acme") {
    TextSource source(std::move(archive));
    return RunTask(
        mirror_->import.Module(kImporter, Vpc(ns), "git::https://git.example/vpc.git", source));
  }
  static ModuleId Vpc(std::string_view ns = "acme") {
    return {{*HostName::Parse(kOther), *ModuleAddress::FromParts(ns, "vpc", "aws")},
            *Version::Parse("1.0.0")};
  }
  UpstreamRelease Find(const UpstreamProvider& provider = Demo()) {
    return RunTask(
               catalog_.upstream_releases().FindUpstreamRelease(provider, *Version::Parse("1.0.0")))
        .value();
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
  void Age(const Digest& digest, std::chrono::minutes age = std::chrono::hours(1)) {
    const auto now = std::filesystem::file_time_type::clock::now();
    std::filesystem::last_write_time(FileOf(digest), now - age);
  }
  std::uint64_t Enforce(std::uint64_t bytes) {
    CacheEviction bound{.max_bytes = bytes, .hosts = {*HostName::Parse(kPulled)}};
    return RunTask(EnforceMirrorBound(catalog_, catalog_, *blobs_, bound, stop_)).value().packages;
  }
  // Another byte, the same size.
  void Damage(const Digest& digest) {
    std::filesystem::path path = FileOf(digest);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(50);
    file.put('\x7f');
    file.put('\x7e');
    file.close();
    Age(digest);  // disks do not say when they did it
  }
  void Lose(const Digest& digest) { std::filesystem::remove(FileOf(digest)); }
  // A draft of a release that is published here has these bytes.
  void Draft(const Digest& digest) {
    DraftRecord draft{.id = digest.hex(),
                      .address = *ProviderAddress::Parse("acme/demo"),
                      .version = *Version::Parse("1.0.0"),
                      .created_at = clock_.now,
                      .created_by = "ci",
                      .expires_at = clock_.now + 100,
                      .files = {}};
    ASSERT_TRUE(RunTask(catalog_.drafts().AddDraft(draft, 9)));
    DraftFile file{.name = "file", .digest = digest, .size = 1, .h1 = {}, .problems = {}};
    ASSERT_TRUE(RunTask(catalog_.drafts().PutDraftFile(draft.id, file, draft.expires_at, 9)));
  }
  void PublishModule(const Digest& digest) {
    ModuleVersionRecord record{.address = *ModuleAddress::Parse("acme/vpc/aws"),
                               .version = *Version::Parse("1.0.0"),
                               .kind = ArchiveKind::kZip,
                               .digest = digest,
                               .size = 1,
                               .upload_digest = digest,
                               .description = "",
                               .published_at = clock_.now,
                               .published_by = "ci"};
    ASSERT_TRUE(RunTask(catalog_.modules().AddVersion(Actor::Server(), record)));
  }
  bool IsStored(const Digest& digest) { return RunTask(blobs_->Open(digest)).has_value(); }
  // "mirror.import provider:… by user:importer" for each entry of the audit log, oldest first.
  std::vector<std::string> Changes() {
    std::vector<std::string> changes;
    for (const AuditRecord& record : RunTask(catalog_.audit().ListAudit({}, 1000)).value()) {
      const AuditEntry& entry = record.entry;
      changes.push_back(fmt::format("{} {} by {}", entry.action, entry.target, entry.by.name));
    }
    std::ranges::reverse(changes);
    return changes;
  }
  Result<CheckReport> Check(PackageId id, bool repair = false) {
    return RunTask(mirror_->check.Package(kChecker, std::move(id), {.repair = repair}));
  }

  TempFolder folder_;
  ManualClock clock_;
  LineWriter lines_{{.descriptor = -1}};
  Logger log_{lines_, LogLevel::kInfo};
  WorkerPool blob_workers_{2};
  OpenFiles open_files_{16};
  std::unique_ptr<OvertakenBlobs> blobs_;
  TestCatalog catalog_;
  FakeUpstream upstream_;
  FakeModules modules_;
  std::vector<std::string> topics_;
  std::atomic<bool> stop_ = false;
  std::unique_ptr<ChangeFeed> changes_;
  std::unique_ptr<LastUsedTracker> uses_;
  IndexQueue index_;
  std::unique_ptr<Mirror> mirror_;
};

}  // namespace koya::service
