#include "api/fetches.h"

#include <variant>

namespace koya::api {

void CountFetch(http::Exchange& exchange, const http::Response& reply,
                const service::UsageCounter::Presenter& who, Services& services) {
  const auto* document = std::get_if<std::shared_ptr<const http::Document>>(&reply.body);
  const auto& as = document != nullptr ? (*document)->counted_as : reply.counted_as;
  if (!as || !services.usage.on()) return;
  using What = service::UsageCounter::What;
  const auto item = std::static_pointer_cast<const UsageItem>(as);
  exchange.tally =
      services.usage.Count({.what = document != nullptr ? What::kDocument : What::kArchive,
                            .item = item,
                            .who = who,
                            .user_agent = exchange.request.Get("User-Agent")});
}

}  // namespace koya::api
