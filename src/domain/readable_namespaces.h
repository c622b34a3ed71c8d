// Which namespaces somebody may read, for listings. auth/ makes it; the catalog asks nothing more.
#pragma once

#include <string>
#include <vector>

#include "domain/visibility.h"

namespace koya {

struct ReadableNamespaces {
  bool everything = true;  // the rest does not count then
  bool internal = false;   // internal ones, too; public ones always
  // And these, whatever their visibility: by NamespaceKey, or patterns of keys as of base/glob.h.
  std::vector<std::string> named;
  // What a namespace without a record counts as.
  Visibility unrecorded = Visibility::kPublic;
  bool mirrored = false;  // and what is kept of other registries, which is in no namespace here
};

}  // namespace koya
