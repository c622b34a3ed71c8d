// How a type changed, seen by those who give a value for it. Pure.
#pragma once

#include "hcl/type.h"

namespace koya::inspect {

enum class TypeChange {
  kSame,
  kDefaults,  // defaults of optional() only
  kWider,     // whatever was taken is taken
  kNarrower,  // also: it has nothing to do with the other
};

TypeChange CompareTypes(const hcl::Type& from, const hcl::Type& to);

}  // namespace koya::inspect
