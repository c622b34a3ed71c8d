// Responses with immutable files: archives, packages, and the files that belong to them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/common/call.h"
#include "base/clock.h"
#include "base/task.h"
#include "base/topic_cache.h"
#include "domain/digest.h"

namespace koya {
class Blob;
struct UsageItem;
}  // namespace koya
namespace koya::http {
struct Exchange;
struct Request;
struct Response;
}  // namespace koya::http

namespace koya::api {

struct Call;

// Cache entry of a path: an archive, and the header fields of its responses. The store keeps blobs
// open as long as it has descriptors to spare: this entry does not.
struct ServedArchive {
  std::weak_ptr<Blob> blob;
  std::string etag;  // quoted
  std::string media_type;
  // After this time the archive is opened again, which notes its use; 0: whenever the store likes.
  UnixSeconds kept_until = 0;
  // The bytes are stored beside the documents, by ETag, so that the store is not needed for them.
  bool in_memory = false;
  std::shared_ptr<const void> counted_as{};  // http::Response::counted_as
};

// An archive that was looked up and opened.
struct OpenedArchive {
  std::shared_ptr<Blob> blob;
  Digest digest;
  std::string media_type;
  std::shared_ptr<const UsageItem> counted_as{};  // null: not counted
};

// A redirect to another place for the blob (Blob::RedirectUrl), or nullopt. Only for a GET of the
// bytes themselves without a credential in the request: some clients would send it along, and
// stores reject a request with two. `request` and `blob` must live until this has finished.
Awaitable<std::optional<http::Response>> RedirectReply(const http::Request& request, Blob& blob);

// A response with the bytes, with exact length, ETag and Range; the bytes never change. A blob that
// is still arriving is sent as it comes in. Or a redirect (RedirectReply).
Task<http::Response> ArchiveReply(Call& call, OpenedArchive archive);

// The same, cached for this request's path until `topic` changes. Take `ticket` before the look-up.
// A blob that is still arriving is not cached. A small one is verified and cached in memory, where
// it is served without the store. A damaged one is sent, logged, and not cached.
Task<http::Response> KeepArchive(Call& call, ArchiveCache::Ticket ticket, std::string topic,
                                 OpenedArchive archive);
// The same for an archive of another registry, whose use is noted now and then.
Task<http::Response> KeepMirroredArchive(Call& call, ArchiveCache::Ticket ticket, std::string topic,
                                         OpenedArchive archive);

// The media type of a provider release's file, by its name.
std::string ReleaseMediaType(std::string_view file);
inline bool IsPackage(std::string_view file) { return file.ends_with(".zip"); }

// The response for this request's path, from the cached open blob, or from memory if the archive is
// small.
std::optional<http::Response> KeptArchive(const http::Exchange& exchange, Services& services);

// Fallback after `error` prevented an archive from being opened again: the cached response for this
// request's path, if the catalog or the store is unavailable. Else the error.
Result<http::Response> KeptArchiveOr(const Call& call, Error error);

}  // namespace koya::api
