#include "service/operate/take_backup.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>

#include "archive/gzip.h"
#include "base/file_io.h"
#include "service/operate/read_backup.h"
#include "service/operate/record_file.h"

namespace koya::service {
namespace {

constexpr std::uint64_t kProgressEvery = 100;

// "20261130T041842Z".
std::string IdOf(UnixSeconds time) {
  std::string id = FormatRfc3339(time);
  std::erase_if(id, [](char c) { return c == '-' || c == ':'; });
  return id;
}

// A file that is written here and then stored.
class DraftFile {
 public:
  static Result<DraftFile> Create(const std::filesystem::path& scratch) {
    ASSIGN_OR_RETURN(ScratchFile file, ScratchFile::Create(scratch));
    return DraftFile(std::move(file));
  }
  Status Append(std::span<const std::byte> bytes) {
    size_ += bytes.size();
    return file_.Append(bytes);
  }
  Status Append(std::string_view text) { return Append(std::as_bytes(std::span(text))); }
  int descriptor() const { return file_.descriptor(); }
  std::uint64_t size() const { return size_; }
  // Returns the digest of the stored file.
  Result<Digest> Store(BackupPlace& place, const std::string& name) const {
    ASSIGN_OR_RETURN(Digest digest, HashFile(descriptor(), size_));
    RETURN_IF_ERROR(place.Put(name, {.descriptor = descriptor(), .size = size_, .digest = digest}));
    return digest;
  }

 private:
  explicit DraftFile(ScratchFile file) : file_(std::move(file)) {}
  ScratchFile file_;
  std::uint64_t size_ = 0;
};

// Renews the source on a thread, until it is destroyed or fails.
class Renewal {
 public:
  explicit Renewal(BackupSource& source)
      : thread_([this, &source](const std::stop_token& stop) { Run(source, stop); }) {}

  // The failure, if there was one.
  Status state() const {
    std::lock_guard lock(mutex_);
    return state_;
  }

 private:
  void Run(BackupSource& source, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    std::condition_variable_any changed;
    while (state_) {
      changed.wait_for(lock, stop, BackupSource::kRenewEvery, [] { return false; });
      if (stop.stop_requested()) return;
      lock.unlock();
      Status renewed = source.Renew();
      lock.lock();
      state_ = std::move(renewed);
    }
  }

  mutable std::mutex mutex_;
  Status state_;
  std::jthread thread_;
};

class BackupRun {
 public:
  BackupRun(BackupSource& source, BackupPlace& place, BackupOptions options)
      : source_(source), place_(place), options_(std::move(options)), renewal_(source) {}

  Result<BackupReport> Run() {
    wire::BackupManifest& manifest = report_.manifest;
    manifest.format = wire::BackupManifest::kFormat;
    manifest.origin = source_.origin();
    RETURN_IF_ERROR(ChooseId());
    RETURN_IF_ERROR(StoreRecords());
    RETURN_IF_ERROR(StoreBlobs());
    RETURN_IF_ERROR(MayContinue());
    RETURN_IF_ERROR(StoreManifest());
    return std::move(report_);
  }

 private:
  Status MayContinue() const {
    if (options_.stop != nullptr && *options_.stop) {
      return FailUnavailable("the backup was stopped: the next one continues");
    }
    return renewal_.state();
  }

  // Not one of an existing backup, nor of an attempt that was interrupted.
  Status ChooseId() {
    UnixSeconds time = options_.now;
    bool taken = true;
    for (; taken; time += taken ? 1 : 0) {
      taken = false;
      RETURN_IF_ERROR(place_.List(IdOf(time) + "/",
                                  [&taken](std::string_view, std::uint64_t) { taken = true; }));
    }
    report_.manifest.id = IdOf(time);
    report_.manifest.made_at = FormatRfc3339(time);
    return {};
  }

  std::string NameOf(std::string_view file) const {
    return BackupFileName(report_.manifest.id, file);
  }

  Status StoreRecords() {
    ASSIGN_OR_RETURN(DraftFile file, DraftFile::Create(options_.scratch));
    RETURN_IF_ERROR(source_.ReadRecords([&](std::span<const std::byte> bytes) -> Status {
      RETURN_IF_ERROR(MayContinue());
      return file.Append(bytes);
    }));
    RecordSums sums;
    LineFile lines(file.descriptor(), file.size());
    while (true) {
      ASSIGN_OR_RETURN(std::optional<std::string_view> line, lines.ReadLine());
      if (!line) break;
      sums.AddLine(*line);
    }
    wire::BackupManifest& manifest = report_.manifest;
    manifest.records.count = sums.rows();
    manifest.records.bytes = file.size();
    manifest.tables = sums.Finish();
    ASSIGN_OR_RETURN(Digest digest, file.Store(place_, NameOf(kBackupRecords)));
    manifest.records.sha256 = digest.hex();
    return {};
  }

  Status StoreBlobs() {
    ASSIGN_OR_RETURN(const std::vector<BlobInfo> stored, ListBackupBlobs(place_));
    ASSIGN_OR_RETURN(DraftFile file, DraftFile::Create(options_.scratch));
    const ByteSink sink = [&file](std::span<const std::byte> bytes) { return file.Append(bytes); };
    GzipWriter gzip(sink);
    wire::BackupSum& blobs = report_.manifest.blobs;
    std::optional<Digest> after;
    while (true) {
      ASSIGN_OR_RETURN(const std::vector<BlobInfo> page, source_.ListBlobs(after));
      if (page.empty()) break;
      after = page.back().digest;
      for (const BlobInfo& blob : page) {
        RETURN_IF_ERROR(MayContinue());
        const auto at = std::ranges::lower_bound(stored, blob.digest, {}, &BlobInfo::digest);
        const bool is_stored =
            at != stored.end() && at->digest == blob.digest && at->size == blob.size;
        if (!is_stored) RETURN_IF_ERROR(CopyBlob(blob));
        const std::string line = fmt::format("{} {}\n", blob.digest.hex(), blob.size);
        RETURN_IF_ERROR(gzip.Write(std::as_bytes(std::span(line))));
        blobs.bytes += blob.size;
        ++blobs.count;
        if (options_.on_progress && blobs.count % kProgressEvery == 0) {
          options_.on_progress(blobs.count, report_.copied);
        }
      }
    }
    RETURN_IF_ERROR(gzip.Finish());
    ASSIGN_OR_RETURN(Digest digest, file.Store(place_, NameOf(kBackupBlobList)));
    blobs.sha256 = digest.hex();
    return {};
  }

  Status CopyBlob(const BlobInfo& blob) {
    Status copied = source_.ReadBlob(blob, [&](int descriptor) {
      return place_.Put(BackupBlobName(blob.digest),
                        {.descriptor = descriptor, .size = blob.size, .digest = blob.digest});
    });
    if (copied) {
      ++report_.copied;
      report_.copied_bytes += blob.size;
      return {};
    }
    const ErrorKind kind = copied.error().kind;
    if (kind != ErrorKind::kNotFound && kind != ErrorKind::kCorrupt) return copied;
    std::vector<std::string>& missing = report_.manifest.missing;
    missing.push_back(blob.digest.hex());
    if (missing.size() <= kMostMissing) return {};
    return Fail(ErrorKind::kCorrupt,
                fmt::format("the store lacks more than {} archives, {} for example: run \"koya "
                            "verify\" and repair it first",
                            kMostMissing, blob.digest.ToString()));
  }

  Status StoreManifest() {
    const std::string text = wire::Encode(report_.manifest) + "\n";
    ASSIGN_OR_RETURN(DraftFile digest, DraftFile::Create(options_.scratch));
    RETURN_IF_ERROR(
        digest.Append(fmt::format("{}  {}\n", Digest::Of(text).hex(), kBackupManifest)));
    RETURN_IF_ERROR(digest.Store(place_, NameOf(kBackupManifestDigest)));
    ASSIGN_OR_RETURN(DraftFile manifest, DraftFile::Create(options_.scratch));
    RETURN_IF_ERROR(manifest.Append(text));
    RETURN_IF_ERROR(manifest.Store(place_, NameOf(kBackupManifest)));
    return {};
  }

  BackupSource& source_;
  BackupPlace& place_;
  const BackupOptions options_;
  BackupReport report_;
  Renewal renewal_;
};

// The first part of each name with "/": complete backups, and attempts.
struct FoundBackups {
  std::vector<std::string> complete;
  std::vector<std::string> others;
};

Result<FoundBackups> FindBackups(BackupPlace& place) {
  FoundBackups found;
  // Ids begin with a year.
  RETURN_IF_ERROR(place.List("2", [&found](std::string_view name, std::uint64_t) {
    const std::size_t slash = name.find('/');
    if (slash == name.npos || BackupTime(name.substr(0, slash)) == 0) return;
    std::string id(name.substr(0, slash));
    (name.substr(slash + 1) == kBackupManifest ? found.complete : found.others)
        .push_back(std::move(id));
  }));
  std::ranges::sort(found.complete);
  std::ranges::sort(found.others);
  found.others.erase(std::ranges::unique(found.others).begin(), found.others.end());
  std::erase_if(found.others, [&found](const std::string& id) {
    return std::ranges::binary_search(found.complete, id);
  });
  return found;
}

// The manifest first: without it there is no backup.
Status RemoveBackup(BackupPlace& place, const std::string& id) {
  for (std::string_view file :
       {kBackupManifest, kBackupManifestDigest, kBackupRecords, kBackupBlobList}) {
    RETURN_IF_ERROR(place.Delete(BackupFileName(id, file)));
  }
  return {};
}

Status RemoveUnusedBlobs(BackupPlace& place, const std::vector<std::string>& ids,
                         const std::filesystem::path& scratch) {
  std::vector<Digest> used;
  for (const std::string& id : ids) {
    // One that cannot be read may need any blob.
    ASSIGN_OR_RETURN(const wire::BackupManifest manifest,
                     ReadManifest(place, id, std::numeric_limits<std::uint64_t>::max()));
    ASSIGN_OR_RETURN(const std::vector<BlobInfo> blobs, ReadBlobList(place, manifest, scratch));
    for (const BlobInfo& each : blobs) used.push_back(each.digest);
    std::ranges::sort(used);
    used.erase(std::ranges::unique(used).begin(), used.end());
  }
  ASSIGN_OR_RETURN(const std::vector<BlobInfo> stored, ListBackupBlobs(place));
  for (const BlobInfo& each : stored) {
    if (std::ranges::binary_search(used, each.digest)) continue;
    RETURN_IF_ERROR(place.Delete(BackupBlobName(each.digest)));
  }
  return {};
}

}  // namespace

Result<BackupReport> TakeBackup(BackupSource& source, BackupPlace& place, BackupOptions options) {
  return BackupRun(source, place, std::move(options)).Run();
}

UnixSeconds BackupTime(std::string_view id) {
  constexpr std::string_view kShape = "20261130T041842Z";
  if (id.size() != kShape.size()) return 0;
  const std::string text = fmt::format("{}-{}-{}:{}:{}", id.substr(0, 4), id.substr(4, 2),
                                       id.substr(6, 5), id.substr(11, 2), id.substr(13));
  return ParseRfc3339(text).value_or(0);
}

Result<std::vector<std::string>> ListBackups(BackupPlace& place) {
  ASSIGN_OR_RETURN(FoundBackups found, FindBackups(place));
  return std::move(found.complete);
}

Result<std::uint64_t> RemoveOldBackups(BackupPlace& place, std::size_t keep,
                                       const std::filesystem::path& scratch) {
  ASSIGN_OR_RETURN(FoundBackups found, FindBackups(place));
  for (const std::string& id : found.others) RETURN_IF_ERROR(RemoveBackup(place, id));
  std::uint64_t removed = 0;
  while (found.complete.size() > std::max<std::size_t>(keep, 1)) {
    RETURN_IF_ERROR(RemoveBackup(place, found.complete.front()));
    found.complete.erase(found.complete.begin());
    ++removed;
  }
  if (removed > 0) RETURN_IF_ERROR(RemoveUnusedBlobs(place, found.complete, scratch));
  return removed;
}

}  // namespace koya::service
