#include "wire/mirror_reports.h"

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

template <>
inline constexpr auto kDocument<MirrorWay> =
    Document("the way", Required("way", &MirrorWay::way), Required("state", &MirrorWay::state),
             Required("text", &MirrorWay::text));

template <>
inline constexpr auto kDocument<MirrorExplanation> = Document(
    "the explanation", Required("address", &MirrorExplanation::address),
    OrNull("version", &MirrorExplanation::version), Required("kind", &MirrorExplanation::kind),
    Optional("given", &MirrorExplanation::given), Required("policy", &MirrorExplanation::policy),
    OrNull("rule", &MirrorExplanation::rule), Optional("may_pull", &MirrorExplanation::may_pull),
    OrNull("text", &MirrorExplanation::text), Optional("versions", &MirrorExplanation::versions),
    Optional("pinned", &MirrorExplanation::pinned),
    Optional("archives", &MirrorExplanation::archives), Optional("ways", &MirrorExplanation::ways));

KOYA_DOCUMENT(MirrorExplanation);

void AddExplanationSchemas(SchemaList& list) { AddSchema<MirrorExplanation>(list); }

}  // namespace koya::wire
