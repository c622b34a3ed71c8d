// Reports on the mirror: its recent activity in numbers, and why it serves an address or does not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/endpoint.h"

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

// ---- why the mirror serves an address or does not

// One of the routes on which clients ask.
struct MirrorWay {
  std::string way;    // "origin", "mirror"
  std::string state;  // "available", "allowed", "blocked"
  std::string text;   // for people: the reason, and its registry's last response where relevant
  friend bool operator==(const MirrorWay&, const MirrorWay&) = default;
};

// GET /-/mirror/explain.json?address=&version=
struct MirrorExplanation {
  std::string address;         // "registry.opentofu.org/hashicorp/aws"
  std::string version;         // the requested one; "": none
  std::string kind;            // "provider", "module"
  bool given = false;          // whether it is stored and served on at least one route
  std::string policy;          // "allowed", "denied", "not-listed"
  std::string rule;            // the deciding rule; "": no rule restricts it
  bool may_pull = true;        // whether its registry may be contacted
  std::string text;            // the response to clients where every route is blocked; "" otherwise
  std::uint64_t versions = 0;  // known versions
  bool pinned = false;         // the version is one of the known ones
  std::uint64_t archives = 0;  // archives stored here
  std::vector<MirrorWay> ways;
  friend bool operator==(const MirrorExplanation&, const MirrorExplanation&) = default;
};

}  // namespace koya::wire
