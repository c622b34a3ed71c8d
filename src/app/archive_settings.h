// Archive limits, as the settings define them.
#pragma once

#include "app/settings.h"
#include "archive/archive_limits.h"

namespace koya {

inline ArchiveLimits ModuleLimitsOf(const Settings& settings) {
  return {.unpacked_bytes = settings.limits.module_unpacked_bytes,
          .ratio = settings.limits.archive_ratio,
          .entries = settings.limits.archive_entries};
}

// Limits for a provider's zip.
inline ArchiveLimits ZipLimitsOf(const Settings& settings) {
  return {.unpacked_bytes = settings.limits.provider_unpacked_bytes,
          .ratio = settings.limits.archive_ratio,
          .entries = settings.limits.archive_entries,
          .unpacked_name = kProviderUnpackedLimit};
}

}  // namespace koya
