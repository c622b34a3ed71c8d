// Reads the documents of other module registries as clients do, except that one bad entry of a list
// does not invalidate the rest. modules.h has the strict readers.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::wire {

// GET …/:namespace/:name/:system/versions
struct ForeignModuleVersions {
  std::vector<std::string> versions;  // as spelled; nothing is normalised here
  std::size_t skipped = 0;            // entries of a different shape
  // Release times as spelled, by version as spelled; of the versions that state one.
  std::map<std::string, std::string> discovered;
};

// Only the first element of "modules" counts, and of it only "versions" (null and absent mean an
// empty list). Fails: kInvalid when `body` is not an object, or the first element of "modules" is
// missing or not an object: clients fail then too.
Result<ForeignModuleVersions> DecodeForeignModuleVersions(std::string_view body);

// GET …/:version/download, when the response has a body.
struct ForeignModuleLocation {
  std::string location;  // "" when the document has none
  // "use_registry_credentials" is present, with any value: the location is then a plain URL, not a
  // go-getter address (wire facts §2.5).
  bool direct = false;
};

// Fails: kInvalid when `body` is not an object, or "location" is not a string.
Result<ForeignModuleLocation> DecodeForeignModuleLocation(std::string_view body);

}  // namespace koya::wire
