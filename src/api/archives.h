// Immutable files as answers: archives, packages, and what belongs to them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/call.h"

namespace koya::api {

// An open blob with what its answers say.
std::shared_ptr<const ServedArchive> MakeServedArchive(std::shared_ptr<Blob> blob,
                                                       const Digest& digest,
                                                       std::string media_type);

// The bytes, with exact length, ETag and Range; they never change.
http::Response ArchiveReply(std::shared_ptr<const ServedArchive> archive);

// The answer for this request's path, from what is kept open.
std::optional<http::Response> KeptArchive(const http::Exchange& exchange, Services& services);

}  // namespace koya::api
