#include "wire/backup.h"

#include "wire/document.h"
#include "wire/schema.h"

namespace koya::wire {

template <>
constexpr auto kDocument<BackupTable> =
    Document("the manifest", Required("name", &BackupTable::name),
             Optional("rows", &BackupTable::rows), Required("sha256", &BackupTable::sha256));

template <>
constexpr auto kDocument<BackupSum> =
    Document("the manifest", Optional("count", &BackupSum::count),
             Optional("bytes", &BackupSum::bytes), Required("sha256", &BackupSum::sha256));

template <>
constexpr auto kDocument<BackupOrigin> =
    Document("the origin of the backup", Optional("program", &BackupOrigin::program),
             Optional("schema", &BackupOrigin::schema), Optional("catalog", &BackupOrigin::catalog),
             Optional("secret_mark", &BackupOrigin::secret_mark));

template <>
constexpr auto kDocument<BackupManifest> = Document(
    "the manifest", Required("format", &BackupManifest::format),
    Required("id", &BackupManifest::id), Required("made_at", &BackupManifest::made_at),
    Required("origin", &BackupManifest::origin), Required("records", &BackupManifest::records),
    Required("blobs", &BackupManifest::blobs), Required("tables", &BackupManifest::tables),
    Optional("missing", &BackupManifest::missing));

template <>
constexpr auto kDocument<BackupSession> =
    Document("the session of a backup", Optional("id", &BackupSession::id),
             Optional("origin", &BackupSession::origin));

template <>
constexpr auto kDocument<BackupBlob> = Document("the blob", Required("digest", &BackupBlob::digest),
                                                Optional("size", &BackupBlob::size));

template <>
constexpr auto kDocument<BackupRequest> =
    Document("the request", Required("to", &BackupRequest::to));

template <>
constexpr auto kDocument<BackupState> = Document(
    "the state of backups", Optional("to", &BackupState::to),
    Optional("running", &BackupState::running), Optional("id", &BackupState::id),
    Optional("age", &BackupState::age), Optional("last_id", &BackupState::last_id),
    Optional("failure", &BackupState::failure), Optional("attempts", &BackupState::attempts));

KOYA_DOCUMENT(BackupManifest);
KOYA_DOCUMENT(BackupSession);
KOYA_DOCUMENT(BackupBlobs);
KOYA_DOCUMENT(BackupRequest);
KOYA_DOCUMENT(BackupState);

void AddBackupSchemas(SchemaList& list) {
  AddSchema<BackupSession>(list);
  AddSchema<BackupBlob>(list);
  AddSchema<BackupRequest>(list);
  AddSchema<BackupState>(list);
}

}  // namespace koya::wire
