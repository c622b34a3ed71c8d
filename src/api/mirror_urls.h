// What the mirror's two faces, /mirror/ and /origin/, share: how they are addressed.
#pragma once

#include <string>
#include <string_view>

#include "api/call.h"

namespace koya::api {

// The host, namespace and type in the path's first three parameters; the host in Unicode or
// punycode. Fails: kNotFound: what cannot exist does not exist.
Result<UpstreamProvider> MirroredProviderFromPath(const Call& call);

// "https://HOST/mirror/registry.example.org/acme/demo/1.0.0/FILE", each part percent-encoded.
std::string MirrorFileUrl(std::string_view base_url, const UpstreamRelease& release,
                          std::string_view file);

// Says in a list's answer how old it is: kept until it must be asked for again, and marked when
// upstream fails (RFC 7234 §5.5.1).
void MarkAge(const Services& services, const service::MirroredVersions& list,
             http::DocumentOptions& options);

}  // namespace koya::api
