// Bringing bytes of other registries into the mirror.
#pragma once

#include "api/call.h"

namespace koya::api {

// PUT /api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/{os}/{arch}: a zip.
Task<http::Response> ImportPackage(Call& call);
// PUT …/{version}/release: the author's documents.
Task<http::Response> ImportRelease(Call& call);
// PUT /api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}: an archive.
Task<http::Response> ImportModule(Call& call);

// What ImportRelease takes at most: SHA256SUMS (1 MiB), as hexadecimal digits, and keys.
inline constexpr std::uint64_t kReleaseBody = 8ULL << 20;

}  // namespace koya::api
