// Counting of fetches of mirrored packages: besides the caller, it counts the mirror's decisions
// and bytes.
#pragma once

#include <cstdint>
#include <memory>

#include "api/common/services.h"
#include "domain/usage_record.h"
#include "service/mirror/mirror_counter.h"
#include "service/mirror/pull_policy.h"

namespace koya::api {

// Every item of a mirrored kind is a MirroredItem.
struct MirroredItem final : UsageItem {
  service::MirrorCounter::Decision decided = 0;  // the rule that allows it
  std::uint64_t bytes = 0;                       // of an archive
};
// As CountedAs (fetches.h). `bytes`: size of the archive; 0 for a document.
template <class Thing>
std::shared_ptr<const UsageItem> CountedAsMirrored(const Services& services, const Thing& thing,
                                                   const Version& version,
                                                   std::uint64_t bytes = 0) {
  const MirrorServices& mirror = services.mirror;
  return std::make_shared<const MirroredItem>(
      MirroredItem{UsageItem::Of(thing, version),
                   mirror.counter.DecisionOf(mirror.policy.EvaluateRules(thing)), bytes});
}

}  // namespace koya::api
