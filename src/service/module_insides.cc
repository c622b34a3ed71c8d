#include "service/module_insides.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "archive/module_files.h"
#include "archive/module_package.h"
#include "base/offload.h"
#include "catalog/contents_catalog.h"
#include "domain/module_record.h"
#include "domain/upstream_record.h"
#include "inspect/contents_json.h"
#include "service/local_blob.h"
#include "service/search_entries.h"
#include "service/turn.h"

namespace koya::service {
namespace {

// What was published here is never just not there.
Error Lost(const ModuleSubject& subject, Error error) {
  if (!subject.IsPublishedHere() || error.kind != ErrorKind::kNotFound) return error;
  return {ErrorKind::kCorrupt,
          fmt::format("the archive of {} {} is missing from this server's storage: publish it "
                      "again, or have its operator restore it from a backup",
                      subject.address.ToString(), subject.version.ToString()),
          error.message};
}

// What a text takes once it is read: its names are gone, and each value has a place of its own.
constexpr std::uint64_t kDecodedWeight = 3;

std::string DecodedKey(const ModuleArchive& archive) {
  return fmt::format("{} {} {} {}", archive.subject.host, archive.subject.address.ToString(),
                     archive.subject.version.ToString(), archive.digest.ToString());
}

}  // namespace

ModuleArchive ArchiveOf(const ModuleVersionRecord& record) {
  return {.subject = {.host = "", .address = record.address, .version = record.version},
          .digest = record.digest,
          .size = record.size,
          .description = record.description};
}

ModuleArchive ArchiveOf(const UpstreamModuleVersion& version) {
  return {.subject = {.host = version.module.host.ascii(),
                      .address = version.module.address,
                      .version = version.version},
          .digest = version.digest,
          .size = version.size,
          .description = {}};
}

Task<SharedContents> ModuleInsides::Find(ModuleArchive archive, Freshness freshness) {
  if (SharedContents contents = decoded_.Find(DecodedKey(archive))) co_return contents;
  Result<ContentsRecord> kept = co_await catalog_.FindContents(archive.subject);
  if (!kept && kept.error().kind != ErrorKind::kNotFound) {
    co_return Failure(std::move(kept).error());
  }
  if (kept && (freshness == Freshness::kAny || IsNewest(*kept))) {
    Result<SharedContents> contents = co_await Decode(archive, *std::move(kept));
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

void ModuleInsides::Remember(const ModuleArchive& archive, SharedContents contents,
                             const ContentsRecord& record) {
  // What a worse reader found will be read again; and what is too much to keep is not all kept.
  if (!IsNewest(record) || record.body.size() > kMostRemembered) return;
  decoded_.Put(decoded_.TakeTicket(), DecodedKey(archive), "", std::move(contents),
               kDecodedWeight * record.body.size());
}

Task<SharedContents> ModuleInsides::Decode(ModuleArchive archive, ContentsRecord record) {
  auto decode = [&record]() -> Result<SharedContents> {
    ASSIGN_OR_RETURN(inspect::ModuleContents contents, inspect::DecodeContents(record.body));
    return std::make_shared<const inspect::ModuleContents>(std::move(contents));
  };
  ASSIGN_OR_CO_RETURN(SharedContents contents, co_await Offload(pool_, std::move(decode)));
  Remember(archive, contents, record);
  co_return contents;
}

Task<SharedContents> ModuleInsides::ReadAnew(ModuleArchive archive) {
  ASSIGN_OR_CO_RETURN(SharedContents contents, co_await ReadArchive(archive));
  co_return co_await Keep(std::move(archive), std::move(contents));
}

Task<SharedContents> ModuleInsides::ReadArchive(ModuleArchive archive) {
  Result<LocalBlob> opened = co_await OpenLocalBlob(blobs_, pool_, archive.digest);
  if (!opened) co_return Failure(Lost(archive.subject, std::move(opened).error()));
  LocalBlob local = *std::move(opened);
  auto read = [this, &local, &archive]() -> Result<SharedContents> {
    // It was judged when it was published, by the rules of then; those of others are the wider.
    ASSIGN_OR_RETURN(ModuleInspection inspection,
                     InspectForeignModule(local.descriptor, local.size, limits_));
    return ReadModuleArchive(local.descriptor, local.size, inspection, limits_,
                             archive.subject.version);
  };
  co_return co_await Offload(pool_, std::move(read));
}

Task<std::vector<ModuleFile>> ModuleInsides::ReadFiles(ModuleArchive archive,
                                                       std::vector<std::string> paths,
                                                       std::size_t most) {
  constexpr unsigned kAskAgainSoon = 2;  // seconds
  Turn turn(file_readings_, kMostFileReadings);
  if (!turn.got()) {
    co_return Failure(Error{ErrorKind::kUnavailable,
                            "files of other versions are being read just now: ask again in a few "
                            "seconds",
                            "", kAskAgainSoon});
  }
  Result<LocalBlob> opened = co_await OpenLocalBlob(blobs_, pool_, archive.digest);
  if (!opened) co_return Failure(Lost(archive.subject, std::move(opened).error()));
  LocalBlob local = *std::move(opened);
  auto read = [this, &local, &paths, most]() -> Result<std::vector<ModuleFile>> {
    ASSIGN_OR_RETURN(ModuleInspection inspection,
                     InspectForeignModule(local.descriptor, local.size, limits_));
    std::vector<ModuleFile> files;
    auto is_wanted = [&paths](std::string_view path) {
      return std::ranges::find(paths, path) != paths.end();
    };
    ModuleFileVisitor visitor{
        .wanted = [&](std::string_view path) { return is_wanted(path) ? most : 0; },
        .take =
            [&](std::string path, std::uint64_t size, std::string bytes) {
              if (is_wanted(path)) files.push_back({std::move(path), size, std::move(bytes)});
            }};
    RETURN_IF_ERROR(ReadModuleFiles(local.descriptor, local.size, inspection, limits_, visitor));
    return files;
  };
  co_return co_await Offload(pool_, std::move(read));
}

// Whoever reads late leaves contents and index agreeing.
Task<SharedContents> ModuleInsides::Keep(ModuleArchive archive, SharedContents contents) {
  auto make = [&archive, &contents] {
    return VersionExtras{
        .contents = KeepContents(*contents),
        .entries = ModuleSearchEntries(archive.subject.address, archive.description, *contents)};
  };
  VersionExtras extras = co_await Offload(pool_, std::move(make));
  Status kept = co_await catalog_.PutContents(std::move(archive.subject), std::move(extras));
  // It may have been withdrawn meanwhile; and whoever asked has it all the same.
  if (!kept && kept.error().kind != ErrorKind::kNotFound) {
    co_return Failure(std::move(kept).error());
  }
  co_return contents;
}

}  // namespace koya::service
