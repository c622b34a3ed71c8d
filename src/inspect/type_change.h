// Finds the changes of a type that affect users who supply a value for it. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hcl/type.h"
#include "inspect/changes.h"

namespace koya::inspect {

enum class TypeEffect : std::uint8_t {
  kWider,      // accepts all values that it accepted
  kAdded,      // a new optional attribute
  kEased,      // an attribute became optional
  kDefault,    // optional() gives another default
  kReordered,  // a list is a set, or a set a list: clients convert it
  kConverted,  // clients convert values that fit, and reject the others
  kRefused,    // values that were accepted may be rejected
  kDropped,    // an attribute was removed: clients drop its value
  kNeeded,     // a required attribute
};

struct TypeDifference {
  TypeEffect effect = TypeEffect::kWider;
  std::string path;  // "[*].subnet_id"; "" for the type itself
  // The types at that path, for kDefault the defaults; empty where an attribute was added or
  // removed.
  std::string from = {};
  std::string to = {};
};

struct TypeDifferences {
  std::vector<TypeDifference> listed;  // most important first; at most kMostListed
  std::size_t left_out = 0;
};
inline constexpr std::size_t kMostListed = 10;

// No differences for types that accept and mean the same. About linear in the size of both.
TypeDifferences CompareTypes(const hcl::Type& from, const hcl::Type& to);

ChangeKind KindOf(TypeEffect effect);

}  // namespace koya::inspect
