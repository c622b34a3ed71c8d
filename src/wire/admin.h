// Documents of /api/v1/admin.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/codec.h"
#include "wire/endpoint.h"

namespace koya::wire {

// The outcome of resealing the stored secrets.
struct ResealReport {
  std::uint64_t renewed = 0;
  std::uint64_t current = 0;
  std::vector<std::string> lost;  // "acme/FINGERPRINT"
  friend bool operator==(const ResealReport&, const ResealReport&) = default;
};

// A process that serves from the catalog.
struct Replica {
  std::string id;
  std::string address;
  std::string version;
  std::uint64_t schema_step = 0;  // the last migration that it knows
  std::string started_at;
  std::string seen_at;
  std::uint64_t feed_age_ms = 0;    // age of its last response from the change log
  std::int64_t clock_ahead_ms = 0;  // its machine's clock, before the database's
  std::vector<std::string> leases;  // names
  friend bool operator==(const Replica&, const Replica&) = default;
};
using ReplicaList = ListOf<Replica, "replicas", "the list of replicas">;

// The response of /readyz.
struct ReadinessDocument {
  bool ready = false;
  std::vector<std::string> reasons;
};

// The outcome of a schema migration; for koya admin migrate.
struct MigrationResult {
  std::vector<std::string> taken;    // names of migrations
  std::vector<std::string> waiting;  // not run, since a running server does not know them
  friend bool operator==(const MigrationResult&, const MigrationResult&) = default;
};

// ---- endpoints

inline constexpr Endpoint<void, ReplicaList> kListReplicas{"GET", "/api/v1/admin/replicas"};
inline constexpr Endpoint<void, ResealReport> kResealSecrets{"POST", "/api/v1/admin/reseal"};

}  // namespace koya::wire
