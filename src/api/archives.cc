#include "api/archives.h"

#include <utility>

#include "blobs/fill.h"
#include "service/blob_source.h"

namespace koya::api {
namespace {

// A blob's bytes as the engine sends them.
class StreamedBody final : public http::BodySource {
 public:
  explicit StreamedBody(service::BlobSource source) : source_(std::move(source)) {}
  Task<std::span<const std::byte>> Next() override { return source_.Read(); }

 private:
  service::BlobSource source_;
};

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

ServedArchive Describe(std::shared_ptr<Blob> blob, const Digest& digest, std::string media_type) {
  ServedArchive archive;
  archive.descriptor = blob->file_descriptor().value_or(-1);
  archive.blob = std::move(blob);
  archive.etag = "\"" + digest.hex() + "\"";
  archive.media_type = std::move(media_type);
  return archive;
}

constexpr std::string_view kForEver = "public, max-age=31536000, immutable";

}  // namespace

http::Response ArchiveReply(std::shared_ptr<const ServedArchive> archive) {
  http::Response reply;
  reply.etag = archive->etag;
  reply.fields = {{"Content-Type", archive->media_type}, {"Cache-Control", std::string(kForEver)}};
  std::uint64_t size = archive->blob->size();
  if (archive->descriptor < 0) {
    reply.content_length = size;
    reply.body = std::make_unique<StreamedBody>(service::BlobSource(archive->blob));
    return reply;
  }
  http::FileBody file{archive, archive->descriptor, size};
  if (std::shared_ptr<Fill> fill = archive->blob->growth()) {
    file.growth = std::make_shared<FillGrowth>(std::move(fill));
  }
  reply.body = std::move(file);
  return reply;
}

std::string ReleaseMediaType(std::string_view file) {
  if (file.ends_with(".zip")) return "application/zip";
  return file.ends_with(".sig") ? "application/pgp-signature" : "text/plain; charset=utf-8";
}

std::shared_ptr<const ServedArchive> MakeServedArchive(std::shared_ptr<Blob> blob,
                                                       const Digest& digest,
                                                       std::string media_type) {
  return std::make_shared<ServedArchive>(Describe(std::move(blob), digest, std::move(media_type)));
}

std::shared_ptr<const ServedArchive> MakeMirroredArchive(const Services& services,
                                                         std::shared_ptr<Blob> blob,
                                                         const Digest& digest,
                                                         std::string media_type) {
  ServedArchive archive = Describe(std::move(blob), digest, std::move(media_type));
  archive.kept_until = services.clock.Now() + kUseNotedSeconds;
  return std::make_shared<ServedArchive>(std::move(archive));
}

std::optional<http::Response> KeptArchive(const http::Exchange& exchange, Services& services) {
  std::shared_ptr<const ServedArchive> archive = services.archives.Find(exchange.request.path);
  if (!archive) return std::nullopt;
  bool over = archive->kept_until != 0 && services.clock.Now() >= archive->kept_until;
  if (over) return std::nullopt;
  return ArchiveReply(std::move(archive));
}

}  // namespace koya::api
