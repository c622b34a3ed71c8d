// Names the platform of this machine, as clients on it would.
#pragma once

#include "base/result.h"
#include "domain/platform.h"

namespace koya::cli {

// Fails: kInvalid on a machine for which Go has no name.
Result<Platform> ThisPlatform();

}  // namespace koya::cli
