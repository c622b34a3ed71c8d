#include "app/heap.h"

#include <malloc.h>

#include <cstddef>

namespace koya {
namespace {

// Less than this is soon used again, and would have to be asked for anew.
constexpr std::size_t kMuch = 48U << 20U;

}  // namespace

void GiveBackFreeMemory() {
  if (::mallinfo2().fordblks >= kMuch) ::malloc_trim(0);
}

}  // namespace koya
