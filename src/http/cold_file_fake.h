// For tests: files that the kernel would have to read from the disk.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace koya::http {

// How many of the file's pages are in memory.
inline std::size_t PagesInMemory(int descriptor, std::size_t size) {
  std::vector<unsigned char> pages((size + 4095) / 4096);
  void* mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED || mincore(mapped, size, pages.data()) != 0) return pages.size();
  munmap(mapped, size);
  return static_cast<std::size_t>(
      std::ranges::count_if(pages, [](unsigned char page) { return (page & 1) != 0; }));
}

// Makes the kernel drop the file's pages. False where it keeps them, as file systems in memory do.
inline bool MakeCold(int descriptor, std::size_t size) {
  fsync(descriptor);
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
  return PagesInMemory(descriptor, size) == 0;
}

}  // namespace koya::http
