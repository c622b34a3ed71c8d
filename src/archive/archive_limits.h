// Limits on the resources that an archive may take to read.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>

#include "base/error.h"

namespace koya {

inline constexpr LimitName kEntriesLimit = "limits.archive_entries";

struct ArchiveLimits {
  std::uint64_t unpacked_bytes = 1ULL << 30;
  std::uint64_t ratio = 200;  // unpacked to packed, checked once 1 MiB has been unpacked
  std::uint64_t entries = 50'000;
  LimitName entries_name = kEntriesLimit;                    // the setting behind entries
  LimitName unpacked_name = "limits.module_unpacked_bytes";  // the setting behind unpacked_bytes
  // The deadline of work on the archive: afterwards it fails with kTimeout.
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
  // Not owned; may be null. Once a stop is requested, work fails with kUnavailable.
  const std::stop_token* stop = nullptr;
};
inline constexpr LimitName kProviderUnpackedLimit = "limits.provider_unpacked_bytes";

}  // namespace koya
