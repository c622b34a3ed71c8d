// Reads backups: verifies them, and restores them into empty stores.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/file_io.h"
#include "base/result.h"
#include "blobs/blob_store.h"
#include "service/operate/backup_place.h"
#include "wire/backup.h"

namespace koya {
class RecordCatalog;
}

namespace koya::service {

// The names of a backup's files.
std::string BackupFileName(std::string_view id, std::string_view file);
std::string BackupBlobName(const Digest& digest);
inline constexpr std::string_view kBackupManifest = "manifest.json";
inline constexpr std::string_view kBackupManifestDigest = "manifest.sha256";
inline constexpr std::string_view kBackupRecords = "catalog.jsonl.gz";
inline constexpr std::string_view kBackupBlobList = "blobs.txt.gz";
inline constexpr std::string_view kBackupBlobs = "blobs/sha256/";

// All methods of this file block.

// The manifest of the backup `id`; "": the newest. Fails: kNotFound: there is no such backup, with
// those that there are; kCorrupt: it was changed; kRefused: a newer koya made it, whose format or
// schema this program does not know.
Result<wire::BackupManifest> ReadManifest(BackupPlace& place, std::string id,
                                          std::uint64_t known_schema);

// A file of the backup, in a temporary file. Fails: kCorrupt: it has another digest.
struct FetchedFile {
  ScratchFile file;
  std::uint64_t size = 0;
};
Result<FetchedFile> FetchFile(BackupPlace& place, const std::string& name,
                              const std::string& sha256, const std::filesystem::path& scratch);

// The blobs of the backup by digest, without those that it says are missing. Fails: as FetchFile.
Result<std::vector<BlobInfo>> ReadBlobList(BackupPlace& place, const wire::BackupManifest& manifest,
                                           const std::filesystem::path& scratch);

// The blobs of the place, sorted by digest.
Result<std::vector<BlobInfo>> ListBackupBlobs(BackupPlace& place);

// The blobs of a store that is to have `blobs`, which are sorted: those that an interrupted attempt
// copied. Fails: kConflict: it has another one.
Result<std::vector<BlobInfo>> ListRestored(BlobStore& store, const std::vector<BlobInfo>& blobs);

// Passes the first `size` bytes of a file to `sink`. Fails: as `sink`; kInternal, also when it has
// fewer.
Status PassFile(int descriptor, std::uint64_t size, const ByteSink& sink);

struct BackupCheck {
  std::uint64_t blobs = 0;            // that are there, with the right size
  std::uint64_t hashed = 0;           // of those, that were read and hashed
  std::vector<std::string> problems;  // sentences; at most kMostProblems
  static constexpr std::size_t kMostProblems = 100;
};

struct CheckOptions {
  std::filesystem::path scratch;
  std::uint64_t schema = 0;  // the last migration of the empty catalog
  bool all = false;          // hash all blobs, not a sample
  UnixSeconds now = 0;       // which sample
};

// Verifies a backup: restores its records into `empty`, an empty catalog that is thrown away, and
// verifies its blobs. Fails: the place cannot be read; everything else is a problem.
Result<BackupCheck> CheckBackup(BackupPlace& place, const wire::BackupManifest& manifest,
                                RecordCatalog& empty, CheckOptions options);

struct RestoreTarget {
  RecordCatalog& records;
  BlobStore& blobs;
  std::uint64_t schema = 0;  // the last migration of `records`
};

struct RestoreReport {
  std::uint64_t rows = 0;
  std::uint64_t blobs = 0;
  std::uint64_t copied = 0;  // of those; the others an interrupted attempt had copied
};

// Restores a backup: blobs first, then all records in one transaction. Fails: kConflict: the
// catalog has records, or the store has blobs of something else; kCorrupt: the backup is damaged.
Result<RestoreReport> RestoreBackup(BackupPlace& place, const wire::BackupManifest& manifest,
                                    RestoreTarget target, const std::filesystem::path& scratch,
                                    const std::function<void(std::uint64_t blobs)>& on_progress);

}  // namespace koya::service
