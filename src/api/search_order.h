// In which order a search tells what it found, as the query's "sort" names it, for programs and
// pages alike.
#pragma once

#include <string>

#include "base/result.h"

namespace koya {
enum class SearchOrder;
}

namespace koya::api {

// "best", "newest" or "name". Fails: kInvalid, with the names that there are.
Result<SearchOrder> SearchOrderNamed(const std::string& name);

}  // namespace koya::api
