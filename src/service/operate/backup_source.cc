#include "service/operate/backup_source.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "auth/token.h"
#include "base/file_io.h"
#include "base/run_task.h"
#include "catalog/record_catalog.h"
#include "catalog/replica_catalog.h"
#include "domain/replica_record.h"
#include "service/operate/record_file.h"

namespace koya::service {
namespace {

constexpr std::size_t kBlobsOfPage = 1000;
constexpr const char* kBackupLease = "backup";
// Of the work that removes blobs (app/background.cc).
constexpr std::array kRemovalLeases{"gc", "mirror-bound"};
constexpr unsigned kRemovalRetryAfter = 5;

}  // namespace

Task<std::string> BackupLeases::Take() {
  const std::string holder = auth::RandomId();
  LeaseRecord lease{.name = kBackupLease, .holder = holder, .address = address_, .until = 0};
  ASSIGN_OR_CO_RETURN(const bool ours, co_await catalog_.TakeLease(lease, kLife));
  if (!ours) {
    ASSIGN_OR_CO_RETURN(std::optional<LeaseRecord> other,
                        co_await catalog_.FindLease(kBackupLease));
    co_return FailConflict(
        "another backup of this catalog is being made (by the server {}): wait until it ends; "
        "one that was killed ends after {} seconds",
        other ? other->address : "that just finished", kLife.count());
  }
  for (const char* each : kRemovalLeases) {
    lease.name = each;
    Result<bool> free = co_await catalog_.TakeLease(lease, kLife);
    if (free && *free) continue;
    CO_RETURN_IF_ERROR(co_await GiveBack(holder));
    if (!free) co_return Failure(std::move(free).error());
    Error busy{.kind = ErrorKind::kUnavailable,
               .message =
                   "unused archives are being removed at the moment: try again in a few "
                   "seconds"};
    busy.retry_after = kRemovalRetryAfter;
    co_return Failure(std::move(busy));
  }
  co_return holder;
}

Task<void> BackupLeases::Renew(std::string holder) {
  ASSIGN_OR_CO_RETURN(std::vector<std::string> kept,
                      co_await catalog_.KeepLeases(std::move(holder), kLife));
  if (kept.size() == kRemovalLeases.size() + 1) co_return Status();
  co_return FailConflict(
      "the backup lost its lease, so archives that it needs may have been removed: start it again; "
      "it continues where it ended");
}

Task<void> BackupLeases::GiveBack(std::string holder) {
  Status given = co_await catalog_.GiveLeaseBack(kBackupLease, holder);
  for (const char* each : kRemovalLeases) {
    Status back = co_await catalog_.GiveLeaseBack(each, holder);
    if (given) given = std::move(back);
  }
  co_return given;
}

Status StoredSource::ReadRecords(const ByteSink& sink) {
  return WriteRecordFile(parts_.records, sink);
}

Result<std::vector<BlobInfo>> StoredSource::ListBlobs(std::optional<Digest> after) {
  return RunTask(parts_.blobs.List(after, kBlobsOfPage));
}

Status StoredSource::ReadBlob(const BlobInfo& blob, const std::function<Status(int)>& use) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Blob> open, RunTask(parts_.blobs.Open(blob.digest)));
  const std::optional<int> descriptor = open->file_descriptor();
  if (descriptor && open->growth() == nullptr) return use(*descriptor);
  ASSIGN_OR_RETURN(ScratchFile file, ScratchFile::Create(parts_.scratch));
  BlobSource source(open);
  while (true) {
    ASSIGN_OR_RETURN(const std::span<const std::byte> bytes, RunTask(source.Read()));
    if (bytes.empty()) break;
    RETURN_IF_ERROR(file.Append(bytes));
  }
  return use(file.descriptor());
}

Status StoredSource::Renew() { return RunTask(parts_.leases.Renew(holder_)); }

}  // namespace koya::service
