#include "app/descriptors.h"

#include <sys/resource.h>

#include <algorithm>

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

}  // namespace koya
