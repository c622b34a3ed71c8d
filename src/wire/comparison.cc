#include "wire/comparison.h"

#include "wire/comparison_document.h"
#include "wire/schema.h"

namespace koya::wire {

std::string EncodeComparison(const Comparison& comparison) { return Encode(comparison); }
Result<Comparison> DecodeComparison(std::string_view body) { return Decode<Comparison>(body); }

void AddComparisonSchemas(SchemaList& list) { AddSchema<Comparison>(list, "Comparison"); }

}  // namespace koya::wire
