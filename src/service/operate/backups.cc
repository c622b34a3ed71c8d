#include "service/operate/backups.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/run_task.h"
#include "catalog/audit_catalog.h"
#include "domain/audit_record.h"
#include "obs/log.h"

namespace koya::service {
namespace {

// How long a backup waits for the end of a collection, and how often it asks.
constexpr std::chrono::minutes kPatience{10};
constexpr std::chrono::seconds kBetweenTries{2};

}  // namespace

Backups::Backups(Parts parts, OpenPlace open_place, BackupSchedule schedule,
                 std::filesystem::path scratch)
    : parts_(parts),
      open_place_(std::move(open_place)),
      schedule_(std::move(schedule)),
      scratch_(std::move(scratch)),
      started_at_(parts.clock.Now()),
      leases_(std::make_unique<BackupLeases>(parts.leases, "koya")) {}

Backups::~Backups() { Stop(); }

void Backups::SetAddress(const std::string& address) {
  leases_ = std::make_unique<BackupLeases>(parts_.leases, address);
}

void Backups::Stop() {
  stop_ = true;
  std::lock_guard lock(mutex_);
  stopped_.notify_all();
}

Status Backups::Start(std::string to) {
  {
    std::lock_guard lock(mutex_);
    if (running_) return FailConflict("this server is making a backup: wait until it ends");
    running_ = true;
  }
  worker_.Post([this, to = std::move(to)] {
    Status ignored = MakeBackup(to);  // it was recorded
    static_cast<void>(ignored);
  });
  return {};
}

Task<void> Backups::RecordStart(Actor by) {
  std::vector<AuditEntry> entries;
  entries.push_back({.at = parts_.clock.Now(),
                     .by = std::move(by),
                     .action = "backup.start",
                     .target = "backup"});
  co_return co_await parts_.audit.AppendAudit(std::move(entries));
}

Awaitable<void> Backups::RunDue() {
  std::function<void()> run = [this] { RunDueNow(); };
  co_await worker_.Run(std::move(run));
}

void Backups::RunDueNow() {
  if (schedule_.to.empty() || stop_) return;
  Result<std::unique_ptr<BackupPlace>> place = open_place_(schedule_.to);
  Result<std::vector<std::string>> ids =
      place ? ListBackups(**place) : Failure(std::move(place).error());
  if (!ids && ids.error().kind == ErrorKind::kConflict) return;  // another process writes there
  {
    std::lock_guard lock(mutex_);
    if (running_) return;
    if (ids) newest_ = ids->empty() ? "" : ids->back();
    const bool due = !ids || newest_.empty() ||
                     parts_.clock.Now() - BackupTime(newest_) >=
                         static_cast<UnixSeconds>(schedule_.every.count());
    if (!due) return;
    running_ = true;
  }
  place = FailUnavailable("closed");
  if (!MakeBackup(schedule_.to)) return;
  place = open_place_(schedule_.to);
  if (!place) return parts_.log.Failure("old backups could not be removed", place.error());
  Result<std::uint64_t> removed = RemoveOldBackups(**place, schedule_.keep, scratch_);
  if (!removed) return parts_.log.Failure("old backups could not be removed", removed.error());
  if (*removed > 0) parts_.log.Info("old backups were removed", {{"backups", *removed}});
}

// Waits while unused blobs are removed.
Result<std::string> Backups::TakeLeases() {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    Result<std::string> holder = RunTask(leases_->Take());
    const bool again = !holder && holder.error().kind == ErrorKind::kUnavailable && !stop_ &&
                       std::chrono::steady_clock::now() < until;
    if (!again) return holder;
    std::unique_lock lock(mutex_);
    stopped_.wait_for(lock, kBetweenTries, [this] { return stop_.load(); });
  }
}

Status Backups::MakeBackup(const std::string& to) {
  const RunTimer timer;
  BackupReport report;
  Status done = [&]() -> Status {
    ASSIGN_OR_RETURN(const std::unique_ptr<BackupPlace> place, open_place_(to));
    ASSIGN_OR_RETURN(const std::string holder, TakeLeases());
    StoredSource source({parts_.records, parts_.blobs, *leases_, scratch_}, origin_, holder);
    Result<BackupReport> made = TakeBackup(
        source, *place, {.scratch = scratch_, .now = parts_.clock.Now(), .stop = &stop_});
    Status given = RunTask(leases_->GiveBack(holder));  // else they expire
    static_cast<void>(given);
    ASSIGN_OR_RETURN(report, std::move(made));
    return {};
  }();
  NoteEnd(done, report, timer.Took());
  std::lock_guard lock(mutex_);
  running_ = false;
  ++attempts_;
  failure_ = done ? "" : done.error().message;
  if (done) last_id_ = report.manifest.id;
  if (done && to == schedule_.to) newest_ = report.manifest.id;
  return done;
}

void Backups::NoteEnd(const Status& done, const BackupReport& report,
                      std::chrono::milliseconds took) {
  if (!done) {
    parts_.jobs.NoteFailed(kJob, done.error(), {.took = took});
    parts_.log.Failure("the backup failed; it is tried again", done.error());
    return;
  }
  const wire::BackupManifest& manifest = report.manifest;
  parts_.jobs.NoteDone(
      kJob,
      fmt::format("made the backup {}: {} records, {} archives ({} of them copied)", manifest.id,
                  manifest.records.count, manifest.blobs.count, report.copied),
      {.took = took});
  parts_.log.Info("a backup was made", {{"id", manifest.id},
                                        {"records", manifest.records.count},
                                        {"blobs", manifest.blobs.count},
                                        {"copied", report.copied},
                                        {"missing", manifest.missing.size()}});
}

std::uint64_t Backups::Age() const {
  if (schedule_.to.empty()) return 0;
  std::lock_guard lock(mutex_);
  const UnixSeconds since = newest_.empty() ? started_at_ : BackupTime(newest_);
  return static_cast<std::uint64_t>(std::max<UnixSeconds>(parts_.clock.Now() - since, 0));
}

wire::BackupState Backups::State() const {
  wire::BackupState state{.to = schedule_.to, .age = Age()};
  std::lock_guard lock(mutex_);
  state.running = running_;
  state.id = newest_;
  state.last_id = last_id_;
  state.failure = failure_;
  state.attempts = attempts_;
  return state;
}

}  // namespace koya::service
