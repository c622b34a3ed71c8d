#include "service/common/version_conflict.h"

#include <fmt/format.h>

namespace koya::service {

Failure WithdrawnConflict(std::string_view name, std::string_view reason) {
  return Fail(ErrorKind::kConflict,
              fmt::format("{} was withdrawn ({}): a withdrawn version is never reused; publish a "
                          "higher one",
                          name, reason));
}

Failure OtherBuildConflict(std::string_view name, std::string_view existing_version) {
  return Fail(ErrorKind::kConflict,
              fmt::format("{} cannot be published beside {}: they differ only in build metadata "
                          "(after \"+\"), which clients ignore; publish a higher version",
                          name, existing_version));
}

Failure OtherContentConflict(std::string_view name, std::string_view existing) {
  return Fail(ErrorKind::kConflict,
              fmt::format("{} is already published with other content ({}): a version never "
                          "changes; publish a higher one",
                          name, existing));
}

}  // namespace koya::service
