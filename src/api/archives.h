// Immutable files as answers: archives, packages, and what belongs to them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/call.h"

namespace koya::api {

// An open blob with what its answers say.
std::shared_ptr<const ServedArchive> MakeServedArchive(std::shared_ptr<Blob> blob,
                                                       const Digest& digest,
                                                       std::string media_type);

// The same of something that is held of another registry, whose use is noted now and then.
std::shared_ptr<const ServedArchive> MakeMirroredArchive(const Services& services,
                                                         std::shared_ptr<Blob> blob,
                                                         const Digest& digest,
                                                         std::string media_type);

// The bytes, with exact length, ETag and Range; they never change. What is still arriving is sent
// as it comes.
http::Response ArchiveReply(std::shared_ptr<const ServedArchive> archive);

// Of a file of a provider release, by its name.
std::string ReleaseMediaType(std::string_view file);

// The answer for this request's path, from what is kept open.
std::optional<http::Response> KeptArchive(const http::Exchange& exchange, Services& services);

}  // namespace koya::api
