// Recent activity of the mirror, in numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/codec.h"

namespace koya::wire {

struct MirrorDay {
  std::string day;         // "2026-11-21"
  std::uint64_t sent = 0;  // archives sent to clients
  std::uint64_t sent_bytes = 0;
  std::uint64_t brought = 0;  // archives fetched from their registries
  std::uint64_t fetched_bytes = 0;
  friend bool operator==(const MirrorDay&, const MirrorDay&) = default;
};

// GET /api/v1/mirror/status?days=
struct MirrorStatus {
  std::string since;       // the first day
  std::uint64_t sent = 0;  // as in MirrorDay, the sum of all days
  std::uint64_t sent_bytes = 0;
  std::uint64_t from_store = 0;  // of those sent, served without a fetch
  std::uint64_t from_store_bytes = 0;
  std::uint64_t brought = 0;
  std::uint64_t fetched_bytes = 0;
  std::uint64_t let_through = 0;  // requests that the policy allowed
  std::uint64_t turned_away = 0;
  bool counted = true;                 // whether client fetches are counted; if not, both are 0
  std::uint64_t versions_fetched = 0;  // distinct versions that clients fetched
  std::uint64_t versions_ready = 0;    // of those, stored here
  std::vector<MirrorDay> days;
  friend bool operator==(const MirrorStatus&, const MirrorStatus&) = default;
};

}  // namespace koya::wire
