#include "wire/mirror_status.h"

#include "wire/document.h"
#include "wire/schema.h"

namespace koya::wire {

template <>
constexpr auto kDocument<MirrorDay> = Document(
    "the mirror's status", Required("day", &MirrorDay::day), Optional("sent", &MirrorDay::sent),
    Optional("sent_bytes", &MirrorDay::sent_bytes), Optional("brought", &MirrorDay::brought),
    Optional("brought_bytes", &MirrorDay::fetched_bytes));

template <>
constexpr auto kDocument<MirrorStatus> = Document(
    "the mirror's status", Required("since", &MirrorStatus::since),
    Optional("sent", &MirrorStatus::sent), Optional("sent_bytes", &MirrorStatus::sent_bytes),
    Optional("from_store", &MirrorStatus::from_store),
    Optional("from_store_bytes", &MirrorStatus::from_store_bytes),
    Optional("brought", &MirrorStatus::brought),
    Optional("brought_bytes", &MirrorStatus::fetched_bytes),
    Optional("let_through", &MirrorStatus::let_through),
    Optional("turned_away", &MirrorStatus::turned_away),
    Optional("counted", &MirrorStatus::counted),
    Optional("versions_fetched", &MirrorStatus::versions_fetched),
    Optional("versions_ready", &MirrorStatus::versions_ready),
    Required("days", &MirrorStatus::days));

KOYA_DOCUMENT(MirrorStatus);

void AddMirrorStatusSchemas(SchemaList& list) { AddSchema<MirrorStatus>(list); }

}  // namespace koya::wire
