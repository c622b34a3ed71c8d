// Checks whether a part of a file is in memory, so that sending it does not wait for a disk.
#pragma once

#include <cstdint>

namespace koya::http {

struct FileSlice {
  int descriptor = -1;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  bool in_memory = false;  // a file of memory: never on a disk
};

// Asks the kernel at steps of 256 KiB, a cheap call each. Disk reads come in larger steps than a
// page, so few gaps are missed. Never waits. False where it cannot be known (network and overlay
// file systems).
bool IsInMemory(const FileSlice& slice);

// Reads the slice, so that it is in memory for a while. Blocks. Errors show when it is sent.
void ReadIntoMemory(const FileSlice& slice);

}  // namespace koya::http
