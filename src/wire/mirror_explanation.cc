#include "wire/mirror_explanation.h"

#include "wire/document.h"
#include "wire/schema.h"

namespace koya::wire {

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
