#include "app/heap.h"

#include <malloc.h>

#include <cstddef>

namespace koya {
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
