// Documents of /api/v1/admin.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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
  // Digests of settings that must be the same on all servers, by name.
  std::map<std::string, std::string> settings = {};
  friend bool operator==(const Replica&, const Replica&) = default;
};
using ReplicaList = ListOf<Replica, "replicas", "the list of replicas">;

// The response of /readyz.
struct ReadinessDocument {
  bool ready = false;
  std::vector<std::string> reasons;
};

// Of a server.
struct CertificateState {
  std::int64_t days = 0;  // until it expires; below 0: it has expired
  friend bool operator==(const CertificateState&, const CertificateState&) = default;
};

// Of the newest backup in backup.to.
struct BackupAge {
  std::string id;         // "": there is none yet, or it is not known
  std::uint64_t age = 0;  // seconds; without a backup since the server started
  bool running = false;   // whether this server is making one
  friend bool operator==(const BackupAge&, const BackupAge&) = default;
};

// Of a folder.
struct DiskState {
  std::uint64_t bytes = 0;
  std::uint64_t free_bytes = 0;
  friend bool operator==(const DiskState&, const DiskState&) = default;
};

// How a registry is, and what an administrator should do about it.
struct ServerStatus {
  struct Store {
    std::string kind;  // "folder" or "bucket"
    std::uint64_t published_bytes = 0;
    std::uint64_t mirrored_bytes = 0;
    std::uint64_t lost = 0;  // objects that the bucket no longer has
    friend bool operator==(const Store&, const Store&) = default;
  };
  struct Upstream {
    std::string host;
    std::string state;  // "unasked", "fresh", "stale" or "failing"
    friend bool operator==(const Upstream&, const Upstream&) = default;
  };
  struct Work {
    std::uint64_t waiting = 0;  // of all background jobs
    std::uint64_t failed = 0;   // jobs whose last run failed
    friend bool operator==(const Work&, const Work&) = default;
  };
  struct Todo {
    std::string code;     // "upstream_failing", for example (src/api/access.md)
    std::string subject;  // a host, a job, a server; "": the registry
    std::string text;     // a sentence
    friend bool operator==(const Todo&, const Todo&) = default;
  };
  std::string version;
  bool ready = false;
  std::vector<std::string> reasons;
  std::string database;  // "SQLite" or "PostgreSQL"
  Store store;
  std::vector<Upstream> upstreams;
  std::optional<BackupAge> backup;              // nullopt: backup.to is not set
  std::optional<CertificateState> certificate;  // nullopt: the server does no TLS itself
  Work work;
  std::optional<DiskState> disk;  // of the data folder; nullopt: it cannot be read
  std::vector<Todo> todo;
  friend bool operator==(const ServerStatus&, const ServerStatus&) = default;
};

// The outcome of a schema migration; for koya admin migrate.
struct MigrationResult {
  std::vector<std::string> taken;    // names of migrations
  std::vector<std::string> waiting;  // not run, since a running server does not know them
  friend bool operator==(const MigrationResult&, const MigrationResult&) = default;
};

// ---- endpoints

inline constexpr Endpoint<void, ReplicaList> kListReplicas{"GET", "/api/v1/admin/replicas"};
inline constexpr Endpoint<void, ServerStatus> kShowStatus{"GET", "/api/v1/admin/status"};
inline constexpr Endpoint<void, ResealReport> kResealSecrets{"POST", "/api/v1/admin/reseal"};

}  // namespace koya::wire
