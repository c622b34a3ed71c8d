#include "api/module_urls.h"

#include <fmt/format.h>

namespace koya::api {

std::string ArchiveFileName(const ModuleVersionRecord& record) {
  return fmt::format("{}-{}-{}-{}{}", record.address.ns(), record.address.name(),
                     record.address.system(), record.version.ToString(), Suffix(record.kind));
}

std::string ArchivePath(const ModuleVersionRecord& record) {
  return fmt::format("/download/modules/{}/{}/{}", record.address.ToString(),
                     record.version.ToString(), ArchiveFileName(record));
}

std::string ArchiveLocation(std::string_view base_url, const ModuleVersionRecord& record) {
  return fmt::format("{}{}?checksum={}", base_url, ArchivePath(record), record.digest.ToString());
}

}  // namespace koya::api
