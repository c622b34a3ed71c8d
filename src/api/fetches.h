// What answers are counted as, for the statistics of who fetches what (service/usage_counter.h).
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>

#include "api/call.h"
#include "domain/usage_record.h"
#include "service/mirror/mirror_counter.h"
#include "service/usage_counter.h"

namespace koya::api {

// For http::DocumentOptions::counted_as and OpenedArchive::counted_as, once for what is kept.
template <class Address>
  requires std::same_as<Address, ModuleAddress> || std::same_as<Address, ProviderAddress>
std::shared_ptr<const UsageItem> CountedAs(const Address& address, const Version& version) {
  return std::make_shared<const UsageItem>(UsageItem::Of(address, version));
}

// The same of what is another registry's: besides who fetches it, what the mirror does is counted.
// Every item of a mirrored kind is one of these.
struct MirroredItem final : UsageItem {
  service::MirrorCounter::Decision decided = 0;  // by which rule it is given
  std::uint64_t bytes = 0;                       // of an archive
};
// `bytes`: of the archive; 0 of a document.
template <class Thing>
std::shared_ptr<const UsageItem> CountedAsMirrored(const Services& services, const Thing& thing,
                                                   const Version& version,
                                                   std::uint64_t bytes = 0) {
  const service::Mirror& mirror = services.mirror;
  return std::make_shared<const MirroredItem>(MirroredItem{
      UsageItem::Of(thing, version), mirror.counter.DecisionOf(mirror.policy.Judge(thing)), bytes});
}

// Of an answer that is about to be sent: says where it is counted once it was, if it is to be; what
// the mirror gives is noted at once. Only what CountedAs or CountedAsMirrored made is ever in
// `counted_as`. `who` is null for a stranger. Never waits.
void CountFetch(http::Exchange& exchange, const http::Response& reply,
                const service::UsageCounter::Presenter& who, Services& services);

}  // namespace koya::api
