// Builds the URLs of module archives.
#pragma once

#include <string>
#include <string_view>

#include "domain/module_record.h"

namespace koya::api {

// "acme-vpc-aws-1.0.0.tar.gz": the last segment of the URL, from which clients see the kind of
// archive and people a name.
std::string ArchiveFileName(const ModuleAddress& address, const Version& version, ArchiveKind kind);

// "/download/modules/acme/vpc/aws/1.0.0/acme-vpc-aws-1.0.0.tar.gz"
std::string ArchivePath(const ModuleVersionRecord& record);

// The absolute URL with the checksum that clients verify:
// "https://HOST/download/…/….tar.gz?checksum=sha256:…".
std::string ArchiveLocation(std::string_view base_url, const ModuleVersionRecord& record);

}  // namespace koya::api
