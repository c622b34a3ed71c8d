// Backups for commands: where they lie, their verification and their restoration into the stores
// that settings name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/settings.h"
#include "app/stores.h"
#include "base/clock.h"
#include "base/result.h"
#include "obs/log.h"
#include "service/common/job_runs.h"
#include "service/operate/backup_place.h"
#include "service/operate/backup_source.h"
#include "service/operate/backups.h"
#include "service/operate/read_backup.h"
#include "service/operate/take_backup.h"
#include "wire/backup.h"

namespace koya {

// All functions of this file block.

// The folder `to`, or the bucket "s3://BUCKET/PREFIX" with the access of blobs.s3.*, for writing.
// Fails: kInvalid, naming the setting; as BackupFolder::OpenToWrite.
Result<std::unique_ptr<service::BackupPlace>> OpenBackupPlace(const Settings& settings,
                                                              const std::string& to);

// All of them must outlive the backups.
struct BackupTools {
  const Clock& clock;
  Logger& log;
  service::JobRuns& jobs;
};

// The backups that a server makes itself, by the settings backup.*.
std::unique_ptr<service::Backups> MakeBackups(const Settings& settings, const Stores& stores,
                                              BackupTools tools);

// Makes a backup of `source` in a folder of this machine.
Result<service::BackupReport> BackUpToFolder(
    service::BackupSource& source, const std::filesystem::path& folder,
    std::function<void(std::uint64_t blobs, std::uint64_t copied)> on_progress);

struct BackupVerdict {
  wire::BackupManifest manifest;
  service::BackupCheck check;
};

// Verifies the backup `id` ("": the newest) in a folder or bucket: see service::CheckBackup.
Result<BackupVerdict> VerifyBackup(const Settings& settings, const std::string& from,
                                   std::string id, bool all);

struct Restoration {
  wire::BackupManifest manifest;
  service::RestoreReport report;
  bool same_secret = false;  // whether this server's secret opens what the backup's has sealed
};

// Restores the backup `id` ("": the newest) into the stores of `settings`, which must be empty; the
// catalog gets an identity of its own. Fails: as service::RestoreBackup; kConflict: a server runs
// on the catalog; as OpenStores.
Result<Restoration> RestoreBackup(const Settings& settings, const std::string& from, std::string id,
                                  const std::function<void(std::uint64_t blobs)>& on_progress);

// Moves the registry of `from` to the empty stores of `to`, and marks the original as moved to
// `name`. No server may run on either. Fails: as service::MoveStores; kInvalid: the secrets differ,
// or both have one bucket.
Result<service::RestoreReport> MoveRegistry(
    const Settings& from, const Settings& to, const std::string& name,
    const std::function<void(std::uint64_t blobs)>& on_progress);

// Removes that mark.
Status TakeBackMove(const Settings& settings);

}  // namespace koya
