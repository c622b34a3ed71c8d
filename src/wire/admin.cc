#include "wire/admin.h"

#include "wire/document.h"
#include "wire/schema.h"

namespace koya::wire {

template <>
constexpr auto kDocument<ResealReport> =
    Document("the report", Required("renewed", &ResealReport::renewed),
             Required("current", &ResealReport::current), Required("lost", &ResealReport::lost));

template <>
constexpr auto kDocument<Replica> = Document(
    "the replica", Required("id", &Replica::id), Required("address", &Replica::address),
    Required("version", &Replica::version), Optional("schema_step", &Replica::schema_step),
    Optional("started_at", &Replica::started_at), Optional("seen_at", &Replica::seen_at),
    Optional("feed_age_ms", &Replica::feed_age_ms),
    Optional("clock_ahead_ms", &Replica::clock_ahead_ms), Optional("leases", &Replica::leases));

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
template std::string Encode(const MigrationResult&);

KOYA_DOCUMENT(ResealReport);

void AddAdminSchemas(SchemaList& list) {
  AddSchema<Replica>(list);
  AddSchema<ResealReport>(list);
}

}  // namespace koya::wire
