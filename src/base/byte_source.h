// A source of bytes that arrive in pieces: an upload, a download, a file.
#pragma once

#include <cstddef>
#include <span>

#include "base/task.h"

namespace koya {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // The next bytes, valid until the next call; empty at the end. A failure says why the bytes
  // ended.
  virtual Task<std::span<const std::byte>> Read() = 0;
};

}  // namespace koya
