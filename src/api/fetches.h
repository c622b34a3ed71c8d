// What answers are counted as, for the statistics of who fetches what (service/usage_counter.h).
#pragma once

#include <concepts>
#include <memory>

#include "domain/usage_record.h"

namespace koya::auth {
struct Principal;
}
namespace koya::http {
struct Exchange;
struct Response;
}  // namespace koya::http

namespace koya::api {

struct Services;

// For http::DocumentOptions::counted_as and OpenedArchive::counted_as, once for what is kept.
template <class Address>
  requires std::same_as<Address, ModuleAddress> || std::same_as<Address, ProviderAddress>
std::shared_ptr<const UsageItem> CountedAs(const Address& address, const Version& version) {
  return std::make_shared<const UsageItem>(UsageItem::Of(address, version));
}

// Of an answer that is about to be sent: says where it is counted once it was, if it is to be; what
// the mirror gives is noted at once. Only what CountedAs or CountedAsMirrored (mirrored_fetches.h)
// made is ever in `counted_as`. `who` is null for a stranger. Never waits.
void CountFetch(http::Exchange& exchange, const http::Response& reply,
                const std::shared_ptr<const auth::Principal>& who, Services& services);

}  // namespace koya::api
