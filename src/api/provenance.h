// Where a release comes from, as its documents show it.
#pragma once

#include <string_view>

#include "wire/trust.h"

namespace koya::api {

// Of what the catalog keeps, which trusted publishing wrote; what cannot be read is not shown.
inline wire::Provenance ProvenanceToWire(std::string_view kept) {
  return wire::DecodeProvenance(kept).value_or(wire::Provenance());
}

}  // namespace koya::api
