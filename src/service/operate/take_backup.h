// Makes backups, and removes old ones.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "service/operate/backup_place.h"
#include "service/operate/backup_source.h"
#include "wire/backup.h"

namespace koya::service {

struct BackupOptions {
  std::filesystem::path scratch;            // an existing folder for files in transit
  UnixSeconds now = 0;                      // names the backup
  const std::atomic<bool>* stop = nullptr;  // when set, ends soon with kUnavailable; may be null
  // Called now and then: blobs that are in the place, and how many were copied.
  std::function<void(std::uint64_t blobs, std::uint64_t copied)> on_progress = {};
};

struct BackupReport {
  wire::BackupManifest manifest;
  std::uint64_t copied = 0;  // blobs that the place lacked
  std::uint64_t copied_bytes = 0;
};

// Makes a backup: the records as they are at one moment, the blobs that the place lacks, and last
// the manifest, without which there is no backup. An attempt that was interrupted leaves its blobs
// to the next one. Blobs that the source has damaged or lost are named in the manifest. Blocks.
// Fails: as the source and the place; kCorrupt: the source lacks more than kMostMissing blobs.
inline constexpr std::size_t kMostMissing = 10'000;
Result<BackupReport> TakeBackup(BackupSource& source, BackupPlace& place, BackupOptions options);

// The ids of complete backups, the oldest first. An id is a time: "20261130T041842Z".
Result<std::vector<std::string>> ListBackups(BackupPlace& place);
// The time in an id; 0: it is none.
UnixSeconds BackupTime(std::string_view id);

// Removes all but the newest `keep` backups, then blobs that no backup has. Call it only while no
// backup is made there. Blocks. Returns the number of removed backups.
Result<std::uint64_t> RemoveOldBackups(BackupPlace& place, std::size_t keep,
                                       const std::filesystem::path& scratch);

}  // namespace koya::service
