// Builds the URLs of module archives, and the response to ".../:version/download" with one.
#pragma once

#include <string>
#include <string_view>

#include "domain/module_record.h"

namespace koya::http {
struct Request;
}

namespace koya::api {

struct Rendering;

// "acme-vpc-aws-1.0.0.tar.gz": the last segment of the URL, from which clients see the kind of
// archive and people a name.
std::string ArchiveFileName(const ModuleAddress& address, const Version& version, ArchiveKind kind);

// "/download/modules/acme/vpc/aws/1.0.0/acme-vpc-aws-1.0.0.tar.gz"
std::string ArchivePath(const ModuleVersionRecord& record);

// The absolute URL with the checksum that clients verify:
// "https://HOST/download/…/….tar.gz?checksum=sha256:…".
std::string ArchiveLocation(std::string_view base_url, const ModuleVersionRecord& record);

// ---- ".../:version/download": the location of the archive, in the form that each client expects

// The two forms are cached side by side, under these variants of the path.
inline constexpr std::string_view kLocationInJson = "json";
inline constexpr std::string_view kLocationInField = "";

// OpenTofu reads the body of a 200; Terraform and Dependabot want a 204 with X-Terraform-Get.
std::string_view LocationVariant(const http::Request& request);

// The document in that form. `topic`: a change of it makes the document stale.
Rendering LocationRendering(std::string_view variant, std::string location, std::string topic);

}  // namespace koya::api
