// Documents of /api/v1/admin.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
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
  // With fewer days left it should be replaced.
  static constexpr std::int64_t kSoonDays = 14;
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
  // Names of migrations that the schema lacks: they wait until every server knows them.
  std::vector<std::string> migrations = {};
  Store store;
  std::vector<Upstream> upstreams;
  std::optional<BackupAge> backup;              // nullopt: backup.to is not set
  std::optional<CertificateState> certificate;  // nullopt: the server does no TLS itself
  Work work;
  std::optional<DiskState> disk;  // of the data folder; nullopt: it cannot be read
  std::vector<Todo> todo;
  friend bool operator==(const ServerStatus&, const ServerStatus&) = default;
};

// Whether the registry is frozen: then it refuses changes.
struct FreezeReport {
  bool frozen = false;
  std::string since;  // RFC 3339; "": it is not frozen
  std::string by;
  std::string reason;
  friend bool operator==(const FreezeReport&, const FreezeReport&) = default;
};
struct FreezeRequest {
  std::string state;  // "on" or "off"
  std::string reason = {};
};

// Things in storage.
struct StorageSum {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const StorageSum&, const StorageSum&) = default;
};
// A blob that a garbage collection would remove.
struct UnusedBlob {
  std::string digest;  // "sha256:…"
  std::uint64_t size = 0;
  friend bool operator==(const UnusedBlob&, const UnusedBlob&) = default;
};
// What a garbage collection would remove now, and what stays: of a part of the storage, or of all
// of it as the result of "koya admin gc --dry-run --json".
struct GarbagePlan {
  StorageSum unused;              // no version, draft or mirrored package needs them
  StorageSum expired_drafts;      // files of drafts that have expired
  StorageSum due;                 // objects of a bucket whose blobs.trash_for is over
  std::vector<UnusedBlob> blobs;  // the first of `unused`
  StorageSum referenced;
  StorageSum open_drafts;
  StorageSum young;    // without use, for less than blobs.gc_grace
  StorageSum leaving;  // objects of a bucket, for less than blobs.trash_for
  StorageSum arriving;
  std::uint64_t grace_s = 0;
  std::uint64_t trash_for_s = 0;  // 0: there is no bucket
  std::string collector;          // the server that collects now; "": none
  bool frozen = false;            // nothing is removed then
  std::string next;               // "": there is no further part
  friend bool operator==(const GarbagePlan&, const GarbagePlan&) = default;
};

// The outcome of a schema migration; for koya admin migrate.
struct MigrationResult {
  std::vector<std::string> taken;    // names of migrations
  std::vector<std::string> waiting;  // not run, since a running server does not know them
  friend bool operator==(const MigrationResult&, const MigrationResult&) = default;
};

// Bytes that a catalog took and takes; for koya admin compact.
struct CompactionResult {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};

// ---- endpoints

inline constexpr Endpoint<void, ReplicaList> kListReplicas{"GET", "/api/v1/admin/replicas"};
inline constexpr Endpoint<void, FreezeReport> kShowFreeze{"GET", "/api/v1/admin/freeze"};
inline constexpr Endpoint<FreezeRequest, FreezeReport> kSetFreeze{"PUT", "/api/v1/admin/freeze"};
inline constexpr Endpoint<void, GarbagePlan> kPlanGarbage{"GET", "/api/v1/admin/gc"};
inline constexpr Endpoint<void, ServerStatus> kShowStatus{"GET", "/api/v1/admin/status"};
inline constexpr Endpoint<void, ResealReport> kResealSecrets{"POST", "/api/v1/admin/reseal"};

}  // namespace koya::wire
