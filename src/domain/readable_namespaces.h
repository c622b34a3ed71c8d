// Namespaces that a caller may read, for listings. auth/ computes them; the catalog only applies
// them.
#pragma once

#include <string>
#include <vector>

#include "domain/visibility.h"

namespace koya {

struct ReadableNamespaces {
  bool everything = true;  // then the other members do not matter
  bool internal = false;   // also internal ones; public ones always
  // Also these, whatever their visibility: by NamespaceKey, or patterns of keys as in base/glob.h.
  std::vector<std::string> named;
  // The visibility of a namespace without a record.
  Visibility unrecorded = Visibility::kPublic;
  bool mirrored = false;  // also mirrored contents, which are in no namespace here
};

}  // namespace koya
