// Counting of fetches of mirrored packages: besides the caller, it counts the mirror's allowed
// requests and bytes.
#pragma once

#include <cstdint>
#include <memory>

#include "domain/usage_record.h"

namespace koya::api {

// Every item of a mirrored kind is a MirroredItem.
struct MirroredItem final : UsageItem {
  std::uint64_t bytes = 0;  // of an archive
};
// As CountedAs (fetches.h). `bytes`: size of the archive; 0 for a document.
template <class Thing>
std::shared_ptr<const UsageItem> CountedAsMirrored(const Thing& thing, const Version& version,
                                                   std::uint64_t bytes = 0) {
  return std::make_shared<const MirroredItem>(MirroredItem{UsageItem::Of(thing, version), bytes});
}

}  // namespace koya::api
