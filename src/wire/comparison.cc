#include "wire/comparison.h"

#include "wire/comparison_document.h"
#include "wire/schema.h"

namespace koya::wire {

KOYA_DOCUMENT(Comparison);

void AddComparisonSchemas(SchemaList& list) { AddSchema<Comparison>(list); }

}  // namespace koya::wire
