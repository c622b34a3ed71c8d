// Where bytes go, piece by piece: into a file, a digest, an archive.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "base/result.h"

namespace koya {

// Receives bytes in order. A failure ends the writing and is handed on.
using ByteSink = std::function<Status(std::span<const std::byte>)>;

}  // namespace koya
