#include "api/common/page_number.h"

#include <algorithm>

#include "api/common/query.h"

namespace koya::api {

Result<std::uint64_t> ReadPageNumber(const http::Request& request) {
  // No list is longer.
  constexpr std::uint64_t kLastPage = 1'000'000'000;
  Result<std::uint64_t> number = QueryNumber(request.query, "page", 1);
  if (number && *number >= 1 && *number <= kLastPage) return number;
  return FailInvalid("the parameter \"page\" must be a whole number, 1 or more");
}

web::ListPart PartOf(std::uint64_t total, std::uint64_t number, std::uint64_t size) {
  const std::uint64_t last = total == 0 ? 0 : (total - 1) / size;
  const std::uint64_t offset = std::min(number - 1, last) * size;
  return {.offset = offset,
          .shown = std::min(size, total - offset),
          .size = size,
          .total = total,
          .more = false};
}

}  // namespace koya::api
