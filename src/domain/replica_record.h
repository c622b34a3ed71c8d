// A process that serves from a catalog, as the others see it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/clock.h"

namespace koya {

struct ReplicaRecord {
  std::string id;                // random; what its leases call their holder
  std::string address;           // where it answers, for people
  std::string version;           // of the program
  std::int64_t schema_step = 0;  // the last step of the schema that the program knows
  // By the database's clock; whoever writes the record says neither.
  UnixSeconds started_at = 0;
  UnixSeconds seen_at = 0;
  // For how long the change feed had not been confirmed when this was written.
  std::chrono::milliseconds feed_age{};
  // How far its machine's clock was ahead of the database's.
  std::chrono::milliseconds clock_ahead{};
  friend bool operator==(const ReplicaRecord&, const ReplicaRecord&) = default;
};

}  // namespace koya
