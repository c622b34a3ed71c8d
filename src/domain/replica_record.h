// A server process on a catalog, as the other servers see it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/clock.h"

namespace koya {

struct ReplicaRecord {
  std::string id;                // random; the holder of its leases
  std::string address;           // its public address, for display
  std::string version;           // of the program
  std::int64_t schema_step = 0;  // the last migration that the program knows
  // By the database's clock; set by the catalog, not by the server that writes the record.
  UnixSeconds started_at = 0;
  UnixSeconds seen_at = 0;
  // How long the change feed had not been confirmed when this was written.
  std::chrono::milliseconds feed_age{};
  // How far the clock of its machine was ahead of the database's.
  std::chrono::milliseconds clock_ahead{};
  friend bool operator==(const ReplicaRecord&, const ReplicaRecord&) = default;
};

}  // namespace koya
