#include "app/process_limits.h"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>

namespace koya {

void RaiseDescriptorLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::size_t DescriptorLimit() {
  constexpr std::size_t kUsual = 1024;
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : kUsual;
}

DescriptorBudget DescriptorBudget::Of(std::size_t limit) {
  constexpr std::size_t kMostFiles = 4096;
  return {.files = std::min(limit / 8, kMostFiles),
          .connections = std::max<std::size_t>(limit / 2, 1)};
}

namespace {

// Less free memory than this is soon used again, and would only be requested from the system again.
constexpr std::size_t kMuch = 48U << 20U;

// Blocks of this size and more are the system's; smaller ones are soon used again.
constexpr int kLargeBlock = 2 << 20;
constexpr int kEndOfHeap = 4 << 20;

}  // namespace

void KeepHeapsShort() {
  ::mallopt(M_MMAP_THRESHOLD, kLargeBlock);
  ::mallopt(M_TRIM_THRESHOLD, kEndOfHeap);
}

void GiveBackFreeMemory() {
  if (::mallinfo2().fordblks >= kMuch) ::malloc_trim(0);
}

}  // namespace koya
