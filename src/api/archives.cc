#include "api/archives.h"

#include <utility>

#include "blobs/blob_source.h"
#include "blobs/fill.h"

namespace koya::api {
namespace {

// A fill as the engine follows it.
class FillGrowth final : public http::FileGrowth {
 public:
  explicit FillGrowth(std::shared_ptr<Fill> fill) : fill_(std::move(fill)) {}
  Task<std::uint64_t> WaitBeyond(std::uint64_t offset) override {
    return fill_->WaitBeyond(offset);
  }

 private:
  std::shared_ptr<Fill> fill_;
};

// How often it is noted that something held of another registry is in use; the catalog takes no
// note more often.
constexpr UnixSeconds kUseNotedSeconds = 3600;

constexpr std::string_view kForEver = "public, max-age=31536000, immutable";

http::Response Reply(std::shared_ptr<Blob> blob, const ServedArchive& archive) {
  http::Response reply;
  reply.etag = archive.etag;
  reply.fields = {{"Content-Type", archive.media_type}, {"Cache-Control", std::string(kForEver)}};
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
  return {.blob = std::move(archive.blob),
          .etag = "\"" + archive.digest.hex() + "\"",
          .media_type = std::move(archive.media_type),
          .kept_until = kept_until};
}

Task<http::Response> Keep(Call& call, ArchiveCache::Ticket ticket, std::string topic,
                          OpenedArchive opened, UnixSeconds kept_until) {
  std::shared_ptr<Blob> blob = opened.blob;
  if (auto elsewhere = co_await RedirectReply(call.request(), *blob)) {
    co_return *std::move(elsewhere);
  }
  auto archive = std::make_shared<ServedArchive>(Describe(std::move(opened), kept_until));
  if (blob->growth()) co_return Reply(std::move(blob), *archive);
  std::uint64_t cost =
      sizeof(ServedArchive) + archive->etag.capacity() + archive->media_type.capacity();
  call.services.archives.Put(ticket, std::string(call.request().path), std::move(topic), archive,
                             cost);
  co_return Reply(std::move(blob), *archive);
}

}  // namespace

Awaitable<std::optional<http::Response>> RedirectReply(const http::Request& request, Blob& blob) {
  const bool may = request.method == http::Method::kGet && !request.Find("Authorization") &&
                   !request.Find("If-None-Match");
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
  if (file.ends_with(".zip")) return "application/zip";
  return file.ends_with(".sig") ? "application/pgp-signature" : "text/plain; charset=utf-8";
}

std::optional<http::Response> KeptArchive(const http::Exchange& exchange, Services& services) {
  std::shared_ptr<Blob> blob;
  auto usable = [&](const ServedArchive& archive) {
    UnixSeconds left = archive.kept_until - services.clock.Now();
    // More than that was never given: the clock was ahead.
    bool in_time = archive.kept_until == 0 || (left > 0 && left <= kUseNotedSeconds);
    if (!in_time) return false;
    blob = archive.blob.lock();
    return blob != nullptr && !blob->gone();
  };
  auto archive = services.archives.Find(exchange.request.path, usable);
  if (!archive) return std::nullopt;
  return Reply(std::move(blob), *archive);
}

}  // namespace koya::api
