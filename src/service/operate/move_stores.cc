#include "service/operate/move_stores.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/file_io.h"
#include "base/run_task.h"
#include "catalog/record_catalog.h"
#include "catalog/replica_catalog.h"
#include "domain/replica_record.h"
#include "service/operate/record_file.h"

namespace koya::service {
namespace {

constexpr const char* kMovedLease = "moved";
constexpr std::chrono::years kForEver{100};

Result<std::vector<BlobInfo>> ListSource(BackupSource& source) {
  std::vector<BlobInfo> blobs;
  while (true) {
    const std::optional<Digest> after =
        blobs.empty() ? std::nullopt : std::optional(blobs.back().digest);
    ASSIGN_OR_RETURN(const std::vector<BlobInfo> page, source.ListBlobs(after));
    if (page.empty()) return blobs;
    blobs.insert(blobs.end(), page.begin(), page.end());
  }
}

Status MoveBlob(BackupSource& source, const BlobInfo& blob, BlobStore& target) {
  return source.ReadBlob(blob, [&](int descriptor) -> Status {
    ASSIGN_OR_RETURN(const std::unique_ptr<BlobWriter> writer, target.Create());
    RETURN_IF_ERROR(PassFile(descriptor, blob.size, [&writer](std::span<const std::byte> bytes) {
      return writer->Write(bytes);
    }));
    ASSIGN_OR_RETURN(const BlobInfo written, writer->Finish());
    if (written.digest == blob.digest) return RunTask(writer->Commit());
    return Fail(ErrorKind::kCorrupt,
                fmt::format("{} is damaged in the source: \"koya verify\" names its version; "
                            "repair it, then repeat the move",
                            blob.digest.ToString()));
  });
}

// The records of the source in a temporary file.
struct StagedRecords {
  ScratchFile file;
  std::uint64_t size = 0;
  std::uint64_t rows = 0;
  std::vector<wire::BackupTable> tables;
};

Result<StagedRecords> StageRecords(BackupSource& source, const std::filesystem::path& scratch) {
  ASSIGN_OR_RETURN(ScratchFile file, ScratchFile::Create(scratch));
  std::uint64_t size = 0;
  RETURN_IF_ERROR(source.ReadRecords([&](std::span<const std::byte> bytes) -> Status {
    size += bytes.size();
    return file.Append(bytes);
  }));
  RecordSums sums;
  LineFile lines(file.descriptor(), size);
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<std::string_view> line, lines.ReadLine());
    if (!line) break;
    sums.AddLine(*line);
  }
  const std::uint64_t rows = sums.rows();
  return StagedRecords{
      .file = std::move(file), .size = size, .rows = rows, .tables = sums.Finish()};
}

}  // namespace

Result<RestoreReport> MoveStores(BackupSource& source, RestoreTarget target,
                                 const std::filesystem::path& scratch,
                                 const std::function<void(std::uint64_t blobs)>& on_progress) {
  ASSIGN_OR_RETURN(const StagedRecords records, StageRecords(source, scratch));
  if (Status empty = target.records.RequireEmpty(); !empty) {
    // An attempt that ended after its last step has the same records.
    ASSIGN_OR_RETURN(const std::vector<wire::BackupTable> there, SumRecords(target.records));
    if (there != records.tables) return Failure(std::move(empty).error());
    return RestoreReport{.rows = records.rows, .blobs = 0, .copied = 0};
  }
  ASSIGN_OR_RETURN(const std::vector<BlobInfo> blobs, ListSource(source));
  ASSIGN_OR_RETURN(const std::vector<BlobInfo> moved, ListRestored(target.blobs, blobs));
  RestoreReport report{.rows = records.rows, .blobs = blobs.size(), .copied = 0};
  for (const BlobInfo& blob : blobs) {
    if (std::ranges::binary_search(moved, blob.digest, {}, &BlobInfo::digest)) continue;
    RETURN_IF_ERROR(MoveBlob(source, blob, target.blobs));
    ++report.copied;
    if (on_progress) on_progress(report.copied);
  }
  LineFile lines(records.file.descriptor(), records.size);
  RecordSums ignored;
  RETURN_IF_ERROR(target.records.WriteRecords(RecordsOf(lines, ignored)));
  ASSIGN_OR_RETURN(const std::vector<wire::BackupTable> written, SumRecords(target.records));
  if (const auto difference = FindDifference(records.tables, written)) {
    return FailInternal("the moved records differ from the source's: {}", *difference);
  }
  return report;
}

Task<std::string> MovedMark::Find() {
  ASSIGN_OR_CO_RETURN(const std::optional<LeaseRecord> mark,
                      co_await catalog_.FindLease(kMovedLease));
  co_return mark ? mark->address : std::string();
}

Task<void> MovedMark::Set(std::string to) {
  LeaseRecord mark{
      .name = kMovedLease, .holder = kMovedLease, .address = std::move(to), .until = 0};
  ASSIGN_OR_CO_RETURN(const bool set, co_await catalog_.TakeLease(std::move(mark), kForEver));
  if (!set) co_return FailConflict("the catalog was moved before");
  co_return Status();
}

Task<void> MovedMark::TakeBack() { return catalog_.GiveLeaseBack(kMovedLease, kMovedLease); }

}  // namespace koya::service
