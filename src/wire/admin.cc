#include "wire/admin.h"

#include "wire/document.h"
#include "wire/schema.h"

namespace koya::wire {

template <>
constexpr auto kDocument<ResealReport> =
    Document("the report", Required("renewed", &ResealReport::renewed),
             Required("current", &ResealReport::current), Required("lost", &ResealReport::lost));

template <>
constexpr auto kDocument<Replica> =
    Document("the replica", Required("id", &Replica::id), Required("address", &Replica::address),
             Required("version", &Replica::version), Optional("schema_step", &Replica::schema_step),
             Optional("started_at", &Replica::started_at), Optional("seen_at", &Replica::seen_at),
             Optional("feed_age_ms", &Replica::feed_age_ms),
             Optional("clock_ahead_ms", &Replica::clock_ahead_ms),
             Optional("leases", &Replica::leases), OrAbsent("settings", &Replica::settings));

template <>
constexpr auto kDocument<ServerStatus::Store> =
    Document("the store", Required("kind", &ServerStatus::Store::kind),
             Optional("published_bytes", &ServerStatus::Store::published_bytes),
             Optional("mirrored_bytes", &ServerStatus::Store::mirrored_bytes),
             Optional("lost", &ServerStatus::Store::lost));

template <>
constexpr auto kDocument<ServerStatus::Upstream> =
    Document("the upstream", Required("host", &ServerStatus::Upstream::host),
             Required("state", &ServerStatus::Upstream::state));

template <>
constexpr auto kDocument<CertificateState> =
    Document("the certificate", Optional("days", &CertificateState::days));

template <>
constexpr auto kDocument<BackupAge> =
    Document("the backup", Optional("id", &BackupAge::id), Optional("age", &BackupAge::age),
             Optional("running", &BackupAge::running));

template <>
constexpr auto kDocument<ServerStatus::Work> =
    Document("the work", Optional("waiting", &ServerStatus::Work::waiting),
             Optional("failed", &ServerStatus::Work::failed));

template <>
constexpr auto kDocument<DiskState> = Document("the disk", Optional("bytes", &DiskState::bytes),
                                               Optional("free_bytes", &DiskState::free_bytes));

template <>
constexpr auto kDocument<ServerStatus::Todo> = Document(
    "the work to do", Required("code", &ServerStatus::Todo::code),
    OrNull("subject", &ServerStatus::Todo::subject), Required("text", &ServerStatus::Todo::text));

template <>
constexpr auto kDocument<ServerStatus> =
    Document("the status", Optional("version", &ServerStatus::version),
             Optional("ready", &ServerStatus::ready), Optional("reasons", &ServerStatus::reasons),
             Optional("database", &ServerStatus::database), Optional("store", &ServerStatus::store),
             Optional("upstreams", &ServerStatus::upstreams),
             Optional("certificate", &ServerStatus::certificate),
             Optional("backup", &ServerStatus::backup), Optional("work", &ServerStatus::work),
             Optional("disk", &ServerStatus::disk), Optional("todo", &ServerStatus::todo));

template <>
constexpr auto kDocument<MigrationResult> =
    Document("the result", Optional("taken", &MigrationResult::taken),
             Optional("waiting", &MigrationResult::waiting));

template <>
constexpr auto kDocument<ReadinessDocument> =
    Document("the readiness", Optional("ready", &ReadinessDocument::ready),
             Optional("reasons", &ReadinessDocument::reasons));

template std::string Encode(const ReadinessDocument&);

KOYA_DOCUMENT(ReplicaList);
KOYA_DOCUMENT(ServerStatus);
template std::string Encode(const MigrationResult&);

KOYA_DOCUMENT(ResealReport);

void AddAdminSchemas(SchemaList& list) {
  AddSchema<Replica>(list);
  AddSchema<ServerStatus>(list);
  AddSchema<ResealReport>(list);
}

}  // namespace koya::wire
