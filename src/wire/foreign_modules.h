// The documents of other module registries, read as clients read them, except that one bad entry of
// a list does not cost the others. modules.h has the strict readers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::wire {

// GET …/:namespace/:name/:system/versions
struct ForeignModuleVersions {
  std::vector<std::string> versions;  // as spelled; nothing is normalised here
  std::size_t skipped = 0;            // entries of another shape
};

// Only the first element of "modules" counts, and of it only "versions" (null and absent are an
// empty list). Fails: kInvalid when `body` is no object, or "modules" has no first element that is
// an object: clients fail then too.
Result<ForeignModuleVersions> DecodeForeignModuleVersions(std::string_view body);

// GET …/:version/download, where it is answered with a body.
struct ForeignModuleLocation {
  std::string location;  // "" when the document does not say
  // "use_registry_credentials" is there, whatever it says: the location is then a plain URL, none
  // of go-getter's addresses (wire facts §2.5).
  bool direct = false;
};

// Fails: kInvalid when `body` is no object, or "location" no string.
Result<ForeignModuleLocation> DecodeForeignModuleLocation(std::string_view body);

}  // namespace koya::wire
