#include "service/archive_contents.h"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/module_files.h"
#include "archive/module_package.h"
#include "blobs/blob_source.h"
#include "blobs/fill.h"
#include "inspect/file_set.h"
#include "inspect/reader.h"

namespace koya::service {
namespace {

// Whose providers those are that a module names without a host.
constexpr std::string_view kDefaultRegistry = "registry.opentofu.org";

// Blocks.
Result<inspect::ModuleContents> ReadArchive(int descriptor, std::uint64_t size,
                                            const std::string& version,
                                            const ArchiveLimits& limits) {
  ASSIGN_OR_RETURN(HostName host, HostName::Parse(kDefaultRegistry));
  // What was published under older rules is read all the same.
  ASSIGN_OR_RETURN(ModuleInspection inspection, InspectForeignModule(descriptor, size, limits));
  inspect::FileCollector files;
  const ModuleFileVisitor visitor{
      .wanted = [&](std::string_view path) { return files.Wanted(path); },
      .take = [&](std::string path, std::uint64_t bytes,
                  std::string text) { files.Add(std::move(path), bytes, std::move(text)); }};
  RETURN_IF_ERROR(ReadModuleFiles(descriptor, size, inspection, limits, visitor));
  return inspect::ReadModule(files.Take(), {.default_host = std::move(host), .version = version});
}

}  // namespace

Task<std::unique_ptr<BlobWriter>> ArchiveContents::CopyHere(std::shared_ptr<Blob> blob) {
  ASSIGN_OR_CO_RETURN(std::unique_ptr<BlobWriter> copy, blobs_.Create());
  BlobSource source(std::move(blob));
  while (true) {
    ASSIGN_OR_CO_RETURN(std::span<const std::byte> piece, co_await source.Read());
    if (piece.empty()) co_return copy;
    auto write = [&] { return copy->Write(piece); };
    CO_RETURN_IF_ERROR(co_await Offload(workers_, std::move(write)));
  }
}

Task<inspect::ModuleContents> ArchiveContents::Read(ModuleVersionRecord record) {
  auto opened = co_await blobs_.Open(record.digest);
  if (!opened && opened.error().kind == ErrorKind::kNotFound) {
    co_return Fail(ErrorKind::kCorrupt, "its archive is missing from this server's storage",
                   "no blob " + record.digest.ToString());
  }
  if (!opened) co_return Failure(std::move(opened).error());
  std::shared_ptr<Blob> blob = *std::move(opened);
  CO_RETURN_IF_ERROR(co_await WaitUntilWhole(blob));
  std::optional<int> descriptor = blob->file_descriptor();
  std::unique_ptr<BlobWriter> copy;
  if (!descriptor) {
    ASSIGN_OR_CO_RETURN(copy, co_await CopyHere(blob));
    descriptor = copy->staged_file();
  }
  auto read = [&] {
    return ReadArchive(*descriptor, blob->size(), record.version.ToString(), limits_);
  };
  co_return co_await Offload(workers_, std::move(read));
}

}  // namespace koya::service
