// Renders the administrator's pages about the state of the registry: overview, audit log, storage
// and health. They show only what the server knows: an unknown number is left out.
//
// Each page is a struct and a function that renders it. Texts may be anything: they are escaped,
// isolated and made well-formed. Pure and thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/audit_record.h"
#include "domain/storage_record.h"
#include "web/common/page_frame.h"
#include "web/common/refusal.h"
#include "web/common/view.h"

namespace koya::web {

// /-/admin
struct AdminOverviewPage {
  // A problem that needs attention.
  struct Trouble {
    enum class Kind {
      kFrozen,      // the registry refuses changes: `text` says since when, `name` why ("": unsaid)
      kState,       // `text`, in English, from /readyz
      kUpstream,    // the registry `name` does not answer
      kJob,         // the job `name` failed: `text`, in English
      kReplica,     // the server `name` hears of changes late, or its clock is off
      kVersions,    // servers of different versions run on the catalog: `text`
      kMigrations,  // the schema lacks the migrations `text`: servers do not know them
      kSettings,    // servers do not agree on a setting: `text`, in English, names both
      kObjects,     // objects of the store are missing: `text` says how many
      kDisk,        // the disk of the data folder is nearly full: `text` percent are free
      kCertificate,  // the server's certificate expires soon: `text` says when
      kBackup,       // the newest backup in backup.to is `text` hours old
    };
    Kind kind = Kind::kState;
    std::string name = {};
    std::string text = {};
  };
  static constexpr std::size_t kMostTroubles = 20;

  std::uint64_t users = 0;
  std::uint64_t disabled = 0;
  std::uint64_t administrators = 0;
  std::uint64_t services = 0;
  std::uint64_t groups = 0;
  std::uint64_t published_bytes = 0;
  std::uint64_t mirrored_bytes = 0;
  bool knows_state = false;       // whether the state of /readyz is known
  std::vector<Trouble> troubles;  // kMostTroubles at most
};
std::string RenderAdminOverview(const PageFrame& frame, const AdminOverviewPage& page);

// A query of the audit log: texts as typed.
struct AuditQuestion {
  std::string actor, action, target, ns, address, token, since, until;
  std::optional<AuditKind> kind;
};

// /-/admin/audit
struct AdminAuditPage {
  static constexpr std::size_t kMostEntries = 50;

  AuditQuestion question;
  Refusal problem;                   // with the query; empty: none
  std::vector<AuditRecord> entries;  // newest first, kMostEntries at most
  bool is_first = true;              // nothing newer is left out
  bool has_more = false;             // older than the last
  AuditEnds ends;                    // of the whole log
  bool is_asked = false;             // the query is not empty
};
std::string RenderAdminAudit(const PageFrame& frame, const AdminAuditPage& page);
// The path of the list with its query, without the page number and without empty fields.
std::string AuditListPath(std::string_view path, const AuditQuestion& question);

// /-/admin/audit/{id}
std::string RenderAdminAuditEntry(const PageFrame& frame, const AuditRecord& record);

// /-/admin/audit/proof: whether the log is whole.
struct AdminAuditProofPage {
  std::string expected;  // "SEQUENCE:HASH", as typed
  Refusal problem;       // with `expected`; empty: none
  bool is_walked = false;
  std::uint64_t checked = 0;
  AuditEnds ends;
  std::int64_t damaged_at = 0;  // sequence of the first altered entry; 0: none
  std::string damage;           // in English
};
std::string RenderAdminAuditProof(const PageFrame& frame, const AdminAuditProofPage& page);

// Last run of a job on this server.
struct ShownJob {
  std::string job;
  UnixSeconds ended_at = 0;  // 0: no run has ended
  std::optional<std::chrono::milliseconds> took = {};
  std::optional<std::uint64_t> waiting = {};  // remaining work
  bool failed = false;
  std::string told;  // in English
  std::uint64_t runs = 0;
  std::uint64_t failures = 0;
  UnixSeconds failed_at = 0;  // 0: never
  std::string last_failure;   // in English
};

// /-/admin/storage
struct AdminStoragePage {
  StorageSums sums;
  std::optional<ShownJob> collection;  // last run on this server; nullopt: none ended
  std::optional<ShownJob> bound;       // enforcement of the mirror's bound
  std::optional<ShownJob> sweep;       // of the object store
  std::optional<ShownJob> scrub;       // of the archives that the disk cache has
  UnixSeconds now = 0;
};
std::string RenderAdminStorage(const PageFrame& frame, const AdminStoragePage& page);

// /-/admin/health
struct AdminHealthPage {
  struct Server {
    std::string address, version;
    UnixSeconds started_at = 0;
    UnixSeconds seen_at = 0;
    std::chrono::milliseconds feed_age{0};
    std::chrono::milliseconds clock_ahead{0};
    std::vector<std::string> leases;
  };
  // A metric as in /metrics: koya_leases_held, 2.
  struct Number {
    std::string name, value;
  };
  static constexpr std::size_t kMostServers = 50;
  static constexpr std::size_t kMostNumbers = 60;

  bool knows_state = false;
  bool is_ready = false;
  std::vector<std::string> reasons;  // in English
  std::vector<Server> servers;       // kMostServers at most
  std::vector<ShownJob> jobs;
  std::vector<Number> numbers;  // kMostNumbers at most
  UnixSeconds now = 0;
};
std::string RenderAdminHealth(const PageFrame& frame, const AdminHealthPage& page);

}  // namespace koya::web
