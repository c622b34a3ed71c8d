// What the mirror did of late, in numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::wire {

struct MirrorDay {
  std::string day;         // "2026-11-21"
  std::uint64_t sent = 0;  // archives that clients were given
  std::uint64_t sent_bytes = 0;
  std::uint64_t brought = 0;  // archives that came from their registries
  std::uint64_t brought_bytes = 0;
  std::uint64_t let_through = 0;  // requests that the policy decided
  std::uint64_t turned_away = 0;
  friend bool operator==(const MirrorDay&, const MirrorDay&) = default;
};

struct MirrorRuleCount {
  std::string rule;
  std::uint64_t requests = 0;
  friend bool operator==(const MirrorRuleCount&, const MirrorRuleCount&) = default;
};

// GET /api/v1/mirror/status?days=
struct MirrorStatus {
  std::string since;       // the first day
  std::uint64_t sent = 0;  // as of a day, of all of them together
  std::uint64_t sent_bytes = 0;
  std::uint64_t from_store = 0;  // of what was sent, what nothing was brought for
  std::uint64_t from_store_bytes = 0;
  std::uint64_t brought = 0;
  std::uint64_t brought_bytes = 0;
  std::uint64_t let_through = 0;
  std::uint64_t turned_away = 0;
  bool counted = true;                 // whether fetches are: else there are no versions
  std::uint64_t versions_fetched = 0;  // versions that clients fetched
  std::uint64_t versions_ready = 0;    // of them: they are stored here
  std::vector<MirrorRuleCount> allow;  // in the order of the settings
  std::vector<MirrorRuleCount> deny;
  std::uint64_t unrestricted = 0;  // requests that no rule decided
  std::uint64_t not_listed = 0;
  std::vector<MirrorDay> days;
  friend bool operator==(const MirrorStatus&, const MirrorStatus&) = default;
};
std::string EncodeMirrorStatus(const MirrorStatus& status);
Result<MirrorStatus> DecodeMirrorStatus(std::string_view body);

}  // namespace koya::wire
