// The platform of the machine that this program runs on, as clients on it would name theirs.
#pragma once

#include "base/result.h"
#include "domain/platform.h"

namespace koya::cli {

// Fails: kInvalid on a machine that Go has no name for.
Result<Platform> ThisPlatform();

}  // namespace koya::cli
