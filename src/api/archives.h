// Immutable files as answers: archives, packages, and what belongs to them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/services.h"
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

// What a path leads to: an archive, and what its answers say. The store keeps blobs open as long as
// it has descriptors to spare: this does not.
struct ServedArchive {
  std::weak_ptr<Blob> blob;
  std::string etag;  // quoted
  std::string media_type;
  // From then on it is opened anew, which notes that it is in use; 0: whenever the store likes.
  UnixSeconds kept_until = 0;
  // Its bytes were put beside the documents, by its ETag, so that no store is needed for them.
  bool in_memory = false;
  std::shared_ptr<const void> counted_as{};  // http::Response::counted_as
};

// An archive that was looked up and opened.
struct OpenedArchive {
  std::shared_ptr<Blob> blob;
  Digest digest;
  std::string media_type;
  std::shared_ptr<const UsageItem> counted_as{};  // null: as nothing
};

// The answer that sends a client elsewhere for the blob (Blob::RedirectUrl), or nothing. Only who
// GETs the bytes themselves, and without a credential in the request: some clients would send it
// along, and stores refuse what has two. `request` and `blob` live until this has ended.
Awaitable<std::optional<http::Response>> RedirectReply(const http::Request& request, Blob& blob);

// The bytes, with exact length, ETag and Range; they never change. What is still arriving is sent
// as it comes. Or where else they are to be had.
Task<http::Response> ArchiveReply(Call& call, OpenedArchive archive);

// The same, kept for this request's path until `topic` changes. `ticket` was taken before the
// look-up. What is still arriving is not kept. What is small is verified, and kept in memory: then
// no store is asked for it. What is damaged is sent, not kept, and told to the log.
Task<http::Response> KeepArchive(Call& call, ArchiveCache::Ticket ticket, std::string topic,
                                 OpenedArchive archive);
// The same of something that is held of another registry, whose use is noted now and then.
Task<http::Response> KeepMirroredArchive(Call& call, ArchiveCache::Ticket ticket, std::string topic,
                                         OpenedArchive archive);

// Of a file of a provider release, by its name.
std::string ReleaseMediaType(std::string_view file);
inline bool IsPackage(std::string_view file) { return file.ends_with(".zip"); }

// The answer for this request's path, from what is kept open, or in memory if it is small.
std::optional<http::Response> KeptArchive(const http::Exchange& exchange, Services& services);

// After `error` kept an archive from being opened anew: what is kept for this request's path, if
// the catalog or the store cannot be reached now. Else the error.
Result<http::Response> KeptArchiveOr(const Call& call, Error error);

}  // namespace koya::api
