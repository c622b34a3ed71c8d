#include "service/operate/read_backup.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/decimal.h"
#include "base/run_task.h"
#include "catalog/record_catalog.h"
#include "service/operate/record_file.h"
#include "service/operate/take_backup.h"

namespace koya::service {
namespace {

constexpr std::size_t kLongestManifest = 16 << 20;
// Blobs that a check reads, unless it reads all.
constexpr std::size_t kSample = 64;
constexpr UnixSeconds kSecondsOfDay = 86'400;
constexpr std::size_t kPageOfStore = 1000;

Failure DamagedBackup(std::string_view id, std::string_view why) {
  return Fail(ErrorKind::kCorrupt,
              fmt::format("the backup {} is damaged: {}. Restore another one (--at ID)", id, why));
}

Result<std::string> GetText(BackupPlace& place, const std::string& name) {
  std::string text;
  RETURN_IF_ERROR(place.Get(name, [&text](std::span<const std::byte> bytes) -> Status {
    if (text.size() + bytes.size() > kLongestManifest) return FailInvalid("the file is too long");
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  }));
  return text;
}

Result<std::string> ChooseBackup(BackupPlace& place, std::string id) {
  ASSIGN_OR_RETURN(std::vector<std::string> ids, ListBackups(place));
  if (ids.empty()) return FailNotFound("there is no complete backup in {}", place.where());
  if (id.empty()) return ids.back();
  if (std::ranges::find(ids, id) != ids.end()) return id;
  constexpr std::size_t kShown = 20;
  const std::size_t skipped = ids.size() - std::min(ids.size(), kShown);
  return FailNotFound(
      "there is no complete backup \"{}\" in {}; there are {}", id, place.where(),
      fmt::join(ids.begin() + static_cast<std::ptrdiff_t>(skipped), ids.end(), ", "));
}

// Compares the digest of `sink`'s bytes.
class HashingSink {
 public:
  explicit HashingSink(ByteSink next) : next_(std::move(next)) {}
  Status operator()(std::span<const std::byte> bytes) {
    hasher_.Update(bytes);
    size_ += bytes.size();
    return next_ ? next_(bytes) : Status();
  }
  Digest Finish() { return Digest(hasher_.Finish()); }
  std::uint64_t size() const { return size_; }

 private:
  ByteSink next_;
  Sha256Hasher hasher_;
  std::uint64_t size_ = 0;
};

Result<BlobInfo> ParseBlobLine(std::string_view line) {
  const std::size_t blank = line.find(' ');
  if (blank == line.npos || !line.ends_with('\n')) return FailInvalid("a line names no blob");
  ASSIGN_OR_RETURN(Digest digest, Digest::Parse(line.substr(0, blank)));
  const std::optional<std::uint64_t> size =
      ParseDecimal<std::uint64_t>(line.substr(blank + 1, line.size() - blank - 2));
  if (!size) return FailInvalid("a line has no size");
  return BlobInfo{.digest = digest, .size = *size};
}

bool Has(const std::vector<BlobInfo>& sorted, const BlobInfo& blob) {
  const auto at = std::ranges::lower_bound(sorted, blob.digest, {}, &BlobInfo::digest);
  return at != sorted.end() && at->digest == blob.digest && at->size == blob.size;
}

// Copies the records of a backup into an empty catalog. Returns the number of rows.
Result<std::uint64_t> CopyRecords(BackupPlace& place, const wire::BackupManifest& manifest,
                                  RecordCatalog& records, std::uint64_t schema,
                                  const std::filesystem::path& scratch) {
  ASSIGN_OR_RETURN(const FetchedFile file,
                   FetchFile(place, BackupFileName(manifest.id, kBackupRecords),
                             manifest.records.sha256, scratch));
  LineFile lines(file.file.descriptor(), file.size);
  RecordSums sums;
  RETURN_IF_ERROR(records.WriteRecords(RecordsOf(lines, sums)));
  const std::uint64_t rows = sums.rows();
  if (const auto difference = FindDifference(manifest.tables, sums.Finish())) {
    return DamagedBackup(manifest.id, *difference);
  }
  // With a newer schema rows have further columns.
  if (schema != manifest.origin.schema) return rows;
  ASSIGN_OR_RETURN(const std::vector<wire::BackupTable> written, SumRecords(records));
  if (const auto difference = FindDifference(manifest.tables, written)) {
    return FailInternal("the restored records differ from the backup's: {}", *difference);
  }
  return rows;
}

}  // namespace

std::string BackupFileName(std::string_view id, std::string_view file) {
  return fmt::format("{}/{}", id, file);
}

std::string BackupBlobName(const Digest& digest) {
  const std::string hex = digest.hex();
  return fmt::format("{}{}/{}", kBackupBlobs, hex.substr(0, 2), hex);
}

Result<wire::BackupManifest> ReadManifest(BackupPlace& place, std::string id,
                                          std::uint64_t known_schema) {
  ASSIGN_OR_RETURN(id, ChooseBackup(place, std::move(id)));
  ASSIGN_OR_RETURN(const std::string text, GetText(place, BackupFileName(id, kBackupManifest)));
  ASSIGN_OR_RETURN(const std::string digest,
                   GetText(place, BackupFileName(id, kBackupManifestDigest)));
  const std::string expected = fmt::format("{}  {}\n", Digest::Of(text).hex(), kBackupManifest);
  if (digest != expected) {
    return DamagedBackup(id, "manifest.json does not have the digest of manifest.sha256");
  }
  ASSIGN_OR_RETURN(wire::BackupManifest manifest, wire::Decode<wire::BackupManifest>(text));
  if (manifest.format > wire::BackupManifest::kFormat || manifest.origin.schema > known_schema) {
    return FailRefused(
        "koya {} made the backup {}, with a format or a schema ({}) that this version does not "
        "know: use that version, or a newer one",
        manifest.origin.program, id, manifest.origin.schema);
  }
  if (manifest.id != id) return DamagedBackup(id, "its manifest is that of " + manifest.id);
  return manifest;
}

Result<FetchedFile> FetchFile(BackupPlace& place, const std::string& name,
                              const std::string& sha256, const std::filesystem::path& scratch) {
  ASSIGN_OR_RETURN(ScratchFile file, ScratchFile::Create(scratch));
  HashingSink hashing([&file](std::span<const std::byte> bytes) { return file.Append(bytes); });
  RETURN_IF_ERROR(place.Get(name, std::ref(hashing)));
  if (hashing.Finish().hex() != sha256) {
    return DamagedBackup(name.substr(0, name.find('/')),
                         fmt::format("{} does not have the digest of the manifest", name));
  }
  return FetchedFile{.file = std::move(file), .size = hashing.size()};
}

Result<std::vector<BlobInfo>> ReadBlobList(BackupPlace& place, const wire::BackupManifest& manifest,
                                           const std::filesystem::path& scratch) {
  ASSIGN_OR_RETURN(const FetchedFile file,
                   FetchFile(place, BackupFileName(manifest.id, kBackupBlobList),
                             manifest.blobs.sha256, scratch));
  std::vector<BlobInfo> blobs;
  LineFile lines(file.file.descriptor(), file.size);
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<std::string_view> line, lines.ReadLine());
    if (!line) break;
    ASSIGN_OR_RETURN(const BlobInfo blob, ParseBlobLine(*line));
    blobs.push_back(blob);
  }
  std::ranges::sort(blobs, {}, &BlobInfo::digest);
  std::vector<std::string> missing = manifest.missing;
  std::ranges::sort(missing);
  if (missing.empty()) return blobs;
  std::erase_if(blobs, [&missing](const BlobInfo& blob) {
    return std::ranges::binary_search(missing, blob.digest.hex());
  });
  return blobs;
}

Result<std::vector<BlobInfo>> ListBackupBlobs(BackupPlace& place) {
  std::vector<BlobInfo> blobs;
  RETURN_IF_ERROR(
      place.List(std::string(kBackupBlobs), [&](std::string_view name, std::uint64_t size) {
        const Result<Digest> digest = Digest::Parse(name.substr(name.rfind('/') + 1));
        if (digest && name == BackupBlobName(*digest)) {
          blobs.push_back({.digest = *digest, .size = size});
        }
      }));
  std::ranges::sort(blobs, {}, &BlobInfo::digest);
  return blobs;
}

namespace {

// Verifies the parts of a backup one after the other, and collects problems.
class BackupChecker {
 public:
  BackupChecker(BackupPlace& place, const wire::BackupManifest& manifest, CheckOptions options)
      : place_(place), manifest_(manifest), options_(std::move(options)) {}

  void CheckRecords(RecordCatalog& empty) {
    Result<std::uint64_t> rows =
        CopyRecords(place_, manifest_, empty, options_.schema, options_.scratch);
    if (!rows) AddProblem("the records cannot be restored: " + rows.error().message);
  }

  Status CheckBlobs() {
    Result<std::vector<BlobInfo>> blobs = ReadBlobList(place_, manifest_, options_.scratch);
    if (!blobs) {
      AddProblem(blobs.error().message);
      return {};
    }
    ASSIGN_OR_RETURN(const std::vector<BlobInfo> stored, ListBackupBlobs(place_));
    std::vector<BlobInfo> there;
    for (const BlobInfo& blob : *blobs) {
      if (Has(stored, blob)) {
        there.push_back(blob);
      } else {
        AddProblem(fmt::format("{} is missing or has another size: the next backup copies it again",
                               BackupBlobName(blob.digest)));
      }
    }
    found_.blobs = there.size();
    const std::size_t step = options_.all ? 1 : std::max<std::size_t>(there.size() / kSample, 1);
    // Another part of them each day.
    const auto first = static_cast<std::size_t>(options_.now / kSecondsOfDay) % step;
    for (std::size_t i = first; i < there.size(); i += step) RETURN_IF_ERROR(HashBlob(there[i]));
    return {};
  }

  BackupCheck TakeResult() && { return std::move(found_); }

 private:
  Status HashBlob(const BlobInfo& blob) {
    const std::string name = BackupBlobName(blob.digest);
    HashingSink hashing({});
    Status got = place_.Get(name, std::ref(hashing));
    if (!got && got.error().kind != ErrorKind::kNotFound) return got;
    ++found_.hashed;
    if (got && hashing.Finish() == blob.digest) return {};
    AddProblem(
        fmt::format("{} is damaged: remove that file, and the next backup copies it again", name));
    return {};
  }

  void AddProblem(std::string text) {
    if (found_.problems.size() == BackupCheck::kMostProblems) return;
    found_.problems.push_back(std::move(text));
  }

  BackupPlace& place_;
  const wire::BackupManifest& manifest_;
  const CheckOptions options_;
  BackupCheck found_;
};

Status RestoreBlob(BackupPlace& place, const BlobInfo& blob, BlobStore& store) {
  ASSIGN_OR_RETURN(const std::unique_ptr<BlobWriter> writer, store.Create());
  const std::string name = BackupBlobName(blob.digest);
  RETURN_IF_ERROR(place.Get(
      name, [&writer](std::span<const std::byte> bytes) { return writer->Write(bytes); }));
  ASSIGN_OR_RETURN(const BlobInfo written, writer->Finish());
  if (written.digest != blob.digest) {
    return Fail(ErrorKind::kCorrupt,
                fmt::format("{} in {} is damaged: nothing was restored but other archives; restore "
                            "another backup, or replace that file",
                            name, place.where()));
  }
  return RunTask(writer->Commit());
}

}  // namespace

Result<std::vector<BlobInfo>> ListRestored(BlobStore& store, const std::vector<BlobInfo>& blobs) {
  std::vector<BlobInfo> restored;
  while (true) {
    const std::optional<Digest> after =
        restored.empty() ? std::nullopt : std::optional(restored.back().digest);
    ASSIGN_OR_RETURN(const std::vector<BlobInfo> page, RunTask(store.List(after, kPageOfStore)));
    if (page.empty()) return restored;
    for (const BlobInfo& each : page) {
      if (!Has(blobs, each)) {
        return FailConflict(
            "the store is not empty: it has {}, which the original lacks. Name an empty folder or "
            "bucket",
            each.digest.ToString());
      }
      restored.push_back(each);
    }
  }
}

Result<BackupCheck> CheckBackup(BackupPlace& place, const wire::BackupManifest& manifest,
                                RecordCatalog& empty, CheckOptions options) {
  BackupChecker checker(place, manifest, std::move(options));
  checker.CheckRecords(empty);
  RETURN_IF_ERROR(checker.CheckBlobs());
  return std::move(checker).TakeResult();
}

Result<RestoreReport> RestoreBackup(BackupPlace& place, const wire::BackupManifest& manifest,
                                    RestoreTarget target, const std::filesystem::path& scratch,
                                    const std::function<void(std::uint64_t blobs)>& on_progress) {
  RETURN_IF_ERROR(target.records.RequireEmpty());
  ASSIGN_OR_RETURN(const std::vector<BlobInfo> blobs, ReadBlobList(place, manifest, scratch));
  ASSIGN_OR_RETURN(const std::vector<BlobInfo> restored, ListRestored(target.blobs, blobs));
  ASSIGN_OR_RETURN(const std::vector<BlobInfo> stored, ListBackupBlobs(place));
  for (const BlobInfo& blob : blobs) {
    if (Has(stored, blob)) continue;
    return DamagedBackup(manifest.id,
                         BackupBlobName(blob.digest) + " is missing or has another size");
  }
  RestoreReport report{.rows = 0, .blobs = blobs.size(), .copied = 0};
  for (const BlobInfo& blob : blobs) {
    if (Has(restored, blob)) continue;
    RETURN_IF_ERROR(RestoreBlob(place, blob, target.blobs));
    ++report.copied;
    if (on_progress) on_progress(report.copied);
  }
  ASSIGN_OR_RETURN(report.rows,
                   CopyRecords(place, manifest, target.records, target.schema, scratch));
  return report;
}

}  // namespace koya::service
