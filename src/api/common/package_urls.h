// Builds the URLs of the files of modules and providers, and the response to
// ".../:version/download" of a module.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace koya::http {
struct Request;
}

namespace koya {
class ModuleAddress;
class ProviderAddress;
struct ProviderRelease;
class Version;
enum class ArchiveKind;
enum class ModuleLocationForm;
struct ModuleVersionRecord;
}  // namespace koya

namespace koya::wire {
struct ProviderDownload;
}

namespace koya::api {

struct Call;
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

// The forms are cached side by side, under this variant of the path. OpenTofu reads the body of a
// 200; Terraform and Dependabot want a 204 with X-Terraform-Get. Of OpenTofu's bodies, 1.12 and
// later also know the direct form, which `form` allows.
std::string_view LocationVariant(const http::Request& request, ModuleLocationForm form);

// The document for the client of `call`. `location`: as from ArchiveLocation; `size`: of the
// archive; `topic`: a change of it makes the document stale.
Rendering LocationRendering(const Call& call, std::string location, std::uint64_t size,
                            std::string topic);

// ---- the files of a provider's release

class Links;

// Absolute: "https://HOST/download/providers/acme/demo/1.0.0/FILE", each part percent-encoded.
std::string ReleaseFileUrl(std::string_view base_url, const ProviderRelease& release,
                           std::string_view file);

// Absolute, of an attachment: "https://HOST/api/v1/modules/acme/vpc/aws/1.0.0/attachments/NAME".
// `owner`: "modules/acme/vpc/aws".
std::string AttachmentUrl(std::string_view base_url, std::string_view owner, const Version& version,
                          std::string_view name);

// The source address in a configuration: "registry.example.com/acme/demo".
std::string SourceAddress(std::string_view host, const ProviderAddress& address);

// A download document with its locations replaced by `links`.
wire::ProviderDownload WithLinks(wire::ProviderDownload document, const Links& links);

}  // namespace koya::api
