#include "api/common/module_urls.h"

#include <fmt/format.h>

namespace koya::api {

std::string ArchiveFileName(const ModuleAddress& address, const Version& version,
                            ArchiveKind kind) {
  return fmt::format("{}-{}-{}-{}{}", address.ns(), address.name(), address.system(),
                     version.ToString(), Suffix(kind));
}

std::string ArchivePath(const ModuleVersionRecord& record) {
  return fmt::format("/download/modules/{}/{}/{}", record.address.ToString(),
                     record.version.ToString(),
                     ArchiveFileName(record.address, record.version, record.kind));
}

std::string ArchiveLocation(std::string_view base_url, const ModuleVersionRecord& record) {
  return fmt::format("{}{}?checksum={}", base_url, ArchivePath(record), record.digest.ToString());
}

}  // namespace koya::api
