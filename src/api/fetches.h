// What answers are counted as, for the statistics of who fetches what (service/usage_counter.h).
#pragma once

#include <memory>

#include "api/call.h"
#include "domain/usage_record.h"
#include "service/usage_counter.h"

namespace koya::api {

// For http::DocumentOptions::counted_as and OpenedArchive::counted_as, once for what is kept.
template <class Address>
std::shared_ptr<const UsageItem> CountedAs(const Address& address, const Version& version) {
  return std::make_shared<const UsageItem>(UsageItem::Of(address, version));
}

// Of an answer that is about to be sent: says where it is counted once it was, if it is to be.
// Only what CountedAs made is ever in `counted_as`. `who` is null for a stranger. Never waits.
void CountFetch(http::Exchange& exchange, const http::Response& reply,
                const service::UsageCounter::Presenter& who, Services& services);

}  // namespace koya::api
