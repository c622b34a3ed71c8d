// Backups makes the backups that a server writes itself: by a schedule, and on request.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/offload.h"
#include "base/task.h"
#include "domain/actor.h"
#include "service/common/job_runs.h"
#include "service/operate/backup_place.h"
#include "service/operate/backup_source.h"
#include "service/operate/record_file.h"
#include "service/operate/take_backup.h"
#include "wire/backup.h"

namespace koya {
class AuditCatalog;
class Logger;
}  // namespace koya

namespace koya::service {

// Settings backup.*.
struct BackupSchedule {
  std::string to;  // "": there is none
  std::chrono::seconds every = std::chrono::hours(24);
  std::size_t keep = 14;
};

// Threads: any. One backup at a time, on a thread of its own, and by one server at a time
// (BackupLeases).
class Backups {
 public:
  static constexpr const char* kJob = "backup";
  // Opens a folder or a bucket for writing. Fails: kInvalid; as BackupPlace. Blocks.
  using OpenPlace = std::function<Result<std::unique_ptr<BackupPlace>>(const std::string& to)>;
  // All of them must outlive this.
  struct Parts {
    RecordCatalog& records;
    BlobStore& blobs;
    LeaseCatalog& leases;
    AuditCatalog& audit;
    const Clock& clock;
    Logger& log;
    JobRuns& jobs;
  };
  // `scratch`: an existing folder for files in transit.
  Backups(Parts parts, OpenPlace open_place, BackupSchedule schedule,
          std::filesystem::path scratch);
  ~Backups();  // stops
  Backups(const Backups&) = delete;
  Backups& operator=(const Backups&) = delete;

  // Call both before any other method.
  void SetOrigin(wire::BackupOrigin origin) { origin_ = std::move(origin); }
  void SetAddress(const std::string& address);

  const wire::BackupOrigin& origin() const { return origin_; }
  const BackupSchedule& schedule() const { return schedule_; }
  const std::filesystem::path& scratch() const { return scratch_; }

  // For commands that read what a backup needs.
  BackupLeases& leases() { return *leases_; }
  BlobStore& blobs() { return parts_.blobs; }
  // Writes the file of all records (record_file.h). Blocks: call it on readers().
  Status ReadRecords(const ByteSink& sink) { return WriteRecordFile(parts_.records, sink); }
  WorkerPool& readers() { return readers_; }
  // Records in the audit log that `by` makes a backup. Fails: as the catalog.
  Task<void> RecordStart(Actor by);

  // Starts a backup. Fails: kConflict: one is being made by this server.
  Status Start(std::string to);
  // Makes a backup if the newest in schedule().to is older than schedule().every, and removes old
  // ones; call it every kLookEvery. Failures are recorded and logged.
  static constexpr std::chrono::minutes kLookEvery{1};
  Awaitable<void> RunDue();
  wire::BackupState State() const;
  // Seconds since the newest backup of the schedule was made, or since this server started when
  // none is known; 0 without a schedule.
  std::uint64_t Age() const;
  // Ends a running backup soon; the next one continues it. Does not wait.
  void Stop();

 private:
  void RunDueNow();
  Status MakeBackup(const std::string& to);
  Result<std::string> TakeLeases();
  void NoteEnd(const Status& done, const BackupReport& report, std::chrono::milliseconds took);

  const Parts parts_;
  const OpenPlace open_place_;
  const BackupSchedule schedule_;
  const std::filesystem::path scratch_;
  const UnixSeconds started_at_;
  wire::BackupOrigin origin_;
  std::unique_ptr<BackupLeases> leases_;
  std::atomic<bool> stop_ = false;
  mutable std::mutex mutex_;  // guards the fields below
  std::condition_variable stopped_;
  bool running_ = false;
  std::string newest_;  // id; "": not known, or none
  std::string last_id_;
  std::string failure_;
  std::uint64_t attempts_ = 0;
  WorkerPool readers_{1};
  WorkerPool worker_{1};  // last: its destructor waits for a running backup
};

}  // namespace koya::service
