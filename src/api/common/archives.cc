#include "api/common/archives.h"

#include <utility>

#include "api/common/call.h"
#include "api/common/document_cache.h"
#include "blobs/blob_store.h"
#include "blobs/fill.h"
#include "http/server/message.h"
#include "http/server/router.h"
#include "obs/log.h"
#include "service/common/blob_io.h"

namespace koya::api {
namespace {

// A fill as the engine follows it.
class FillGrowth final : public http::FileGrowth {
 public:
  explicit FillGrowth(std::shared_ptr<Fill> fill) : fill_(std::move(fill)) {}
  Task<std::uint64_t> WaitBeyond(std::uint64_t offset) override {
    return fill_->WaitBeyond(offset);
  }
  bool parts_wait() const override { return fill_->parts_wait(); }

 private:
  std::shared_ptr<Fill> fill_;
};

// How often it is noted that something held of another registry is in use; the catalog takes no
// note more often.
constexpr UnixSeconds kUseNotedSeconds = 3600;

constexpr std::string_view kForEver = "public, max-age=31536000, immutable";

void FillHead(const ServedArchive& archive, http::Response& reply) {
  reply.etag = archive.etag;
  reply.counted_as = archive.counted_as;
  reply.fields.reserve(2);
  reply.fields.emplace_back("Content-Type", archive.media_type);
  reply.fields.emplace_back("Cache-Control", kForEver);
}

// From memory: nullopt when the bytes were never kept there, or are not any more.
std::optional<http::Response> ReplyFromMemory(const ServedArchive& archive, Services& services) {
  std::optional<http::Response> reply;
  if (!archive.in_memory) return reply;
  std::shared_ptr<const http::Document> file = services.documents.FindFile(archive.etag);
  if (!file) return reply;
  FillHead(archive, reply.emplace());
  auto& body = reply->body.emplace<http::FileBody>();
  body.size = file->body.size();
  body.memory = file->body.data();
  body.owner = std::move(file);
  return reply;
}

http::Response Reply(std::shared_ptr<Blob> blob, const ServedArchive& archive) {
  http::Response reply;
  FillHead(archive, reply);
  std::uint64_t size = blob->size();
  if (std::optional<int> descriptor = blob->file_descriptor()) {
    http::FileBody file{blob, *descriptor, size};
    if (std::shared_ptr<Fill> fill = blob->growth()) {
      file.growth = std::make_shared<FillGrowth>(std::move(fill));
    }
    reply.body = std::move(file);
    return reply;
  }
  reply.content_length = size;
  reply.body = std::make_unique<BlobSource>(std::move(blob));
  return reply;
}

ServedArchive Describe(OpenedArchive archive, UnixSeconds kept_until) {
  return {.blob = archive.blob,
          .etag = "\"" + archive.digest.hex() + "\"",
          .media_type = std::move(archive.media_type),
          .kept_until = kept_until,
          .counted_as = std::move(archive.counted_as)};
}

// Caches a small file beside the documents, where it is served even if the store fails. Nothing is
// cached of blobs for which readers are redirected. Caches only bytes with the right digest. Fails:
// as service::ReadWhole.
Task<bool> KeepInMemory(Call& call, const std::string& topic, Blob& blob, Digest digest,
                        const std::string& etag) {
  if (blob.size() > service::kSmallBlobBytes || blob.redirects()) co_return false;
  ASSIGN_OR_CO_RETURN(std::string bytes, co_await service::ReadWhole(blob, digest));
  call.services.documents.PutFile(etag, topic, std::move(bytes));
  co_return true;
}

Task<http::Response> Keep(Call& call, ArchiveCache::Ticket ticket, std::string topic,
                          OpenedArchive opened, UnixSeconds kept_until) {
  std::shared_ptr<Blob> blob = opened.blob;
  if (auto elsewhere = co_await RedirectReply(call.request(), *blob)) {
    elsewhere->counted_as = std::move(opened.counted_as);
    co_return *std::move(elsewhere);
  }
  Digest digest = opened.digest;
  auto archive = std::make_shared<ServedArchive>(Describe(std::move(opened), kept_until));
  if (blob->growth()) co_return Reply(std::move(blob), *archive);
  Result<bool> kept = co_await KeepInMemory(call, topic, *blob, digest, archive->etag);
  if (!kept && kept.error().kind == ErrorKind::kCorrupt) {
    // As with large ones: clients refuse them by their checksum, in words that their users know.
    call.services.log.Failure("sending damaged bytes; clients will reject them", kept.error());
    co_return Reply(std::move(blob), *archive);
  }
  if (!kept) co_return Failure(std::move(kept).error());
  archive->in_memory = *kept;
  std::uint64_t cost =
      sizeof(ServedArchive) + archive->etag.capacity() + archive->media_type.capacity();
  call.services.archives.Put(ticket, std::string(call.request().path), std::move(topic), archive,
                             cost);
  co_return Reply(std::move(blob), *archive);
}

// `at_any_time`: includes archives that should be opened again.
std::optional<http::Response> FindKept(std::string_view path, Services& services,
                                       bool at_any_time) {
  std::shared_ptr<Blob> blob;
  auto usable = [&](const ServedArchive& archive) {
    UnixSeconds left = archive.kept_until - services.clock.Now();
    // More than that was never given: the clock was ahead.
    bool in_time = archive.kept_until == 0 || (left > 0 && left <= kUseNotedSeconds);
    // Without the catalog nothing can be opened again.
    if (!in_time && !at_any_time && services.offline.held() == OfflineRules::Held::kConfirmed) {
      return false;
    }
    blob = archive.blob.lock();
    if (blob && blob->gone()) blob.reset();
    return archive.in_memory || blob != nullptr;
  };
  auto archive = services.archives.Find(path, usable);
  if (!archive) return std::nullopt;
  std::optional<http::Response> reply = ReplyFromMemory(*archive, services);
  if (!reply && blob) reply = Reply(std::move(blob), *archive);
  return reply;
}

}  // namespace

Awaitable<std::optional<http::Response>> RedirectReply(const http::Request& request, Blob& blob) {
  const bool may = request.method == http::Method::kGet && !request.FindField("Authorization") &&
                   !request.FindField("If-None-Match");
  if (!may) co_return std::nullopt;
  std::optional<std::string> url = co_await blob.RedirectUrl();
  if (!url) co_return std::nullopt;
  http::Response reply;
  reply.status = 302;
  reply.fields = {{"Location", *std::move(url)}, {"Cache-Control", "no-store"}};
  co_return reply;
}

Task<http::Response> ArchiveReply(Call& call, OpenedArchive archive) {
  std::shared_ptr<Blob> blob = archive.blob;
  if (auto elsewhere = co_await RedirectReply(call.request(), *blob)) {
    elsewhere->counted_as = std::move(archive.counted_as);
    co_return *std::move(elsewhere);
  }
  co_return Reply(std::move(blob), Describe(std::move(archive), 0));
}

Task<http::Response> KeepArchive(Call& call, ArchiveCache::Ticket ticket, std::string topic,
                                 OpenedArchive archive) {
  co_return co_await Keep(call, ticket, std::move(topic), std::move(archive), 0);
}

Task<http::Response> KeepMirroredArchive(Call& call, ArchiveCache::Ticket ticket, std::string topic,
                                         OpenedArchive archive) {
  UnixSeconds kept_until = call.services.clock.Now() + kUseNotedSeconds;
  co_return co_await Keep(call, ticket, std::move(topic), std::move(archive), kept_until);
}

std::string ReleaseMediaType(std::string_view file) {
  if (IsPackage(file)) return "application/zip";
  return file.ends_with(".sig") ? "application/pgp-signature" : "text/plain; charset=utf-8";
}

std::optional<http::Response> KeptArchive(const http::Exchange& exchange, Services& services) {
  return FindKept(exchange.request.path, services, false);
}

Result<http::Response> KeptArchiveOr(const Call& call, Error error) {
  if (error.kind == ErrorKind::kUnavailable) {
    auto kept = FindKept(call.request().path, call.services, true);
    if (kept) return *std::move(kept);
  }
  return Failure(std::move(error));
}

}  // namespace koya::api
