// Error messages for authors whose version conflicts with a published one.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace koya::service {

// `name` is the address and version: "acme/vpc/aws 1.2.0". All are kConflict.
Failure WithdrawnConflict(std::string_view name, std::string_view reason);
Failure OtherBuildConflict(std::string_view name, std::string_view existing_version);
// `existing` identifies the published content: a digest.
Failure OtherContentConflict(std::string_view name, std::string_view existing);

}  // namespace koya::service
