// A file in memory, which the kernel can send without copying its bytes.
//
// For a document of 250 KB, copying it into the socket is half of the work of a response.
#pragma once

#include <memory>
#include <string_view>

#include "base/file.h"

namespace koya::http {

// Immutable. Thread-safe.
class MemoryFile {
 public:
  // Holds `first` followed by `second`. Null when the kernel provides no file, or when this process
  // uses so many descriptors that the rest should be left to connections.
  static std::shared_ptr<const MemoryFile> Make(std::string_view first, std::string_view second);

  explicit MemoryFile(UniqueFd fd) : fd_(std::move(fd)) {}
  int descriptor() const { return fd_.get(); }

 private:
  UniqueFd fd_;
};

}  // namespace koya::http
