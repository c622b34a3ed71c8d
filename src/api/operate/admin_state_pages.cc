// How the registry is, for administrators: pages, and the document of `koya status`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "api/common/admin_answer.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "base/clock.h"
#include "domain/account_record.h"
#include "domain/host_name.h"
#include "domain/replica_record.h"
#include "service/access/accounts.h"
#include "service/common/freeze.h"
#include "service/common/job_runs.h"
#include "service/mirror/pull_policy.h"
#include "service/mirror/upstream_states.h"
#include "service/operate/backups.h"
#include "service/operate/replicas.h"
#include "service/operate/storage.h"
#include "web/admin/admin_pages.h"
#include "web/common/view.h"
#include "wire/admin.h"

namespace koya::api {
namespace {

using Trouble = web::AdminOverviewPage::Trouble;
using Machine = OperationsView::Machine;

// Beyond which a server does not keep up, and a clock is wrong: see koya admin replicas.
constexpr std::chrono::seconds kLateFeed{5};
constexpr std::chrono::seconds kWrongClock{5};
// Below which a disk, and before which a certificate, needs attention.
constexpr std::uint64_t kLeastFreePercent = 10;
constexpr UnixSeconds kDay = 86'400;
constexpr UnixSeconds kCertificateSoon = wire::CertificateState::kSoonDays * kDay;
constexpr std::uint64_t kHour = 3600;
// Of a backup that is made daily.
constexpr std::uint64_t kOldBackup = 26 * kHour;

web::ShownJob ShownJobOf(service::JobRun run) {
  return {.job = std::move(run.job),
          .ended_at = run.ended_at,
          .took = run.measure.took,
          .waiting = run.measure.waiting,
          .failed = run.failed,
          .told = std::move(run.told),
          .runs = run.runs,
          .failures = run.failures,
          .failed_at = run.failed_at,
          .last_failure = std::move(run.last_failure)};
}

std::vector<web::ShownJob> ReadJobs(const Services& services) {
  std::vector<web::ShownJob> jobs;
  if (services.operations.jobs == nullptr) return jobs;
  for (service::JobRun& run : services.operations.jobs->All()) {
    jobs.push_back(ShownJobOf(std::move(run)));
  }
  return jobs;
}

std::optional<web::ShownJob> JobNamed(const std::vector<web::ShownJob>& jobs,
                                      std::string_view name) {
  auto found = std::ranges::find(jobs, name, &web::ShownJob::job);
  if (found == jobs.end()) return std::nullopt;
  return *found;
}

std::uint64_t PublishedBytes(const StorageSums& sums) {
  return sums.modules.bytes + sums.provider_packages.bytes + sums.provider_docs.bytes +
         sums.attachments.bytes;
}

std::uint64_t MirroredBytes(const StorageSums& sums) {
  return sums.mirrored.bytes + sums.mirrored_attachments.bytes;
}

// ---- what needs attention

// Collects what needs an administrator.
class Troubles {
 public:
  explicit Troubles(const Services& services) : services_(services) {}

  void AddState() {
    if (!services_.operations.state) return;
    for (std::string& reason : services_.operations.state().reasons) {
      Add(Trouble::Kind::kState, {}, std::move(reason));
    }
  }

  void AddSums(const StorageSums& sums) {
    const std::uint64_t lost = sums.objects.lost.count;
    if (lost > 0) Add(Trouble::Kind::kObjects, {}, web::NumberText(lost));
  }

  void AddServers(const std::vector<service::Replicas::Seen>& seen) {
    std::set<std::string> versions;
    for (const service::Replicas::Seen& each : seen) {
      versions.insert(each.replica.version);
      if (IsLate(each.replica)) Add(Trouble::Kind::kReplica, each.replica.address);
    }
    for (std::string& each : service::Replicas::DescribeDifferences(seen)) {
      Add(Trouble::Kind::kSettings, {}, std::move(each));
    }
    if (versions.size() < 2) return;
    Add(Trouble::Kind::kVersions, {}, fmt::format("{}", fmt::join(versions, ", ")));
  }

  void AddFailedJobs() {
    for (web::ShownJob& job : ReadJobs(services_)) {
      if (job.failed) Add(Trouble::Kind::kJob, std::move(job.job), std::move(job.told));
    }
  }

  void AddUpstreams() {
    for (const HostName& host : services_.mirror.policy.hosts()) {
      const service::UpstreamState::Kind kind = services_.mirror.states.Of(host).kind;
      if (kind == service::UpstreamState::Kind::kStale ||
          kind == service::UpstreamState::Kind::kFailing) {
        Add(Trouble::Kind::kUpstream, host.display());
      }
    }
  }

  void AddMachine(const Machine& machine) {
    if (machine.disk && machine.disk->bytes > 0) {
      const std::uint64_t free =
          machine.disk->free_bytes / std::max<std::uint64_t>(machine.disk->bytes / 100, 1);
      if (free < kLeastFreePercent) Add(Trouble::Kind::kDisk, {}, fmt::format("{}", free));
    }
    if (!machine.certificate_expires_at) return;
    const UnixSeconds left = *machine.certificate_expires_at - services_.clock.Now();
    if (left < kCertificateSoon) {
      Add(Trouble::Kind::kCertificate, {}, FormatRfc3339(*machine.certificate_expires_at));
    }
  }

  void AddBackup() {
    if (services_.operations.backups == nullptr) return;
    const std::uint64_t age = services_.operations.backups->Age();
    if (age > kOldBackup) Add(Trouble::Kind::kBackup, {}, fmt::format("{}", age / kHour));
  }

  void AddFreeze(const FreezeState& state) {
    if (state.is_frozen()) Add(Trouble::Kind::kFrozen, state.reason, FormatRfc3339(state.since));
  }

  void AddMigrations(const std::vector<std::string>& missing) {
    if (missing.empty()) return;
    Add(Trouble::Kind::kMigrations, {}, fmt::format("{}", fmt::join(missing, ", ")));
  }

  std::vector<Trouble> TakeAll() && {
    if (found_.size() > web::AdminOverviewPage::kMostTroubles) {
      found_.resize(web::AdminOverviewPage::kMostTroubles);
    }
    return std::move(found_);
  }

 private:
  static bool IsLate(const ReplicaRecord& replica) {
    return replica.feed_age > kLateFeed || std::chrono::abs(replica.clock_ahead) > kWrongClock;
  }
  void Add(Trouble::Kind kind, std::string name, std::string text = {}) {
    found_.push_back({.kind = kind, .name = std::move(name), .text = std::move(text)});
  }

  const Services& services_;
  std::vector<Trouble> found_;
};

// What pages and the document are made of.
struct RegistryState {
  StorageSums sums;
  Machine machine;
  std::vector<std::string> migrations;  // that the schema lacks
  std::vector<Trouble> troubles;
};

Task<RegistryState> ReadState(Call& call) {
  RegistryState state;
  ASSIGN_OR_CO_RETURN(state.sums, co_await call.services.upkeep.storage.Sum(call.principal));
  ASSIGN_OR_CO_RETURN(std::vector<service::Replicas::Seen> seen,
                      co_await call.services.upkeep.replicas.List());
  if (call.services.operations.machine) {
    state.machine = co_await call.services.operations.machine();
  }
  Troubles troubles(call.services);
  ASSIGN_OR_CO_RETURN(const FreezeState freeze, co_await call.services.upkeep.freeze.FindState());
  troubles.AddFreeze(freeze);
  troubles.AddState();
  ASSIGN_OR_CO_RETURN(state.migrations,
                      co_await call.services.upkeep.replicas.ListMissingMigrations());
  troubles.AddMigrations(state.migrations);
  troubles.AddMachine(state.machine);
  troubles.AddSums(state.sums);
  troubles.AddServers(seen);
  troubles.AddFailedJobs();
  troubles.AddUpstreams();
  troubles.AddBackup();
  state.troubles = std::move(troubles).TakeAll();
  co_return state;
}

// ---- the document

std::string_view UpstreamStateName(service::UpstreamState::Kind kind) {
  switch (kind) {
    case service::UpstreamState::Kind::kUnasked:
      return "unasked";
    case service::UpstreamState::Kind::kFresh:
      return "fresh";
    case service::UpstreamState::Kind::kStale:
      return "stale";
    case service::UpstreamState::Kind::kFailing:
      break;
  }
  return "failing";
}

wire::ServerStatus::Todo TodoOf(const Trouble& trouble) {
  switch (trouble.kind) {
    case Trouble::Kind::kFrozen:
      return {"frozen", "",
              fmt::format("the registry is frozen since {}{}{}, and refuses changes: \"koya admin "
                          "freeze off\" ends that",
                          trouble.text, trouble.name.empty() ? "" : ", ", trouble.name)};
    case Trouble::Kind::kState:
      return {"not_ready", "", trouble.text};
    case Trouble::Kind::kUpstream:
      return {"upstream_failing", trouble.name,
              fmt::format("{} does not answer; stored packages are still served: check the network "
                          "to it, and upstream.tokens",
                          trouble.name)};
    case Trouble::Kind::kJob:
      return {"job_failed", trouble.name,
              fmt::format("the job {} failed: {}", trouble.name, trouble.text)};
    case Trouble::Kind::kReplica:
      return {"server_late", trouble.name,
              fmt::format("the server {} lags behind the database, or its clock is wrong: check "
                          "its connection to the database and its time service",
                          trouble.name)};
    case Trouble::Kind::kVersions:
      return {"versions_mixed", "",
              fmt::format("servers of different versions use this catalog ({}): finish the upgrade",
                          trouble.text)};
    case Trouble::Kind::kMigrations:
      return {"migrations_pending", "",
              fmt::format("the catalog's schema lacks {}: end the servers of an earlier version, "
                          "then restart one server or run \"koya admin migrate\"",
                          trouble.text)};
    case Trouble::Kind::kSettings:
      return {"settings_differ", "", trouble.text};
    case Trouble::Kind::kObjects:
      return {"objects_lost", "",
              fmt::format("the bucket no longer has {} objects: \"koya verify\" names them",
                          trouble.text)};
    case Trouble::Kind::kDisk:
      return {"disk_low", "",
              fmt::format("only {} % of the disk of server.data is free: free some space, or set "
                          "mirror.max_bytes",
                          trouble.text)};
    case Trouble::Kind::kBackup:
      return {"backup_old", "",
              fmt::format("the newest backup in backup.to is {} hours old: see the job backup on "
                          "/-/admin/health, and the server's log",
                          trouble.text)};
    case Trouble::Kind::kCertificate:
      break;
  }
  return {"certificate_expires", "",
          fmt::format("the certificate expires at {}: replace the file tls.certificate, which is "
                      "reloaded",
                      trouble.text)};
}

wire::ServerStatus::Work WorkOf(const Services& services) {
  wire::ServerStatus::Work work;
  for (const web::ShownJob& job : ReadJobs(services)) {
    work.waiting += job.waiting.value_or(0);
    if (job.failed) ++work.failed;
  }
  return work;
}

std::optional<wire::BackupAge> BackupOf(const Services& services) {
  if (services.operations.backups == nullptr) return std::nullopt;
  wire::BackupState state = services.operations.backups->State();
  if (state.to.empty()) return std::nullopt;
  return wire::BackupAge{.id = std::move(state.id), .age = state.age, .running = state.running};
}

Task<http::Response> ShowStatus(Call& call) {
  const Services& services = call.services;
  ASSIGN_OR_CO_RETURN(RegistryState state, co_await ReadState(call));
  wire::ServerStatus status{.version = std::string(services.site.version),
                            .database = services.operations.database,
                            .migrations = std::move(state.migrations),
                            .store = {.kind = services.operations.store,
                                      .published_bytes = PublishedBytes(state.sums),
                                      .mirrored_bytes = MirroredBytes(state.sums),
                                      .lost = state.sums.objects.lost.count},
                            .backup = BackupOf(services),
                            .work = WorkOf(services)};
  if (services.operations.state) {
    OperationsView::State readiness = services.operations.state();
    status.ready = readiness.ready;
    status.reasons = std::move(readiness.reasons);
  }
  for (const HostName& host : services.mirror.policy.hosts()) {
    status.upstreams.push_back(
        {host.display(), std::string(UpstreamStateName(services.mirror.states.Of(host).kind))});
  }
  if (state.machine.disk) {
    status.disk = {.bytes = state.machine.disk->bytes,
                   .free_bytes = state.machine.disk->free_bytes};
  }
  if (state.machine.certificate_expires_at) {
    status.certificate = {.days = (*state.machine.certificate_expires_at - services.clock.Now()) /
                                  kDay};
  }
  for (const Trouble& trouble : state.troubles) status.todo.push_back(TodoOf(trouble));
  co_return JsonReply(200, wire::Encode(status));
}

// ---- health

// True for the metrics of /metrics that show whether a server is well.
bool IsShownNumber(std::string_view name) {
  constexpr std::array<std::string_view, 14> kShown{"koya_catalog_queued",
                                                    "koya_catalog_circuit_open",
                                                    "koya_catalog_timeouts_total",
                                                    "koya_catalog_rejected_total",
                                                    "koya_change_feed_age",
                                                    "koya_leases_",
                                                    "koya_clock_ahead",
                                                    "koya_gc_",
                                                    "koya_log_lines_dropped",
                                                    "koya_module_analysis_",
                                                    "koya_search_index_pending",
                                                    "koya_document_cache_bytes",
                                                    "koya_bucket_",
                                                    "process_resident_memory"};
  return std::ranges::any_of(kShown, [name](auto each) { return name.starts_with(each); });
}

// A metric's value as a person reads it: "89 MB", "1,204", "0.0008852".
std::string ReadableValue(std::string_view name, std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::string(text);
  const bool whole = value >= 0 && value < 1e15 && value == std::floor(value);
  if (!whole) return fmt::format("{:.4g}", value);
  const auto number = static_cast<std::uint64_t>(value);
  return name.contains("_bytes") ? web::SizeText(number) : web::NumberText(number);
}

std::vector<web::AdminHealthPage::Number> ReadNumbers(const Services& services) {
  std::vector<web::AdminHealthPage::Number> numbers;
  if (!services.operations.metrics) return numbers;
  const std::string all = services.operations.metrics();
  std::string_view rest(all);
  while (!rest.empty() && numbers.size() < web::AdminHealthPage::kMostNumbers) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::size_t blank = line.rfind(' ');
    if (line.starts_with('#') || blank == line.npos || !IsShownNumber(line)) continue;
    const std::string_view name = line.substr(0, blank);
    numbers.push_back(
        {.name = std::string(name), .value = ReadableValue(name, line.substr(blank + 1))});
  }
  return numbers;
}

web::AdminHealthPage::Server ServerOf(service::Replicas::Seen seen) {
  return {.address = std::move(seen.replica.address),
          .version = std::move(seen.replica.version),
          .started_at = seen.replica.started_at,
          .seen_at = seen.replica.seen_at,
          .feed_age = seen.replica.feed_age,
          .clock_ahead = seen.replica.clock_ahead,
          .leases = std::move(seen.leases)};
}

Task<http::Response> ShowAdministration(Call& call, PageAnswer& page) {
  ASSIGN_OR_CO_RETURN(AccessCounts counts,
                      co_await call.services.rights.accounts.Count(call.principal));
  ASSIGN_OR_CO_RETURN(RegistryState state, co_await ReadState(call));
  web::AdminOverviewPage shown{.users = counts.users,
                               .disabled = counts.disabled,
                               .administrators = counts.administrators,
                               .services = counts.services,
                               .groups = counts.groups,
                               .published_bytes = PublishedBytes(state.sums),
                               .mirrored_bytes = MirroredBytes(state.sums),
                               .knows_state = call.services.operations.state != nullptr,
                               .troubles = std::move(state.troubles)};
  co_return co_await page.SendUnkept(web::RenderAdminOverview(page.frame, shown));
}

Task<http::Response> ShowStorage(Call& call, PageAnswer& page) {
  web::AdminStoragePage shown{.now = call.services.clock.Now()};
  ASSIGN_OR_CO_RETURN(shown.sums, co_await call.services.upkeep.storage.Sum(call.principal));
  const std::vector<web::ShownJob> jobs = ReadJobs(call.services);
  shown.collection = JobNamed(jobs, "gc");
  shown.bound = JobNamed(jobs, "mirror-bound");
  shown.sweep = JobNamed(jobs, "store-sweep");
  shown.scrub = JobNamed(jobs, "cache-scrub");
  co_return co_await page.SendUnkept(web::RenderAdminStorage(page.frame, shown));
}

Task<http::Response> ShowHealth(Call& call, PageAnswer& page) {
  web::AdminHealthPage shown{.now = call.services.clock.Now()};
  if (call.services.operations.state) {
    OperationsView::State state = call.services.operations.state();
    shown.knows_state = true;
    shown.is_ready = state.ready;
    shown.reasons = std::move(state.reasons);
  }
  ASSIGN_OR_CO_RETURN(std::vector<service::Replicas::Seen> seen,
                      co_await call.services.upkeep.replicas.List());
  for (service::Replicas::Seen& each : seen) {
    if (shown.servers.size() == web::AdminHealthPage::kMostServers) break;
    shown.servers.push_back(ServerOf(std::move(each)));
  }
  shown.jobs = ReadJobs(call.services);
  shown.numbers = ReadNumbers(call.services);
  co_return co_await page.SendUnkept(web::RenderAdminHealth(page.frame, shown));
}

}  // namespace

std::span<const Route> AdminStateRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kShowStatus, Access::kAdmin, ResourceScope::kNone, ShowStatus,
                 "Show the state of the registry, and what needs an administrator"),
      AdminRow<ShowAdministration>("/-/admin", "Show the state of the registry"),
      AdminRow<ShowStorage>("/-/admin/storage", "Show storage use"),
      AdminRow<ShowHealth>("/-/admin/health", "Show servers, background jobs and metrics"),
  };
  return kRoutes;
}

}  // namespace koya::api
