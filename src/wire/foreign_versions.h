// Lists of provider versions as other registries write them, read so that one bad entry does not
// cost the others: many clients refuse such a list as a whole.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "wire/providers.h"

namespace koya::wire {

struct ForeignVersions {
  ProviderVersions document;
  std::size_t skipped = 0;  // entries of another shape
};

// Entries are judged by their shape alone; warnings that are none are dropped. Fails: kInvalid when
// `body` is no object with an array "versions" (null and absent are an empty one).
Result<ForeignVersions> DecodeForeignVersions(std::string_view body);

}  // namespace koya::wire
