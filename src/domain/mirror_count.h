// Daily sums of the mirror: archives sent, archives fetched for that, and requests that the policy
// allowed and denied. They contain no names of callers or packages.
#pragma once

#include <cstdint>

#include "domain/usage_record.h"

namespace koya {

// Numbers in stored rows: never renumber.
enum class MirrorCountKind : std::int64_t {
  kSent = 1,     // archives of other registries that were sent to clients
  kFetched = 2,  // archives fetched from other registries, verified
  kAllowed = 3,  // requests that the policy allowed
  kDenied = 4,   // requests that the policy denied
};

struct MirrorCount {
  UsageDay day = 0;
  MirrorCountKind kind = MirrorCountKind::kSent;
  std::uint64_t count = 0;  // archives, or requests
  std::uint64_t bytes = 0;  // of archives
  friend bool operator==(const MirrorCount&, const MirrorCount&) = default;
};

// Of the versions of other registries that clients fetched recently: those that could be served if
// every registry were down.
struct MirrorReadiness {
  std::uint64_t fetched = 0;  // versions
  std::uint64_t held = 0;  // of them: the module's archive, or a package of the provider, is here
  friend bool operator==(const MirrorReadiness&, const MirrorReadiness&) = default;
};

}  // namespace koya
