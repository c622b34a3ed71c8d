// Part of a list that a page shows: ?page=2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "http/server/message.h"
#include "web/common/view_parts.h"

namespace koya::api {

// The page number, from 1. Fails: kInvalid.
Result<std::uint64_t> ReadPageNumber(const http::Request& request);

// The part of a list of `total` items for page `number`, with `size` items per full page. A number
// behind the end means the last part.
web::ListPart PartOf(std::uint64_t total, std::uint64_t number, std::uint64_t size);

// Removes all items outside that part.
template <class T>
web::ListPart KeepPart(std::vector<T>& items, std::uint64_t number, std::uint64_t size) {
  const web::ListPart part = PartOf(items.size(), number, size);
  items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(part.offset));
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(part.shown), items.end());
  return part;
}

// Removes all items after the first `most`, and returns how many it removed.
template <class T>
std::size_t CutTo(std::vector<T>& items, std::size_t most) {
  const std::size_t kept = std::min(items.size(), most);
  const std::size_t left_out = items.size() - kept;
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(kept), items.end());
  return left_out;
}

}  // namespace koya::api
