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
constexpr auto kDocument<ServerStatus> = Document(
    "the status", Optional("version", &ServerStatus::version),
    Optional("ready", &ServerStatus::ready), Optional("reasons", &ServerStatus::reasons),
    Optional("database", &ServerStatus::database),
    Optional("migrations", &ServerStatus::migrations), Optional("store", &ServerStatus::store),
    Optional("upstreams", &ServerStatus::upstreams),
    Optional("certificate", &ServerStatus::certificate), Optional("backup", &ServerStatus::backup),
    Optional("work", &ServerStatus::work), Optional("disk", &ServerStatus::disk),
    Optional("todo", &ServerStatus::todo));

template <>
constexpr auto kDocument<FreezeReport> = Document(
    "the state", Required("frozen", &FreezeReport::frozen), OrNull("since", &FreezeReport::since),
    OrNull("by", &FreezeReport::by), OrNull("reason", &FreezeReport::reason));

template <>
constexpr auto kDocument<FreezeRequest> =
    Document("the request", Required("state", &FreezeRequest::state),
             Optional("reason", &FreezeRequest::reason));

template <>
constexpr auto kDocument<StorageSum> = Document("the sum", Optional("count", &StorageSum::count),
                                                Optional("bytes", &StorageSum::bytes));

template <>
constexpr auto kDocument<UnusedBlob> = Document("the blob", Required("digest", &UnusedBlob::digest),
                                                Optional("size", &UnusedBlob::size));

template <>
constexpr auto kDocument<GarbagePlan> = Document(
    "the plan", Optional("unused", &GarbagePlan::unused),
    Optional("expired_drafts", &GarbagePlan::expired_drafts), Optional("due", &GarbagePlan::due),
    Optional("blobs", &GarbagePlan::blobs), Optional("referenced", &GarbagePlan::referenced),
    Optional("open_drafts", &GarbagePlan::open_drafts), Optional("young", &GarbagePlan::young),
    Optional("leaving", &GarbagePlan::leaving), Optional("arriving", &GarbagePlan::arriving),
    Optional("grace_s", &GarbagePlan::grace_s), Optional("trash_for_s", &GarbagePlan::trash_for_s),
    OrNull("collector", &GarbagePlan::collector), Optional("frozen", &GarbagePlan::frozen),
    OrNull("next", &GarbagePlan::next));

template <>
constexpr auto kDocument<MigrationResult> =
    Document("the result", Optional("taken", &MigrationResult::taken),
             Optional("waiting", &MigrationResult::waiting));

template <>
constexpr auto kDocument<CompactionResult> =
    Document("the result", Optional("before", &CompactionResult::before),
             Optional("after", &CompactionResult::after));

template <>
constexpr auto kDocument<ReadinessDocument> =
    Document("the readiness", Optional("ready", &ReadinessDocument::ready),
             Optional("reasons", &ReadinessDocument::reasons));

template std::string Encode(const ReadinessDocument&);

KOYA_DOCUMENT(ReplicaList);
KOYA_DOCUMENT(FreezeReport);
KOYA_DOCUMENT(GarbagePlan);
KOYA_DOCUMENT(FreezeRequest);
KOYA_DOCUMENT(ServerStatus);
template std::string Encode(const MigrationResult&);
template std::string Encode(const CompactionResult&);

KOYA_DOCUMENT(ResealReport);

void AddAdminSchemas(SchemaList& list) {
  AddSchema<Replica>(list);
  AddSchema<ServerStatus>(list);
  AddSchema<FreezeReport>(list);
  AddSchema<GarbagePlan>(list);
  AddSchema<FreezeRequest>(list);
  AddSchema<ResealReport>(list);
}

}  // namespace koya::wire
