// How a type changed, as those see it who give a value for it. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hcl/type.h"
#include "inspect/changes.h"

namespace koya::inspect {

enum class TypeEffect : std::uint8_t {
  kWider,      // takes all that it took
  kAdded,      // an attribute that may be left out is new
  kEased,      // an attribute may be left out now
  kDefault,    // optional() gives another default
  kReordered,  // a list is a set, or a set a list: clients convert it
  kConverted,  // clients convert values that fit, and refuse the others
  kRefused,    // values that were taken may be refused
  kDropped,    // an attribute is gone: clients drop what is given for it
  kNeeded,     // an attribute has to be given now
};

struct TypeDifference {
  TypeEffect effect = TypeEffect::kWider;
  std::string path;  // "[*].subnet_id"; "" of the type itself
  // The types at that path, of kDefault the defaults; empty where an attribute came or went.
  std::string from = {};
  std::string to = {};
};

struct TypeDifferences {
  std::vector<TypeDifference> listed;  // what weighs most comes first; at most kMostListed
  std::size_t left_out = 0;
};
inline constexpr std::size_t kMostListed = 10;

// None for types that take and mean the same. About linear in what the two hold.
TypeDifferences CompareTypes(const hcl::Type& from, const hcl::Type& to);

ChangeKind KindOf(TypeEffect effect);

}  // namespace koya::inspect
