// Counting of responses for the usage statistics (service/usage/usage_counter.h).
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

// The item for http::DocumentOptions::counted_as and OpenedArchive::counted_as, made once for each
// cached entry.
template <class Address>
  requires std::same_as<Address, ModuleAddress> || std::same_as<Address, ProviderAddress>
std::shared_ptr<const UsageItem> CountedAs(const Address& address, const Version& version) {
  return std::make_shared<const UsageItem>(UsageItem::Of(address, version));
}

// Counts a response that is about to be sent: sets where it is counted once it was sent, if it is
// to be; what the mirror serves is noted at once. Only CountedAs and CountedAsMirrored
// (mirrored_fetches.h) may make `counted_as`. `who` is null for an anonymous caller. Never waits.
void CountFetch(http::Exchange& exchange, const http::Response& reply,
                const std::shared_ptr<const auth::Principal>& who, Services& services);

}  // namespace koya::api
