// Counting what is fetched of other registries' things: besides who fetches it, what the mirror
// does is counted.
#pragma once

#include <cstdint>
#include <memory>

#include "api/services.h"
#include "domain/usage_record.h"
#include "service/mirror/mirror_counter.h"
#include "service/mirror/pull_policy.h"

namespace koya::api {

// Every item of a mirrored kind is one of these.
struct MirroredItem final : UsageItem {
  service::MirrorCounter::Decision decided = 0;  // by which rule it is given
  std::uint64_t bytes = 0;                       // of an archive
};
// As CountedAs (fetches.h). `bytes`: of the archive; 0 of a document.
template <class Thing>
std::shared_ptr<const UsageItem> CountedAsMirrored(const Services& services, const Thing& thing,
                                                   const Version& version,
                                                   std::uint64_t bytes = 0) {
  const MirrorServices& mirror = services.mirror;
  return std::make_shared<const MirroredItem>(MirroredItem{
      UsageItem::Of(thing, version), mirror.counter.DecisionOf(mirror.policy.Judge(thing)), bytes});
}

}  // namespace koya::api
