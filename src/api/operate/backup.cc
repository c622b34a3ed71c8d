// What a command reads for a backup, and backups that the server makes itself.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/common/call.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "base/file_io.h"
#include "base/offload.h"
#include "blobs/blob_store.h"
#include "domain/digest.h"
#include "service/operate/backups.h"
#include "wire/backup.h"

namespace koya::api {
namespace {

Result<service::Backups*> BackupsOf(Call& call) {
  if (call.services.operations.backups != nullptr) return call.services.operations.backups;
  return FailNotFound("this server makes no backups");
}

Task<http::Response> OpenBackupSession(Call& call) {
  ASSIGN_OR_CO_RETURN(service::Backups* const backups, BackupsOf(call));
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::BackupSession session, wire::Decode<wire::BackupSession>(body));
  service::BackupLeases& leases = backups->leases();
  session.origin = backups->origin();
  if (!session.id.empty()) {
    CO_RETURN_IF_ERROR(co_await leases.Renew(session.id));
    co_return JsonReply(200, wire::Encode(session));
  }
  ASSIGN_OR_CO_RETURN(session.id, co_await leases.Take());
  Status noted = co_await backups->RecordStart(call.principal.actor);
  if (!noted) {
    CO_RETURN_IF_ERROR(co_await leases.GiveBack(session.id));
    co_return Failure(std::move(noted).error());
  }
  co_return JsonReply(200, wire::Encode(session));
}

Task<http::Response> EndBackupSession(Call& call) {
  ASSIGN_OR_CO_RETURN(service::Backups* const backups, BackupsOf(call));
  CO_RETURN_IF_ERROR(co_await backups->leases().GiveBack(std::string(call.path("id"))));
  http::Response reply;
  reply.status = 204;
  co_return reply;
}

// The id of the session is in the query: blobs are removed once it has ended.
Task<void> RequireSession(Call& call, service::Backups& backups) {
  ASSIGN_OR_CO_RETURN(std::optional<std::string> session,
                      QueryParameter(call.request().query, "session"));
  if (!session || session->empty()) {
    co_return FailInvalid(
        "the parameter \"session\" is missing: open a session with POST "
        "/api/v1/admin/backup/session");
  }
  co_return co_await backups.leases().Renew(*std::move(session));
}

// A file first, so that a slow client does not hold a transaction of the database open.
Task<http::Response> ReadBackupRecords(Call& call) {
  ASSIGN_OR_CO_RETURN(service::Backups* const backups, BackupsOf(call));
  CO_RETURN_IF_ERROR(co_await RequireSession(call, *backups));
  ASSIGN_OR_CO_RETURN(ScratchFile created, ScratchFile::Create(backups->scratch()));
  auto file = std::make_shared<ScratchFile>(std::move(created));
  auto read = [backups, file]() -> Result<std::uint64_t> {
    std::uint64_t size = 0;
    RETURN_IF_ERROR(backups->ReadRecords([&](std::span<const std::byte> bytes) -> Status {
      size += bytes.size();
      return file->Append(bytes);
    }));
    return size;
  };
  Result<std::uint64_t> size = co_await Offload(backups->readers(), std::move(read));
  if (!size) co_return Failure(std::move(size).error());
  http::Response reply;
  reply.fields.emplace_back("Content-Type", "application/gzip");
  reply.fields.emplace_back("Cache-Control", "no-store");
  reply.body = http::FileBody{file, file->descriptor(), *size};
  co_return reply;
}

Task<http::Response> ListBackupBlobs(Call& call) {
  ASSIGN_OR_CO_RETURN(service::Backups* const backups, BackupsOf(call));
  CO_RETURN_IF_ERROR(co_await RequireSession(call, *backups));
  ASSIGN_OR_CO_RETURN(std::optional<std::string> text,
                      QueryParameter(call.request().query, "after"));
  std::optional<Digest> after;
  if (text && !text->empty()) {
    ASSIGN_OR_CO_RETURN(after, Digest::Parse(*text));
  }
  constexpr std::size_t kPage = 1000;
  ASSIGN_OR_CO_RETURN(std::vector<BlobInfo> page, co_await backups->blobs().List(after, kPage));
  wire::BackupBlobs blobs;
  for (const BlobInfo& each : page) {
    blobs.items.push_back({.digest = each.digest.hex(), .size = each.size});
  }
  co_return JsonReply(200, wire::Encode(blobs));
}

Task<http::Response> ReadBackupBlob(Call& call) {
  ASSIGN_OR_CO_RETURN(service::Backups* const backups, BackupsOf(call));
  ASSIGN_OR_CO_RETURN(const Digest digest, Digest::Parse(call.path("id")));
  ASSIGN_OR_CO_RETURN(std::shared_ptr<Blob> blob, co_await backups->blobs().Open(digest));
  http::Response reply;
  reply.fields.emplace_back("Content-Type", "application/octet-stream");
  reply.fields.emplace_back("Cache-Control", "no-store");
  const std::uint64_t size = blob->size();
  const std::optional<int> descriptor = blob->file_descriptor();
  if (descriptor && blob->growth() == nullptr) {
    reply.body = http::FileBody{std::move(blob), *descriptor, size};
  } else {
    reply.content_length = size;
    reply.body = std::make_unique<BlobSource>(std::move(blob));
  }
  co_return reply;
}

Task<http::Response> StartBackup(Call& call) {
  ASSIGN_OR_CO_RETURN(service::Backups* const backups, BackupsOf(call));
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::BackupRequest request, wire::Decode<wire::BackupRequest>(body));
  if (!request.to.starts_with("s3://") && request.to != backups->schedule().to) {
    co_return FailInvalid(
        "a server writes backups to s3://BUCKET/PREFIX, or to its backup.to: \"{}\" is neither",
        request.to);
  }
  CO_RETURN_IF_ERROR(co_await backups->RecordStart(call.principal.actor));
  CO_RETURN_IF_ERROR(backups->Start(std::move(request.to)));
  http::Response reply;
  reply.status = 202;
  co_return reply;
}

Task<http::Response> ShowBackup(Call& call) {
  ASSIGN_OR_CO_RETURN(service::Backups* const backups, BackupsOf(call));
  co_return JsonReply(200, wire::Encode(backups->State()));
}

}  // namespace

std::span<const Route> BackupRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kShowBackup, Access::kAdmin, ResourceScope::kNone, ShowBackup,
                 "Show the backups that servers make themselves"),
      Route::For(wire::kStartBackup, Access::kAdmin, BodyLimit::kSmall, StartBackup,
                 "Start a backup that the server writes")
          .WhileFrozen(),
      Route::For(wire::kOpenBackupSession, Access::kAdmin, BodyLimit::kSmall, OpenBackupSession,
                 "Open or renew the session of a backup that a command writes")
          .WhileFrozen(),
      Route::For(wire::kEndBackupSession, Access::kAdmin, BodyLimit::kNone, EndBackupSession,
                 "End the session of a backup")
          .WhileFrozen(),
      Route::For(wire::kReadBackupRecords, Access::kAdmin, ResourceScope::kNone, ReadBackupRecords,
                 "Read all records, for a backup"),
      Route::For(wire::kListBackupBlobs, Access::kAdmin, ResourceScope::kNone, ListBackupBlobs,
                 "List the stored blobs, for a backup"),
      Route::For(wire::kReadBackupBlob, Access::kAdmin, ResourceScope::kNone, ReadBackupBlob,
                 "Read a blob, for a backup"),
  };
  return kRoutes;
}

}  // namespace koya::api
