// Reads lists of provider versions from other registries, so that one bad entry does not invalidate
// the rest: many clients reject such a list as a whole.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

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

}  // namespace koya::wire
