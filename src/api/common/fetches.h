// Counting of responses for the usage statistics (service/usage/usage_counter.h).
#pragma once

#include <concepts>
#include <cstdint>
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
// may make `counted_as`. `who` is null for an anonymous caller. Never waits.
void CountFetch(http::Exchange& exchange, const http::Response& reply,
                const std::shared_ptr<const auth::Principal>& who, Services& services);

// ---- mirrored packages: besides the caller, they count the mirror's allowed requests and bytes

// Every item of a mirrored kind is a MirroredItem.
struct MirroredItem final : UsageItem {
  std::uint64_t bytes = 0;  // of an archive
};
// As CountedAs. `bytes`: size of the archive; 0 for a document.
template <class Thing>
std::shared_ptr<const UsageItem> CountedAsMirrored(const Thing& thing, const Version& version,
                                                   std::uint64_t bytes = 0) {
  return std::make_shared<const MirroredItem>(MirroredItem{UsageItem::Of(thing, version), bytes});
}

}  // namespace koya::api
