// A page of a listing, and the request for one.
#pragma once

#include <cstdint>
#include <vector>

namespace koya {

struct PageRequest {
  std::uint64_t offset = 0;
  std::uint64_t limit = 15;
};

template <class T>
struct Page {
  std::vector<T> items;
  bool more = false;  // whether items follow this page
};

}  // namespace koya
