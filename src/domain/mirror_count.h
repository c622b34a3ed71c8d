// What the mirror did on a day, in sums: what was sent and what had to be brought for it, and which
// rule decided how often. Nobody's name, and no package's.
#pragma once

#include <cstdint>
#include <string>

#include "domain/usage_record.h"

namespace koya {

// Numbers in stored rows: never renumber.
enum class MirrorCountKind : std::int64_t {
  kSent = 1,          // archives of other registries that clients were given
  kBrought = 2,       // archives that came from other registries, verified
  kAllowed = 3,       // requests that a rule of policy.allow let through
  kDenied = 4,        // those that a rule of policy.deny turned away
  kUnrestricted = 5,  // those that nothing restricts
  kNotListed = 6,     // those that no rule of policy.allow let through
};

// Whether it says how a request was decided.
constexpr bool IsDecision(MirrorCountKind kind) {
  return kind != MirrorCountKind::kSent && kind != MirrorCountKind::kBrought;
}
// Whether whoever asked got nothing.
constexpr bool IsRefusal(MirrorCountKind kind) {
  return kind == MirrorCountKind::kDenied || kind == MirrorCountKind::kNotListed;
}

struct MirrorCount {
  UsageDay day = 0;
  MirrorCountKind kind = MirrorCountKind::kSent;
  std::string rule;         // of kAllowed and kDenied, as it is named: MirrorRuleName
  std::uint64_t count = 0;  // archives, or requests
  std::uint64_t bytes = 0;  // of archives
  friend bool operator==(const MirrorCount&, const MirrorCount&) = default;
};

// Of the versions of other registries that clients fetched of late: those that could be given with
// every registry gone.
struct MirrorReadiness {
  std::uint64_t fetched = 0;  // versions
  std::uint64_t held = 0;  // of them: the module's archive, or a package of the provider, is here
  friend bool operator==(const MirrorReadiness&, const MirrorReadiness&) = default;
};

}  // namespace koya
