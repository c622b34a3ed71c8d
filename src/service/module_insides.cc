#include "service/module_insides.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "archive/module_package.h"
#include "blobs/fill.h"
#include "inspect/contents_json.h"
#include "inspect/reader.h"

namespace koya::service {
namespace {

// An archive as a file on this machine, for as long as this exists.
struct LocalArchive {
  std::shared_ptr<Blob> blob;
  std::unique_ptr<BlobWriter> copy;  // of bytes that were no file
  int descriptor = -1;
};

Task<void> CopyBytes(Blob& blob, BlobWriter& copy, WorkerPool& pool) {
  constexpr std::size_t kPiece = 256U << 10;
  std::vector<std::byte> piece(std::min<std::uint64_t>(kPiece, blob.size()));
  for (std::uint64_t at = 0; at < blob.size();) {
    ASSIGN_OR_CO_RETURN(std::size_t got, co_await blob.ReadAt(at, piece));
    if (got == 0) break;
    auto write = [&copy, bytes = std::span(piece).first(got)] { return copy.Write(bytes); };
    CO_RETURN_IF_ERROR(co_await Offload(pool, write));
    at += got;
  }
  co_return Status();
}

Task<LocalArchive> OpenLocally(BlobStore& blobs, WorkerPool& pool, Digest digest) {
  LocalArchive local;
  ASSIGN_OR_CO_RETURN(local.blob, co_await blobs.Open(digest));
  CO_RETURN_IF_ERROR(co_await WaitUntilWhole(local.blob));
  if (std::optional<int> descriptor = local.blob->file_descriptor()) {
    local.descriptor = *descriptor;
    co_return local;
  }
  auto create = [&blobs] { return blobs.Create(); };
  ASSIGN_OR_CO_RETURN(local.copy, co_await Offload(pool, create));
  CO_RETURN_IF_ERROR(co_await CopyBytes(*local.blob, *local.copy, pool));
  local.descriptor = local.copy->staged_file();
  co_return local;
}

// What was published here is never just not there.
Error Lost(const ModuleSubject& subject, Error error) {
  if (!subject.IsPublishedHere() || error.kind != ErrorKind::kNotFound) return error;
  return {ErrorKind::kCorrupt,
          fmt::format("the archive of {} {} is missing from this server's storage: publish it "
                      "again, or have its operator restore it from a backup",
                      subject.address.ToString(), subject.version.ToString()),
          error.message};
}

Result<SharedContents> Decode(const ContentsRecord& record) {
  ASSIGN_OR_RETURN(inspect::ModuleContents contents, inspect::DecodeContents(record.body));
  return std::make_shared<const inspect::ModuleContents>(std::move(contents));
}

// One of so many at once.
class Turn {
 public:
  Turn(std::atomic<std::size_t>& taken, std::size_t most)
      : taken_(taken), got_(taken.fetch_add(1) < most) {}
  ~Turn() { taken_.fetch_sub(1); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  bool got() const { return got_; }

 private:
  std::atomic<std::size_t>& taken_;
  bool got_;
};

}  // namespace

ModuleArchive ArchiveOf(const ModuleVersionRecord& record) {
  return {.subject = {.host = "", .address = record.address, .version = record.version},
          .digest = record.digest,
          .size = record.size};
}

ModuleArchive ArchiveOf(const UpstreamModuleVersion& version) {
  return {.subject = {.host = version.module.host.ascii(),
                      .address = version.module.address,
                      .version = version.version},
          .digest = version.digest,
          .size = version.size};
}

Task<SharedContents> ModuleInsides::Find(ModuleArchive archive, Freshness freshness) {
  Result<ContentsRecord> kept = co_await catalog_.FindContents(archive.subject);
  if (!kept && kept.error().kind != ErrorKind::kNotFound) {
    co_return Failure(std::move(kept).error());
  }
  if (kept && (freshness == Freshness::kAny || IsNewest(*kept))) {
    auto decode = [&kept] { return Decode(*kept); };
    Result<SharedContents> contents = co_await Offload(pool_, decode);
    if (contents) co_return contents;  // else: somebody else wrote it; the archive says what is so
  }
  Turn turn(readings_, kMostReadings);
  if (!turn.got()) {
    co_return Fail(ErrorKind::kUnavailable,
                   "what is inside this version was not read yet, and others are being read just "
                   "now: ask again in a few seconds");
  }
  co_return co_await ReadAnew(std::move(archive));
}

Task<SharedContents> ModuleInsides::ReadAnew(ModuleArchive archive) {
  ModuleSubject subject = archive.subject;
  ASSIGN_OR_CO_RETURN(SharedContents contents, co_await ReadArchive(std::move(archive)));
  co_return co_await Keep(std::move(subject), std::move(contents));
}

Task<SharedContents> ModuleInsides::ReadArchive(ModuleArchive archive) {
  Result<LocalArchive> opened = co_await OpenLocally(blobs_, pool_, archive.digest);
  if (!opened) co_return Failure(Lost(archive.subject, std::move(opened).error()));
  LocalArchive local = *std::move(opened);
  auto read = [this, &local, &archive]() -> Result<SharedContents> {
    const std::uint64_t size = local.blob->size();
    // It was judged when it was published, by the rules of then; those of others are the wider.
    ASSIGN_OR_RETURN(ModuleInspection inspection,
                     InspectForeignModule(local.descriptor, size, limits_));
    return ReadModuleArchive(local.descriptor, size, inspection, limits_, archive.subject.version);
  };
  co_return co_await Offload(pool_, std::move(read));
}

Task<SharedContents> ModuleInsides::Keep(ModuleSubject subject, SharedContents contents) {
  auto encode = [&contents] { return KeepContents(*contents); };
  VersionExtras extras{.contents = co_await Offload(pool_, encode), .entries = std::nullopt};
  Status kept = co_await catalog_.PutContents(std::move(subject), std::move(extras));
  // It may have been withdrawn meanwhile; and whoever asked has it all the same.
  if (!kept && kept.error().kind != ErrorKind::kNotFound) {
    co_return Failure(std::move(kept).error());
  }
  co_return contents;
}

}  // namespace koya::service
