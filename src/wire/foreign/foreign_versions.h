// Reads the documents of other registries about versions of providers and modules as clients do,
// except that one bad entry of a list does not invalidate the rest: many clients reject such a list
// as a whole.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/providers.h"

namespace koya::wire {

struct ForeignVersions {
  ProviderVersions document;
  std::size_t skipped = 0;  // entries of a different shape
};

// Checks only the shape of entries; malformed warnings are dropped. Fails: kInvalid when `body` is
// not an object with an array "versions" (null and absent mean an empty one).
Result<ForeignVersions> DecodeForeignVersions(std::string_view body);

// What a registry's details of one version, of a provider or a module, state, as it is spelled; "":
// nothing.
struct ForeignDetails {
  std::string published_at;
  std::string source;  // of its repository
  friend bool operator==(const ForeignDetails&, const ForeignDetails&) = default;
};
// Fails: kInvalid when `body` is not an object.
Result<ForeignDetails> DecodeForeignDetails(std::string_view body);

// ---- modules. modules.h has the strict readers.

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
