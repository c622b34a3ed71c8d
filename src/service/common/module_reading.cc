#include "service/common/module_reading.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <utility>

#include "archive/module_package.h"
#include "domain/module_record.h"
#include "inspect/contents.h"
#include "inspect/reader.h"

namespace koya::service {
namespace {

// Of addresses without a host: what OpenTofu takes.
constexpr std::string_view kDefaultHost = "registry.opentofu.org";

}  // namespace

Result<SharedContents> ReadModuleArchive(int descriptor, std::uint64_t size,
                                         const ModuleInspection& inspection,
                                         const ArchiveLimits& limits, const Version& version) {
  inspect::FileCollector files;
  ModuleFileVisitor visitor{
      .wanted = [&files](std::string_view path) { return files.Wanted(path); },
      .take = [&files](std::string path, std::uint64_t bytes,
                       std::string text) { files.Add(std::move(path), bytes, std::move(text)); }};
  RETURN_IF_ERROR(ReadModuleFiles(descriptor, size, inspection, limits, visitor));
  ASSIGN_OR_RETURN(HostName host, HostName::Parse(kDefaultHost));
  inspect::ReadOptions options{.default_host = std::move(host), .version = version.ToString()};
  return std::make_shared<const inspect::ModuleContents>(
      inspect::ReadModule(files.Take(), options));
}

ContentsRecord KeepContents(const inspect::ModuleContents& contents) {
  ContentsRecord record{.reader = contents.reader_version, .body = EncodeContents(contents)};
  if (record.body.size() <= kLongestContents) return record;
  inspect::ModuleContents least{.reader_version = contents.reader_version,
                                .warnings = contents.warnings,
                                .warnings_left_out = contents.warnings_left_out};
  // Nothing is known of it, which is not the same as that nothing is there.
  const std::vector<std::string>& files = contents.root.files;
  if (!files.empty()) least.root.unread = {files.front()};
  least.root.undecided_beyond = true;
  least.folders_left_out = true;
  least.file_count = contents.file_count;
  least.bytes = contents.bytes;
  std::string what = fmt::format(
      "the contents take {} MiB as JSON, and the limit is {} MiB: none of them are shown",
      record.body.size() >> 20U, kLongestContents >> 20U);
  least.warnings.insert(least.warnings.begin(), {.what = std::move(what), .place = {}});
  if (least.warnings.size() > inspect::kMaxWarnings) {
    least.warnings.pop_back();
    ++least.warnings_left_out;
  }
  record.body = EncodeContents(least);
  return record;
}

bool IsNewest(const ContentsRecord& record) { return record.reader >= inspect::kReaderVersion; }

}  // namespace koya::service
