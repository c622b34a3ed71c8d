// Builds the URLs of a provider release's files.
#pragma once

#include <string>
#include <string_view>

#include "wire/providers.h"

namespace koya {
class ProviderAddress;
struct ProviderRelease;
}  // namespace koya

namespace koya::api {

class Links;

// Absolute: "https://HOST/download/providers/acme/demo/1.0.0/FILE", each part percent-encoded.
std::string ReleaseFileUrl(std::string_view base_url, const ProviderRelease& release,
                           std::string_view file);

// The source address in a configuration: "registry.example.com/acme/demo".
std::string SourceAddress(std::string_view host, const ProviderAddress& address);

// A download document with its locations replaced by `links`.
wire::ProviderDownload WithLinks(wire::ProviderDownload document, const Links& links);

}  // namespace koya::api
