#include "wire/comparison.h"

#include "wire/comparison_document.h"

namespace koya::wire {

std::string EncodeComparison(const Comparison& comparison) { return Encode(comparison); }
Result<Comparison> DecodeComparison(std::string_view body) { return Decode<Comparison>(body); }

}  // namespace koya::wire
