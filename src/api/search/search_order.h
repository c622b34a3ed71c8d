// Order of search results, by the name in the query's "sort", for programs and pages alike.
#pragma once

#include <string>

#include "base/result.h"

namespace koya {
enum class SearchOrder;
}

namespace koya::api {

// Parses "best", "newest" or "name". Fails: kInvalid, with the valid names.
Result<SearchOrder> SearchOrderNamed(const std::string& name);

}  // namespace koya::api
