// Builds the URLs of a provider release's files.
#pragma once

#include <string>
#include <string_view>

#include "wire/providers.h"

namespace koya {
class ProviderAddress;
struct ProviderRelease;
class Version;
}  // namespace koya

namespace koya::api {

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
