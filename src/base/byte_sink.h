// A destination of bytes that come in pieces: a file, a digest, an archive.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "base/result.h"

namespace koya {

// Receives bytes in order. A failure ends the writing and is passed on.
using ByteSink = std::function<Status(std::span<const std::byte>)>;

}  // namespace koya
