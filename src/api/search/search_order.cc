#include "api/search/search_order.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "web/site/search_page.h"

namespace koya::api {

Result<SearchOrder> SearchOrderNamed(const std::string& name) {
  constexpr std::array kOrders{SearchOrder::kBest, SearchOrder::kNewest, SearchOrder::kAddress};
  const auto* found = std::ranges::find(kOrders, name, web::SearchOrderName);
  if (found != kOrders.end()) return *found;
  return FailInvalid("unknown order \"{}\": sort must be best, newest or name", Printable(name));
}

}  // namespace koya::api
