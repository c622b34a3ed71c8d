// Backups of a catalog and a store: made, verified and restored, also after faults.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/run_task.h"
#include "base/temp_folder_fake.h"
#include "blobs/memory/memory_blob_store.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/module_catalog.h"
#include "catalog/record_catalog.h"
#include "catalog/replica_catalog.h"
#include "domain/replica_record.h"
#include "service/operate/backup_place.h"
#include "service/operate/backup_source.h"
#include "service/operate/read_backup.h"
#include "service/operate/record_file.h"
#include "service/operate/take_backup.h"

namespace koya::service {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSchema = 9;
constexpr UnixSeconds kNow = 1'795'279'270;

Digest Store(BlobStore& blobs, std::string_view text) {
  StagedBlob staged = StageText(blobs, text).value();
  EXPECT_TRUE(RunTask(staged.writer->Commit()));
  return staged.info.digest;
}

std::string TextOf(BlobStore& blobs, const Digest& digest) {
  Result<std::shared_ptr<Blob>> blob = RunTask(blobs.Open(digest));
  if (!blob) return "nothing";
  std::string text((*blob)->size(), ' ');
  EXPECT_TRUE(RunTask((*blob)->ReadAt(0, std::as_writable_bytes(std::span(text)))));
  return text;
}

// A folder that fails once, after so many files were stored.
class FailingPlace final : public BackupPlace {
 public:
  FailingPlace(BackupPlace& place, int files) : place_(place), files_(files) {}
  std::string where() const override { return place_.where(); }
  Status Put(const std::string& name, const BackupFile& file) override {
    if (files_-- == 0) return Fail(ErrorKind::kStorageFull, "the disk is full");
    return place_.Put(name, file);
  }
  Status Get(const std::string& name, const ByteSink& sink) override {
    return place_.Get(name, sink);
  }
  Status Delete(const std::string& name) override { return place_.Delete(name); }
  Status List(const std::string& prefix, const Visit& visit) override {
    return place_.List(prefix, visit);
  }

 private:
  BackupPlace& place_;
  int files_;
};

class BackupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* each : {"one", "two", "three"}) digests_.push_back(Store(blobs_, each));
    ASSERT_TRUE(RunTask(catalog_.modules().AddVersion(Tester(), Record("acme/vpc/aws", "1.0.0"))));
  }

  std::unique_ptr<BackupFolder> Open() { return BackupFolder::OpenToWrite(folder()).value(); }
  fs::path folder() const { return temp_ / "backups"; }
  fs::path BlobFile(const Digest& digest) const { return folder() / BackupBlobName(digest); }

  Result<BackupReport> Take(BackupPlace& place, UnixSeconds now = kNow) {
    const std::string holder = RunTask(leases_.Take()).value();
    StoredSource source({catalog_.records(), blobs_, leases_, temp_.path()},
                        {.program = "1.2.3", .schema = kSchema, .catalog = "c"}, holder);
    Result<BackupReport> report = TakeBackup(source, place, {.scratch = temp_.path(), .now = now});
    EXPECT_TRUE(RunTask(leases_.GiveBack(holder)));
    return report;
  }
  BackupReport TakeOne(UnixSeconds now = kNow) {
    Result<BackupReport> report = Take(*Open(), now);
    EXPECT_TRUE(report) << report.error().message << report.error().detail;
    return report ? *std::move(report) : BackupReport();
  }

  Result<wire::BackupManifest> Read(const std::string& id = "") {
    return ReadManifest(*Open(), id, kSchema);
  }
  std::vector<std::string> Problems(bool all) {
    const wire::BackupManifest manifest = Read().value();
    TestCatalog empty;
    Result<BackupCheck> check =
        CheckBackup(*Open(), manifest, empty.records(),
                    {.scratch = temp_.path(), .schema = kSchema, .all = all, .now = kNow});
    EXPECT_TRUE(check) << check.error().message;
    return check ? check->problems : std::vector<std::string>{"not checked"};
  }
  Result<RestoreReport> Restore(RecordCatalog& records, BlobStore& blobs) {
    ASSIGN_OR_RETURN(const wire::BackupManifest manifest, Read());
    return RestoreBackup(*Open(), manifest, {.records = records, .blobs = blobs, .schema = kSchema},
                         temp_.path(), {});
  }

  void FlipByte(const fs::path& file) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(fs::file_size(file) / 2));
    const auto at = stream.tellg();
    const char byte = static_cast<char>(stream.get() ^ 1);
    stream.seekp(at);
    stream.put(byte);
  }

  TempFolder temp_;
  TestCatalog catalog_;
  MemoryBlobStore blobs_;
  BackupLeases leases_{catalog_, "here:8443"};
  std::vector<Digest> digests_;
};

TEST_F(BackupTest, EverythingIsRestored) {
  const BackupReport report = TakeOne();
  EXPECT_EQ(report.manifest.id, "20261121T164110Z");
  EXPECT_EQ(report.copied, 3u);
  EXPECT_EQ(Problems(true), std::vector<std::string>{});
  TestCatalog catalog;
  MemoryBlobStore blobs;
  Result<RestoreReport> restored = Restore(catalog.records(), blobs);
  ASSERT_TRUE(restored) << restored.error().message << restored.error().detail;
  EXPECT_EQ(restored->rows, report.manifest.records.count);
  EXPECT_EQ(TextOf(blobs, digests_[1]), "two");
  EXPECT_TRUE(RunTask(catalog.modules().FindVersion(Address("acme/vpc/aws"), V("1.0.0"))));
  EXPECT_EQ(SumRecords(catalog.records()).value(), report.manifest.tables);
}

TEST_F(BackupTest, OnlyWhatIsMissingIsCopiedAgain) {
  TakeOne();
  Store(blobs_, "four");
  const BackupReport second = TakeOne(kNow + 60);
  EXPECT_EQ(second.copied, 1u);
  EXPECT_EQ(second.manifest.blobs.count, 4u);
  // In the same second another name is found.
  EXPECT_EQ(TakeOne(kNow + 60).manifest.id, "20261121T164211Z");
  EXPECT_EQ(ListBackups(*Open()).value().size(), 3u);
}

TEST_F(BackupTest, AnAttemptThatFailedAnywhereIsContinued) {
  // Each attempt stores one file more than the one before, or finds blobs of that.
  int attempts = 0;
  for (bool is_done = false; !is_done && attempts < 10; ++attempts) {
    SCOPED_TRACE(attempts);
    {
      const std::unique_ptr<BackupFolder> place = Open();
      FailingPlace failing(*place, attempts);
      is_done = Take(failing, kNow + attempts).has_value();
    }
    if (!is_done) EXPECT_EQ(Read().error().kind, ErrorKind::kNotFound);
  }
  EXPECT_GT(attempts, 4);
  EXPECT_LT(attempts, 9);
  EXPECT_EQ(Problems(true), std::vector<std::string>{});
  ASSERT_TRUE(RemoveOldBackups(*Open(), 5, temp_.path()));
  std::vector<std::string> names;
  for (const auto& each : fs::directory_iterator(folder())) {
    names.push_back(each.path().filename().string());
  }
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{Read()->id, "blobs", "lock"}));
}

TEST_F(BackupTest, AChangedByteIsFound) {
  const std::string id = TakeOne().manifest.id;
  const struct {
    fs::path file;
    bool in_manifest;
  } kCases[] = {
      {folder() / id / "manifest.json", true},
      {folder() / id / "manifest.sha256", true},
      {folder() / id / "catalog.jsonl.gz", false},
      {folder() / id / "blobs.txt.gz", false},
      {BlobFile(digests_[2]), false},
  };
  for (const auto& each : kCases) {
    SCOPED_TRACE(each.file);
    FlipByte(each.file);
    TestCatalog catalog;
    MemoryBlobStore blobs;
    if (each.in_manifest) {
      EXPECT_EQ(Read().error().kind, ErrorKind::kCorrupt);
    } else {
      EXPECT_EQ(Problems(true).size(), 1u);
    }
    Result<RestoreReport> restored = Restore(catalog.records(), blobs);
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().kind, ErrorKind::kCorrupt) << restored.error().message;
    EXPECT_TRUE(catalog.records().RequireEmpty());
    FlipByte(each.file);  // back
  }
  EXPECT_EQ(Problems(false), std::vector<std::string>{});
}

TEST_F(BackupTest, AMissingBlobIsFoundBeforeAnythingIsWritten) {
  TakeOne();
  fs::remove(BlobFile(digests_[0]));
  EXPECT_EQ(Problems(false).size(), 1u);
  TestCatalog catalog;
  MemoryBlobStore blobs;
  EXPECT_EQ(Restore(catalog.records(), blobs).error().kind, ErrorKind::kCorrupt);
  EXPECT_TRUE(RunTask(blobs.List(std::nullopt, 10)).value().empty());
  EXPECT_EQ(TakeOne(kNow + 60).copied, 1u);
  EXPECT_TRUE(Restore(catalog.records(), blobs));
}

TEST_F(BackupTest, ADamagedBlobOfTheStoreIsNamedAndTheRestIsRestored) {
  // The store opens other bytes under a digest.
  const Digest wrong = Digest::Of("wrong");
  blobs_.AddBlob({.digest = wrong, .size = 3}, RunTask(blobs_.Open(digests_[0])).value());
  const BackupReport report = TakeOne();
  EXPECT_EQ(report.manifest.missing, std::vector<std::string>{wrong.hex()});
  EXPECT_EQ(Problems(true), std::vector<std::string>{});
  TestCatalog catalog;
  MemoryBlobStore blobs;
  ASSERT_TRUE(Restore(catalog.records(), blobs));
  EXPECT_EQ(TextOf(blobs, digests_[0]), "one");
  EXPECT_EQ(TextOf(blobs, wrong), "nothing");
}

TEST_F(BackupTest, OnlyEmptyStoresAreRestoredTo) {
  TakeOne();
  MemoryBlobStore empty;
  EXPECT_EQ(Restore(catalog_.records(), empty).error().kind, ErrorKind::kConflict);
  TestCatalog catalog;
  MemoryBlobStore other;
  Store(other, "of something else");
  EXPECT_EQ(Restore(catalog.records(), other).error().kind, ErrorKind::kConflict);
  // Blobs that an interrupted attempt restored.
  MemoryBlobStore some;
  Store(some, "one");
  Result<RestoreReport> restored = Restore(catalog.records(), some);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->copied, 2u);
  EXPECT_EQ(restored->blobs, 3u);
}

TEST_F(BackupTest, ANewerBackupAndAnUnknownOneAreRefused) {
  TakeOne();
  EXPECT_EQ(ReadManifest(*Open(), "", kSchema - 1).error().kind, ErrorKind::kRefused);
  EXPECT_EQ(Read("20200101T000000Z").error().kind, ErrorKind::kNotFound);
  EXPECT_NE(Read("x").error().message.find("20261121T164110Z"), std::string::npos);
}

TEST_F(BackupTest, OneBackupIsMadeAtATime) {
  const std::unique_ptr<BackupFolder> place = Open();
  EXPECT_EQ(BackupFolder::OpenToWrite(folder()).error().kind, ErrorKind::kConflict);
  const std::string holder = RunTask(leases_.Take()).value();
  BackupLeases others(catalog_, "there:8443");
  Result<std::string> second = RunTask(others.Take());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::kConflict);
  EXPECT_NE(second.error().message.find("here:8443"), std::string::npos);
  EXPECT_TRUE(RunTask(leases_.Renew(holder)));
  EXPECT_EQ(RunTask(others.Renew("someone")).error().kind, ErrorKind::kConflict);
  EXPECT_TRUE(RunTask(leases_.GiveBack(holder)));
  EXPECT_TRUE(RunTask(others.Take()));
}

TEST_F(BackupTest, ABackupWaitsForTheCollectorAndKeepsItAway) {
  const LeaseRecord collector{.name = "gc", .holder = "x", .address = "x", .until = 0};
  ASSERT_TRUE(RunTask(catalog_.leases().TakeLease(collector, std::chrono::hours(1))).value());
  EXPECT_EQ(RunTask(leases_.Take()).error().kind, ErrorKind::kUnavailable);
  EXPECT_FALSE(RunTask(catalog_.leases().FindLease("backup")).value());
  ASSERT_TRUE(RunTask(catalog_.leases().GiveLeaseBack("gc", "x")));
  ASSERT_TRUE(RunTask(leases_.Take()));
  EXPECT_FALSE(RunTask(catalog_.leases().TakeLease(collector, std::chrono::hours(1))).value());
}

TEST_F(BackupTest, OldBackupsGoWithTheBlobsThatNoneNeeds) {
  TakeOne();
  ASSERT_TRUE(RunTask(blobs_.RemoveIfOlder(digests_[0], std::chrono::seconds(0))));
  TakeOne(kNow + 60);
  TakeOne(kNow + 120);
  EXPECT_EQ(RemoveOldBackups(*Open(), 3, temp_.path()).value(), 0u);
  EXPECT_TRUE(fs::exists(BlobFile(digests_[0])));
  EXPECT_EQ(RemoveOldBackups(*Open(), 2, temp_.path()).value(), 1u);
  EXPECT_FALSE(fs::exists(BlobFile(digests_[0])));
  EXPECT_TRUE(fs::exists(BlobFile(digests_[1])));
  EXPECT_EQ(ListBackups(*Open()).value().front(), "20261121T164210Z");
  EXPECT_EQ(Problems(true), std::vector<std::string>{});
}

TEST(BackupIds, AreTimes) {
  EXPECT_EQ(BackupTime("20261121T164110Z"), kNow);
  for (const char* id : {"", "blobs", "20261121", "20261321T164110Z", "20261121T164110",
                         "20261121T164110Z0", "2026-11-21T16:41Z"}) {
    EXPECT_EQ(BackupTime(id), 0) << id;
  }
}

}  // namespace
}  // namespace koya::service
